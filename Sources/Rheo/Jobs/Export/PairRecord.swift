// The record of a pair of frames in an export: a line of its journal, and of its manifest.

import Foundation
import Imaging
import VideoIO

/// A pair that is written.
struct PairRecord: Decodable, Equatable {
  /// The range of all that is counted: sums of a few of them do not overflow.
  static let countRange = 0...1 << 48

  /// A frame as the input has it.
  struct Frame: Decodable, Equatable, Sendable {
    /// The index among all frames of the stream, from 0.
    var frame: Int
    /// The presentation time in units of `timeBase`.
    var ticks: Int64
    var timeBase: String
    /// The presentation time in seconds, for people.
    var seconds: Double

    private enum CodingKeys: String, CodingKey { case frame, ticks, timeBase, seconds }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      frame = try fields.decodeCount(forKey: .frame)
      ticks = try fields.decode(Int64.self, forKey: .ticks)
      timeBase = try fields.decode(String.self, forKey: .timeBase)
      seconds = try fields.decode(Double.self, forKey: .seconds)
    }

    init(_ frame: VideoFrame) {
      self.frame = frame.number
      ticks = frame.presentationTime.value
      timeBase = frame.presentationTime.timeBase.description
      seconds = frame.presentationTime.seconds
    }

    var json: JSONText {
      .object([
        ("frame", .integer(frame)), ("ticks", .integer(Int(ticks))), ("timeBase", .string(timeBase)),
        ("seconds", .number(seconds)),
      ])
    }
  }

  /// A file, or the part of a stack, that holds something of the pair.
  struct Part: Decodable, Equatable {
    var name: String
    /// The quantity in the file: `forward flow`, `backward flow`, `confidence` or `confidence of the backward flow`.
    var holds: String
    /// The offset in the file, in bytes; nil when the file is of this pair alone.
    var offset: Int?
    var bytes: Int
    /// The SHA-256 digest of these bytes, as `sha256sum` prints it.
    var sha256: String

    private enum CodingKeys: String, CodingKey { case name, holds, offset, bytes, sha256 }

    init(name: String, holds: String, offset: Int?, bytes: Int, sha256: String) {
      (self.name, self.holds, self.offset, self.bytes, self.sha256) = (name, holds, offset, bytes, sha256)
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      name = try fields.decode(String.self, forKey: .name)
      holds = try fields.decode(String.self, forKey: .holds)
      let isPart = try fields.decodeIfPresent(Int.self, forKey: .offset) != nil
      offset = isPart ? try fields.decodeCount(forKey: .offset) : nil
      bytes = try fields.decodeCount(forKey: .bytes)
      sha256 = try fields.decode(String.self, forKey: .sha256)
      // A merge writes files of these names into its own folder.
      guard !["", ".", ".."].contains(name), !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
        throw DecodingError.dataCorruptedError(
          forKey: .name, in: fields, debugDescription: "the name of a file is that of no file")
      }
    }

    var json: JSONText {
      .object(
        [("name", .string(name)), ("holds", .string(holds))] + (offset.map { [("offset", .integer($0))] } ?? [])
          + [("bytes", .integer(bytes)), ("sha256", .string(sha256))])
    }
  }

  /// The number of the pair: that of its first frame, counted from 1.
  var number: Int
  var previous: Frame
  var current: Frame
  /// The camera's motion that was taken out of the flow: nine elements row by row, from pixels of the current frame to
  /// pixels of the previous one; nil when nothing was to be taken out.
  var cameraMotion: [Double]?
  var files: [Part]
  /// The number of known vectors that the format cannot hold; the nearest that it can is written.
  var clamped: Int
  /// The number of unknown vectors that the format cannot tell from zero motion.
  var lostUnknown: Int

  /// The record as one line, without its end.
  var line: String {
    JSONText.object(
      [("number", .integer(number)), ("previous", previous.json), ("current", current.json)]
        + (cameraMotion.map { [("cameraMotion", .array($0.map(JSONText.number)))] } ?? [])
        + [
          ("files", .array(files.map(\.json))), ("clamped", .integer(clamped)), ("lostUnknown", .integer(lostUnknown)),
        ]
    ).line
  }

  private enum CodingKeys: String, CodingKey {
    case number, previous, current, cameraMotion, files, clamped, lostUnknown
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    number = try fields.decodeCount(forKey: .number)
    previous = try fields.decode(Frame.self, forKey: .previous)
    current = try fields.decode(Frame.self, forKey: .current)
    cameraMotion = try fields.decodeIfPresent([Double].self, forKey: .cameraMotion)
    files = try fields.decode([Part].self, forKey: .files)
    clamped = try fields.decodeCount(forKey: .clamped)
    lostUnknown = try fields.decodeCount(forKey: .lostUnknown)
  }

  init(_ pair: ExportedPair, written: WrittenPair) {
    number = pair.number
    previous = pair.previous
    current = pair.current
    cameraMotion = pair.cameraMotion?.elements
    files = written.files
    clamped = written.clamped
    lostUnknown = written.lostUnknown
  }

  /// Reads a record from a line; nil when the text is no such line, as after a write that was cut short.
  init?(line: String) {
    guard let record = try? JSONDecoder().decode(PairRecord.self, from: Data(line.utf8)) else { return nil }
    self = record
  }
}

extension KeyedDecodingContainer {
  /// Decodes a number that counts something: frames, pairs, bytes. Manifests and journals may be anybody's.
  func decodeCount(forKey key: Key) throws -> Int {
    let count = try decode(Int.self, forKey: key)
    guard PairRecord.countRange.contains(count) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\(key.stringValue) is 0…2⁴⁸, not \(count)")
    }
    return count
  }
}

/// The report of a store on a pair that it has written.
struct WrittenPair {
  var files: [PairRecord.Part] = []
  var clamped = 0
  var lostUnknown = 0
}
