// The manifest: what was exported, how, and the times of all frames. Its head is the journal's first line with a field a
// line, its pairs are the journal's lines, so that it takes no memory and comes out the same however often the work was
// interrupted.

import Foundation
import VideoIO

struct ExportManifest {
  /// The description of the export: all that decides the bytes of the output.
  let head: JSONText

  private static let pairIndent = "    "
  private static let completeKey = "  \"complete\": "
  private static let gapsKey = "  \"gaps\": "

  /// The head's fields as they stand in the manifest.
  private var headText: String { String(head.pretty(depth: 1).dropLast(2)) }

  /// Writes the manifest out of a journal. It appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - isComplete: True when these are all pairs of the range.
  ///   - gaps: The damaged places of the input.
  ///   - notes: The notes on all else that is to be known, one line each.
  /// - Throws: `MediaError` `cannotWrite`.
  func write(to path: String, journal: String, isComplete: Bool, gaps: [MediaGap], notes: [String]) throws {
    let temporary = path + ".partial"
    guard let file = fopen(temporary, "we") else { throw Self.failure(path) }
    defer { unlink(temporary) }
    var isWritten = true
    func put(_ text: String) { if fputs(text, file) < 0 { isWritten = false } }
    put(headText + ",\n" + Self.completeKey + "\(isComplete),\n")
    put(Self.gapsKey + JSONText.array(gaps.map(Self.json)).line + ",\n")
    put("  \"notes\": " + JSONText.array(notes.map(JSONText.string)).line + ",\n  \"pairs\": [")
    let lines = try TextLines(path: journal)
    _ = lines.next()
    var separator = "\n"
    while let line = lines.next() {
      put(separator + Self.pairIndent + line.text)
      separator = ",\n"
    }
    put("\n  ]\n}\n")
    if fclose(file) != 0 { isWritten = false }
    guard isWritten, rename(temporary, path) == 0 else { throw Self.failure(path) }
  }

  /// The contents of a manifest.
  struct Contents {
    /// The head as text.
    var head: String
    var isComplete = false
    var gaps: [MediaGap] = []
    /// The lines of the pairs.
    var pairs: [String] = []
  }

  /// Reads a manifest, for an export that is to be checked or completed.
  /// - Throws: `MediaError` `cannotOpen` when the file is none of this program's manifests.
  static func read(_ path: String) throws -> Contents {
    let lines = try TextLines(path: path)
    var head: [String] = []
    var contents = Contents(head: "")
    var isHead = true
    while let line = lines.next()?.text {
      if line.hasPrefix(completeKey) {
        isHead = false
        contents.isComplete = line.contains("true")
      } else if isHead {
        head.append(line)
      } else if line.hasPrefix(gapsKey) {
        contents.gaps = try self.gaps(value(line, gapsKey), path)
      } else if line.hasPrefix(pairIndent + "{") {
        contents.pairs.append(value(line, pairIndent))
      }
    }
    guard !isHead, let last = head.popLast() else { throw unreadable(path) }
    head.append(value(last, ""))
    contents.head = head.joined(separator: "\n") + "\n}"
    return contents
  }

  /// Returns a line without what stands before its value, and without a comma at its end.
  private static func value(_ line: String, _ prefix: String) -> String {
    let rest = line.dropFirst(prefix.count)
    return String(rest.hasSuffix(",") ? rest.dropLast() : rest)
  }

  private static func gaps(_ text: String, _ path: String) throws -> [MediaGap] {
    struct Gap: Decodable {
      var seconds: Double?
      var frame: Int
      var reason: String
    }
    do {
      return try JSONDecoder().decode([Gap].self, from: Data(text.utf8)).map {
        MediaGap(seconds: $0.seconds, frameNumber: $0.frame, reason: $0.reason)
      }
    } catch {
      throw unreadable(path)
    }
  }

  private static func unreadable(_ path: String) -> MediaError {
    MediaError(.cannotOpen, "is no manifest of an export", file: path)
  }

  private static func json(_ gap: MediaGap) -> JSONText {
    .object([
      ("seconds", .optional(gap.seconds, JSONText.number)), ("frame", .integer(gap.frameNumber)),
      ("reason", .string(gap.reason)),
    ])
  }

  private static func failure(_ path: String) -> MediaError {
    MediaError(.cannotWrite, "cannot be written: \(String(cString: strerror(errno)))", file: path)
  }

  // MARK: Comparison

  /// Returns what differs between this head and the one in `text`, as in `accuracy was medium, is high`; nil when
  /// nothing does.
  func difference(from text: String) -> String? {
    let (mine, theirs) = (Self.leaves(Data(head.line.utf8)), Self.leaves(Data(text.utf8)))
    guard let mine, let theirs else { return "it cannot be read" }
    let changes = Set(mine.keys).union(theirs.keys).sorted().filter { mine[$0] != theirs[$0] }
    guard !changes.isEmpty else { return nil }
    return changes.map { "\($0) was \(theirs[$0] ?? "absent"), is \(mine[$0] ?? "absent")" }.joined(separator: "; ")
  }

  /// Returns all values of an object by their paths, as text.
  private static func leaves(_ data: Data) -> [String: String]? {
    guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return nil }
    var result: [String: String] = [:]
    func visit(_ value: Any, _ path: String) {
      if let object = value as? [String: Any] {
        for (key, value) in object { visit(value, path.isEmpty ? key : "\(path).\(key)") }
      } else {
        result[path] = value is NSNull ? "none" : "\(value)"
      }
    }
    visit(root, "")
    return result
  }
}
