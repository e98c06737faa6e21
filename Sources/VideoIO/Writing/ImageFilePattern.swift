// Names that stand for many image files.

import Foundation

/// A name such as `frame_%03d.png`, whose number counts the images.
struct ImageFilePattern {
  private let path: String
  private let folder: String
  private let prefix: String
  private let suffix: String

  /// Takes a name apart; nil when it holds no `%d`, alone or with a width.
  init?(_ path: String) {
    guard let number = path.firstMatch(of: /%[0-9]*d/) else { return nil }
    self.path = path
    let head = path[..<number.range.lowerBound]
    let slash = head.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    folder = slash == path.startIndex ? "." : String(path[..<slash])
    prefix = String(path[slash..<number.range.lowerBound]).replacing("%%", with: "%")
    suffix = String(path[number.range.upperBound...]).replacing("%%", with: "%")
  }

  /// - Throws: ``MediaError`` `outputExists` when there is an image of this pattern already and none may be replaced;
  ///   `invalidOption` when the images would replace an input.
  func requireUnused(overwrite: Bool, inputs: [String]) throws {
    guard !inputs.contains(path) else {
      throw MediaError(.invalidOption, "is the input itself; write to another name", file: path)
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw MediaError(.cannotWrite, "the folder \(folder) cannot be read: \(error.localizedDescription)", file: path)
    }
    for name in names where matches(name) {
      let place = folder == "." ? name : folder + name
      try OutputFile.requireDifferent(place, from: inputs)
      guard overwrite else {
        throw MediaError(.outputExists, "\(name) is there already; --overwrite replaces it", file: path)
      }
    }
  }

  private func matches(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
      return false
    }
    return name.dropFirst(prefix.count).dropLast(suffix.count).allSatisfy { $0.isASCII && $0.isNumber }
  }
}
