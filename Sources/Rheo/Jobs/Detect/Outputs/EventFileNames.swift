// Names of the files of events.

import Foundation
import VideoIO

/// Names files `STEM-event-0001.png` in a folder, and makes the folder.
struct EventFileNames: Sendable {
  let folder: String
  let stem: String
  let overwrites: Bool

  /// - Throws: ``MediaError`` when the folder cannot be made or written to, or holds files of an earlier run that must
  ///   not be replaced: better now than at the first event.
  init(folder: String, stem: String, overwrites: Bool) throws {
    self.folder = folder
    self.stem = stem
    self.overwrites = overwrites
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      var isFolder: ObjCBool = false
      let isFile = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && !isFolder.boolValue
      let reason = isFile ? "there is a file of this name" : error.localizedDescription
      throw MediaError(.cannotWrite, "the folder cannot be made: \(reason)", file: folder)
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw MediaError(
        .cannotWrite, "the folder cannot be written to: \(String(cString: strerror(errno)))", file: folder)
    }
  }

  /// - Throws: ``MediaError`` `outputExists` when the folder holds such files of an earlier run and they must not be
  ///   replaced.
  func refuseExisting(endings: Set<String>) throws {
    guard !overwrites, let first = try Self.existing(in: folder, stems: [stem], endings: endings).min() else { return }
    throw MediaError(
      .outputExists, "is there already, from an earlier run; --overwrite replaces it",
      file: URL(fileURLWithPath: folder).appendingPathComponent(first).relativePath)
  }

  /// Returns the names in a folder that files of events may have.
  static func existing(in folder: String, stems: Set<String>, endings: Set<String>) throws -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw MediaError(.cannotWrite, "the folder cannot be read: \(error.localizedDescription)", file: folder)
    }
    return names.filter { name in
      guard let range = name.ranges(of: mark).last, stems.contains(String(name[..<range.lowerBound])) else {
        return false
      }
      let parts = name[range.upperBound...].split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].allSatisfy { "0123456789".contains($0) } && endings.contains(String(parts[1]))
    }
  }

  /// The part of a name between the stem and the number.
  private static let mark = "-event-"

  func path(event: Int, ending: String) -> String {
    let digits = String(event)
    let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return (folder.hasSuffix("/") ? folder : folder + "/") + "\(stem)\(Self.mark)\(number).\(ending)"
  }
}

extension EventOutputs {
  /// Checks that the files of events would not replace what is protected (``OutputFile/protect(_:)``), before work
  /// begins.
  /// - Parameter stems: The beginnings of the file names of all inputs.
  /// - Throws: ``MediaError`` `invalidOption` that names the file.
  package func requireUnprotected(stems: [String]) throws {
    // Which of the two a clip gets is known when its input is open. Other containers are refused when a clip begins.
    let clipEndings: Set<String> = clipMode == .encode && encoding.format != nil ? [] : ["mp4", "mkv"]
    let outputs: [(String?, Set<String>)] = [(snapshotFolder, ["png"]), (clipFolder, clipEndings)]
    for (folder, endings) in outputs {
      var isFolder: ObjCBool = false
      guard let folder, FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
      else { continue }
      let prefix = folder.hasSuffix("/") ? folder : folder + "/"
      for name in try EventFileNames.existing(in: folder, stems: Set(stems), endings: endings) {
        try OutputFile.requireDifferent(prefix + name, from: [])
      }
    }
  }

  /// Returns the name of an input without folder and ending, fit for a file's name.
  static func stem(of input: String) -> String {
    guard input != "-" else { return "stdin" }
    let isAddress = input.contains("://")
    var name = MediaAddress(input).description.split(separator: "/").last.map(String.init) ?? "input"
    if isAddress {
      if let query = name.firstIndex(of: "?") { name = String(name[..<query]) }
      name = name.replacing("***@", with: "").replacing("*", with: "_")
    }
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    return name.replacing(":", with: "_").replacing("%", with: "_")
  }

  /// Returns a stem for each of several inputs; those that are the same get `-2`, `-3`, …
  public static func stems(of inputs: [String]) -> [String] {
    var used: Set<String> = []
    return inputs.map { input in
      let stem = stem(of: input)
      var name = stem
      var number = 2
      while !used.insert(name).inserted {
        name = "\(stem)-\(number)"
        number += 1
      }
      return name
    }
  }
}
