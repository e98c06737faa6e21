// The manifest: what was exported, how, and the times of all frames. Its head is the journal's first line with a field
// a line, its pairs are the journal's lines, so that it takes no memory and comes out the same however often the work
// was interrupted.

import Foundation
import VideoIO

struct ExportManifest {
  /// The description of the export: all that decides the bytes of the output.
  let head: JSONText

  /// The version of the manifest: since 2 there are digests by SHA-256, and pairs have the numbers of their frames.
  static let version = 2

  /// The head's fields as they stand in the manifest.
  private let headText: String

  /// Makes a manifest of an export that begins.
  init(head: JSONText) { self.init(head: head, text: String(head.pretty(depth: 1).dropLast(2))) }

  /// Takes a head that was read, whose fields have lost their order.
  /// - Parameter text: The fields as they stood in the file.
  init(head: JSONText, text: String) {
    self.head = head
    headText = text
  }

  /// Writes the manifest out of a journal. It appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - overwrites: True when a file of that name may be replaced.
  ///   - isComplete: True when these are all pairs of the range.
  ///   - gaps: The gaps of the input.
  ///   - notes: The notes on all else that is to be known, one line each.
  /// - Throws: `MediaError` `cannotWrite`.
  func write(
    to path: String, overwrites: Bool, journal: String, isComplete: Bool, gaps: [MediaGap], notes: [String]
  ) throws {
    let file = try OutputFile(path: path, overwrite: overwrites)
    var buffer = Data()
    func put(_ text: String) throws {
      buffer.append(contentsOf: text.utf8)
      if buffer.count >= Self.bufferSize { try flush() }
    }
    func flush() throws {
      try buffer.withUnsafeBytes(file.append)
      buffer.removeAll(keepingCapacity: true)
    }
    try put(headText + ",\n  \"complete\": \(isComplete),\n")
    try put("  \"gaps\": " + JSONText.array(gaps.map(Self.json)).line + ",\n")
    try put("  \"notes\": " + JSONText.array(notes.map(JSONText.string)).line + ",\n  \"pairs\": [")
    let lines = try TextLines(path: journal)
    _ = lines.next()
    var separator = "\n"
    while let line = lines.next() {
      try put(separator + "    " + line.text)
      separator = ",\n"
    }
    try put("\n  ]\n}\n")
    try flush()
    try file.commit()
  }

  /// The number of bytes that are written at a time.
  private static let bufferSize = 1 << 16

  /// The contents of a manifest.
  struct Contents: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
      case complete, gaps, notes, pairs
    }

    private struct Gap: Decodable {
      var seconds: Double?
      var frame: Int
      var reason: String

      private enum CodingKeys: String, CodingKey { case seconds, frame, reason }

      init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        seconds = try fields.decodeIfPresent(Double.self, forKey: .seconds)
        frame = try fields.decodeCount(forKey: .frame)
        reason = try fields.decode(String.self, forKey: .reason)
      }
    }

    /// The description of the export.
    let head: JSONText
    let isComplete: Bool
    let gaps: [MediaGap]
    let notes: [String]
    let pairs: [PairRecord]

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: JSONText.Key.self)
      head = .object(
        try fields.allKeys.filter { CodingKeys(rawValue: $0.stringValue) == nil }.map {
          ($0.stringValue, try fields.decode(JSONText.self, forKey: $0))
        })
      let own = try decoder.container(keyedBy: CodingKeys.self)
      isComplete = try own.decode(Bool.self, forKey: .complete)
      gaps = try own.decode([Gap].self, forKey: .gaps).map {
        MediaGap(seconds: $0.seconds, frameNumber: $0.frame, reason: $0.reason)
      }
      notes = try own.decode([String].self, forKey: .notes)
      // Pairs of another version may hold other things; it is refused for its head.
      let isKnown = head.leaves["version"] == "\(ExportManifest.version)"
      pairs = isKnown ? try own.decode([PairRecord].self, forKey: .pairs) : []
    }
  }

  /// Reads a manifest, for an export that is to be checked or completed.
  /// - Throws: `MediaError` `cannotOpen` when the file is none of this program's manifests.
  static func read(_ path: String) throws -> Contents {
    do {
      return try JSONDecoder().decode(Contents.self, from: FileContents.read(path))
    } catch let error as DecodingError {
      throw MediaError(.cannotOpen, "is no manifest of an export: \(error.reason)", file: path)
    }
  }

  private static func json(_ gap: MediaGap) -> JSONText {
    .object([
      ("seconds", .optional(gap.seconds, JSONText.number)), ("frame", .integer(gap.frameNumber)),
      ("reason", .string(gap.reason)),
    ])
  }

  // MARK: Comparison

  /// Returns the difference between this head and another one, as in
  /// `was made differently: accuracy was medium, is high`; nil when there is none.
  func difference(from other: JSONText) -> String? {
    let (mine, theirs) = (head.leaves, other.leaves)
    if let version = theirs["version"], version != mine["version"] {
      return "was made by another rheo (manifest version \(version), not \(Self.version)), and cannot be continued"
    }
    let changes = Set(mine.keys).union(theirs.keys).sorted().filter { mine[$0] != theirs[$0] }
    guard !changes.isEmpty else { return nil }
    let list = changes.map { "\($0) was \(theirs[$0] ?? "absent"), is \(mine[$0] ?? "absent")" }
    return "was made differently: " + list.joined(separator: "; ")
  }
}
