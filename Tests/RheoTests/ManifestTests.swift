import Foundation
import TestSupport
import Testing

/// Everyone gets the kernels for wide processors, which are the only unsafe flags of a dependency.
@Suite struct ManifestTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The manifest, and that for compilers before Swift 6.2.
  private static let manifests = ["Package.swift", "Package@swift-6.0.swift"]

  /// Returns the manifest as the package manager reads it in a folder.
  private func manifest(at position: String, environment: [String: String] = [:]) throws -> String {
    let folder = try TemporaryFolder()
    let package = folder.url.appendingPathComponent(position)
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    for name in Self.manifests {
      try FileManager.default.copyItem(
        at: Self.root.appendingPathComponent(name), to: package.appendingPathComponent(name))
    }
    let dump = try ChildProcess.run(
      "swift", ["package", "--package-path", package.path, "dump-package"], environment: environment)
    try #require(dump.status == 0, "\(dump.errors)")
    try #require(dump.text.contains("FlowKernelsV4"))
    return dump.text
  }

  private static let wide = "-march=x86-64-v4"

  @Test(arguments: ["rheo", ".build/checkouts/rheo"])
  func thereAreKernelsForWideProcessors(position: String) throws {
    let dump = try manifest(at: position)
    // The compilers before Swift 6.2 get them wrong.
    #if compiler(>=6.2)
      #expect(dump.contains(Self.wide))
    #else
      #expect(!dump.contains(Self.wide))
    #endif
    #expect(try !manifest(at: position, environment: ["RHEO_NATIVE_KERNELS": "0"]).contains(Self.wide))
  }

  @Test func aDependencyHasNoOtherUnsafeFlags() throws {
    let environment = ["RHEO_NATIVE_KERNELS": "0"]
    #expect(try !manifest(at: ".build/checkouts/rheo", environment: environment).contains("unsafeFlags"))
  }

  @Test func olderCompilersGetTheSameManifest() throws {
    let texts = try Self.manifests.map {
      try String(contentsOf: Self.root.appendingPathComponent($0), encoding: .utf8)
    }
    #expect(texts[0].replacing("tools-version: 6.2", with: "tools-version: 6.0", maxReplacements: 1) == texts[1])
  }
}
