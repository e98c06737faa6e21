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

  /// Says on standard output that a test did not run.
  public static func reportSkipped(_ test: String) {
    print("SKIPPED: \(test): no test data in $RHEO_TESTDATA or ../shared/data")
  }

  /// A file or folder of the test data; nil, and a printed line, where it is absent.
  public static func url(_ path: String, for test: String) -> URL? {
    guard let url = folder?.appendingPathComponent(path), FileManager.default.fileExists(atPath: url.path) else {
      reportSkipped("\(test) (\(path))")
      return nil
    }
    return url
  }
}

/// A new folder for a test's files. Whoever made it removes it.
public func makeTemporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
