import Foundation
import TestSupport
import Testing

/// A versioned dependency must not carry unsafe flags; everyone else gets the kernels for wide processors.
@Suite struct ManifestTests {
  private static let manifest = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Package.swift")

  /// Returns the manifest as the package manager reads it at a place.
  private func manifest(at position: String, environment: [String: String] = [:]) throws -> String {
    let folder = try TemporaryFolder()
    let package = folder.url.appendingPathComponent(position)
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Self.manifest, to: package.appendingPathComponent("Package.swift"))
    let dump = try ChildProcess.run(
      "swift", ["package", "--package-path", package.path, "dump-package"], environment: environment)
    try #require(dump.status == 0, "\(dump.errors)")
    try #require(dump.text.contains("FlowKernelsV4"))
    return dump.text
  }

  private static let wide = "-march=x86-64-v4"

  @Test func aCloneHasTheKernelsForWideProcessors() throws {
    let dump = try manifest(at: "rheo")
    // The compilers before Swift 6.2 get them wrong.
    #if compiler(>=6.2)
      #expect(dump.contains(Self.wide))
    #else
      #expect(!dump.contains(Self.wide))
    #endif
    #expect(try !manifest(at: "rheo", environment: ["RHEO_NATIVE_KERNELS": "0"]).contains(Self.wide))
  }

  @Test func aDependencyHasNoUnsafeFlagsUnlessItAsks() throws {
    #expect(try !manifest(at: ".build/checkouts/rheo").contains("unsafeFlags"))
    let dump = try manifest(at: ".build/checkouts/rheo", environment: ["RHEO_NATIVE_KERNELS": "1"])
    #expect(dump.contains(Self.wide))
  }
}
