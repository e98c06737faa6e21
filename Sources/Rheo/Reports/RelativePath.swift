import Foundation

/// Paths as they are found from the folder of a report, so that the two can be moved together.
enum RelativePath {
  /// - Parameters:
  ///   - path: The path of a file; relative ones belong to the working folder.
  ///   - folder: The folder that the path is to go from.
  static func path(_ path: String, from folder: String) -> String {
    let target = parts(path)
    let base = parts(folder.isEmpty ? "." : folder)
    let shared = zip(target, base).prefix { $0 == $1 }.count
    let steps = Array(repeating: "..", count: base.count - shared) + target[shared...]
    return steps.joined(separator: "/")
  }

  private static func parts(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.path.split(separator: "/").map(String.init)
  }
}
