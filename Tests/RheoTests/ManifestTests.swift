import Foundation
import TestSupport
import Testing

/// A versioned dependency must not carry unsafe flags; everyone else gets the kernels for wide processors.
@Suite struct ManifestTests {
  private static let manifest = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Package.swift")

  /// Whether the manifest, lying at `place`, asks for unsafe flags.
  private func hasUnsafeFlags(at position: String, environment: [String: String] = [:]) throws -> Bool {
    let folder = try TemporaryFolder()
    let package = folder.url.appendingPathComponent(position)
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Self.manifest, to: package.appendingPathComponent("Package.swift"))
    let dump = try ChildProcess.run(
      "swift", ["package", "--package-path", package.path, "dump-package"], environment: environment)
    try #require(dump.status == 0, "\(dump.errors)")
    try #require(dump.text.contains("FlowKernelsV4"))
    return dump.text.contains("unsafeFlags")
  }

  @Test func aCloneHasTheKernelsForWideProcessors() throws {
    #expect(try hasUnsafeFlags(at: "rheo"))
    #expect(try !hasUnsafeFlags(at: "rheo", environment: ["RHEO_NATIVE_KERNELS": "0"]))
  }

  @Test func aDependencyHasNoUnsafeFlagsUnlessItAsks() throws {
    #expect(try !hasUnsafeFlags(at: ".build/checkouts/rheo"))
    #expect(try hasUnsafeFlags(at: ".build/checkouts/rheo", environment: ["RHEO_NATIVE_KERNELS": "1"]))
  }
}
