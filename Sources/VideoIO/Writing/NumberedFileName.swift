// Names that stand for many files.

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// A file name in which `%d`, or `%06d` with a width, stands for a number, and `%%` for a percent sign.
package struct NumberedFileName {
  private let name: String
  /// The path of the folder with its slash; empty for the current one.
  private let folder: String
  private let stem: String
  private let ending: String
  private let width: Int

  /// The maximum width of a number.
  private static let maximumWidth = 255

  /// Creates the name; nil when it has no field for a number.
  package init?(_ name: String) {
    let fields = name.matches(of: /%%|%([0-9]*)d/)
    guard let field = fields.first(where: { $0.output.1 != nil }), let digits = field.output.1 else { return nil }
    self.name = name
    let before = String(name[..<field.range.lowerBound]).replacing("%%", with: "%")
    let slash = before.lastIndex(of: "/").map { before.index(after: $0) } ?? before.startIndex
    folder = String(before[..<slash])
    stem = String(before[slash...])
    ending = String(name[field.range.upperBound...]).replacing("%%", with: "%")
    width = digits.isEmpty ? 0 : min(Int(digits) ?? Self.maximumWidth, Self.maximumWidth)
  }

  /// The name of the file with a number, 0 or more.
  package subscript(number: Int) -> String {
    let text = String(number)
    return folder + stem + String(repeating: "0", count: max(0, width - text.count)) + text + ending
  }

  /// The folder that all files lie in, or in whose folders, if the number is part of a folder's name.
  var existingFolder: String { folder.isEmpty ? "." : folder }

  /// Returns the numbers of the files that there are, rising: they need not begin at 1, nor follow one another.
  /// - Throws: The file system's error when the folder cannot be read.
  package func existingNumbers() throws -> [Int] {
    try existingFiles().compactMap { file in file.number.flatMap { self[$0] == file.path ? $0 : nil } }.sorted()
  }

  /// - Throws: ``MediaError`` `outputExists` when there is a file of this name already and none may be replaced;
  ///   `invalidOption` when the files would replace an input.
  func requireUnused(overwrite: Bool, inputs: [String]) throws {
    let inputs = FileIdentities(inputs)
    let files: [(path: String, number: Int?)]
    do {
      files = try existingFiles()
    } catch {
      let folder = existingFolder
      let reason = access(folder, R_OK | X_OK) == 0 ? "" : ": \(OutputFile.systemMessage)"
      throw MediaError(.cannotWrite, "the folder \(folder) cannot be read\(reason)", file: name)
    }
    for (path, _) in files {
      try OutputFile.requireDifferent(path, from: inputs)
      guard overwrite else {
        let file = path.dropFirst(folder.count)
        throw MediaError(.outputExists, "\(file) is there already; --overwrite replaces it", file: name)
      }
    }
    removeLeftovers()
  }

  /// Deletes what programs that died have left of such files.
  private func removeLeftovers() {
    guard !ending.contains("/") else { return }
    OutputFile.removeLeftovers(in: existingFolder) { leftover in
      guard let dot = leftover.lastIndex(of: "."), dot > leftover.startIndex else { return false }
      return number(in: leftover[..<dot].dropFirst(), before: ending) != nil
    }
  }

  /// Returns the digits of a file's name where a number stands, if it is such a name.
  private func number(in name: Substring, before end: String) -> Substring? {
    guard name.hasPrefix(stem), name.dropFirst(stem.count).hasSuffix(end) else { return nil }
    let digits = name.dropFirst(stem.count).dropLast(end.count)
    return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? digits : nil
  }

  /// Returns the files with a number in its field, however many digits it has; the number is nil when it is too large.
  func existingFiles() throws -> [(path: String, number: Int?)] {
    // The number may be part of a folder's name.
    let slash = ending.firstIndex(of: "/") ?? ending.endIndex
    let (end, rest) = (String(ending[..<slash]), String(ending[slash...]))
    return try FileManager.default.contentsOfDirectory(atPath: existingFolder).compactMap { name in
      guard let digits = number(in: name[...], before: end) else { return nil }
      let path = folder + name + rest
      return rest.isEmpty || FileManager.default.fileExists(atPath: path) ? (path, Int(digits)) : nil
    }
  }
}
