import Foundation

/// The folder of third-party test data, which is not part of the repository.
public enum TestData {
  /// `$RHEO_TESTDATA`, or `../shared/data` beside the package; nil where there is none.
  public static let folder: URL? = {
    let root = URL(fileURLWithPath: #filePath)  // Tests/TestSupport/TestData.swift
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["RHEO_TESTDATA"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appendingPathComponent("shared/data")
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
    return exists && isFolder.boolValue ? folder : nil
  }()

  /// Returns whether files or folders of the test data are there: tests that need them are skipped otherwise.
  public static func has(_ paths: String...) -> Bool {
    paths.allSatisfy { path in
      folder.map { FileManager.default.fileExists(atPath: $0.appendingPathComponent(path).path) } ?? false
    }
  }

  /// A file or folder of the test data.
  /// - Throws: ``MissingTestData`` where it is absent.
  public static func url(_ path: String) throws -> URL {
    guard let folder, has(path) else { throw MissingTestData(path: path) }
    return folder.appendingPathComponent(path)
  }
}

/// A part of the test data that is not there.
public struct MissingTestData: Error, CustomStringConvertible {
  let path: String
  public var description: String { "no \(path) in $RHEO_TESTDATA or ../shared/data" }
}

/// A new folder for a test's files. Whoever made it removes it.
public func makeTemporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
