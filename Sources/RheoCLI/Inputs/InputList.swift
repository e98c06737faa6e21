// Which files a command works on, when it takes many.

import Foundation
import Rheo

/// Turns what users name into inputs: files as they are, folders into their videos, lists into their lines.
enum InputList {
  /// The endings by which the videos of a folder are told from what else lies there.
  static let videoEndings: Set<String> = [
    "3g2", "3gp", "264", "265", "amv", "asf", "avi", "dav", "divx", "dv", "f4v", "flv", "gif", "h264", "h265", "hevc",
    "ivf", "m1v", "m2t", "m2ts", "m2v", "m4v", "mjpeg", "mjpg", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "nut",
    "obu", "ogm", "ogv", "qt", "rm", "rmvb", "ts", "vob", "webm", "wmv", "y4m",
  ]

  /// The inputs of a command.
  struct Inputs {
    var names: [String] = []
    /// The videos in folders whose names are not UTF-8, as messages call them: they cannot be opened.
    var refused: [String] = []
  }

  /// - Parameters:
  ///   - names: Files, addresses that FFmpeg opens, `-`, or folders.
  ///   - list: A text file with a name a line, `-` for standard input; empty lines and those that begin with `#` say
  ///     nothing. Relative names are those of the working folder.
  /// - Throws: ``MediaError`` for a list that cannot be read and a folder without videos.
  static func expand(_ names: [String], list: String?) throws -> Inputs {
    var inputs = Inputs()
    for name in try names + (list.map(lines) ?? []) {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), isFolder.boolValue {
        try addVideos(in: name, to: &inputs)
      } else {
        inputs.names.append(name)
      }
    }
    if inputs.names.isEmpty, let first = inputs.refused.first {
      throw MediaError(.cannotOpen, FileNames.refusal, file: first)
    }
    return inputs
  }

  /// Adds the videos in a folder, not in its folders, in the order in which people count: 2 comes before 10.
  private static func addVideos(in folder: String, to inputs: inout Inputs) throws {
    let listing = try FileNames.list(folder)
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    let videos = listing.names.filter { isVideo($0) && isFile(prefix + $0) }
    // An ending is text, whatever comes before.
    let refused = listing.others.filter { isVideo(String(decoding: $0, as: UTF8.self)) }.map(FileNames.escaped)
    guard !videos.isEmpty || !refused.isEmpty else {
      throw MediaError(
        .cannotOpen, "the folder holds no video; its folders are not looked into, name them too", file: folder)
    }
    inputs.names += videos.sorted(by: naturallyBefore).map { prefix + $0 }
    inputs.refused += refused.sorted(by: naturallyBefore).map { prefix + $0 }
  }

  private static func isVideo(_ name: String) -> Bool {
    let ending = name.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
    return !name.hasPrefix(".") && name.contains(".") && videoEndings.contains(ending)
  }

  private static func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
  }

  /// Returns whether a name comes before another: numbers by their value, letters whatever their case; names that are
  /// the same then by their bytes.
  static func naturallyBefore(_ a: String, _ b: String) -> Bool {
    switch a.compare(b, options: [.numeric, .caseInsensitive]) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: a.utf8.lexicographicallyPrecedes(b.utf8)
    }
  }

  private static func lines(of list: String) throws -> [String] {
    let data = try list == "-" ? FileContents.readStandardInput() : FileContents.read(list)
    guard let text = FileNames.text(data) else {
      let lines = data.split(separator: UInt8(ascii: "\n"))
      let line = lines.first { FileNames.text($0) == nil }.map { FileNames.escaped(Array($0)) } ?? ""
      throw MediaError(.cannotOpen, "\(line): \(FileNames.refusal)", file: list)
    }
    let names = text.split(whereSeparator: \.isNewline).map(String.init)
      .filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
    guard !names.isEmpty else { throw MediaError(.cannotOpen, "the list names no file", file: list) }
    return names
  }
}
