// What an export remembers of a pair of frames: a line of its journal, and of its manifest.

import Foundation
import Imaging
import VideoIO

/// A pair that is written.
struct PairRecord: Decodable, Equatable {
  /// A frame as the input has it.
  struct Frame: Decodable, Equatable, Sendable {
    /// Position among the frames that were used, from 0.
    var frame: Int
    /// Presentation time in `timeBase`.
    var ticks: Int64
    var timeBase: String
    /// The same time, for people.
    var seconds: Double

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
    /// `forward flow`, `backward flow` or `confidence`.
    var holds: String
    /// Where in the file, in bytes; nil when the file is of this pair alone.
    var offset: Int?
    var bytes: Int
    var checksum: String

    var json: JSONText {
      .object(
        [("name", .string(name)), ("holds", .string(holds))] + (offset.map { [("offset", .integer($0))] } ?? [])
          + [("bytes", .integer(bytes)), ("checksum", .string(checksum))])
    }
  }

  /// From 1.
  var number: Int
  var previous: Frame
  var current: Frame
  /// The camera's motion that was taken out of the flow: nine elements row by row, from pixels of the current frame to
  /// pixels of the previous one; nil when nothing was to be taken out.
  var cameraMotion: [Double]?
  var files: [Part]
  /// Known vectors that the format cannot hold; the nearest that it can is written.
  var clamped: Int
  /// Unknown vectors that the format cannot tell from zero motion.
  var lostUnknown: Int

  /// One line, without its end.
  var line: String {
    JSONText.object(
      [("number", .integer(number)), ("previous", previous.json), ("current", current.json)]
        + (cameraMotion.map { [("cameraMotion", .array($0.map(JSONText.number)))] } ?? [])
        + [
          ("files", .array(files.map(\.json))), ("clamped", .integer(clamped)), ("lostUnknown", .integer(lostUnknown)),
        ]
    ).line
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

  /// Nil when the text is no such line, as after a write that was cut short.
  init?(line: String) {
    guard let record = try? JSONDecoder().decode(PairRecord.self, from: Data(line.utf8)) else { return nil }
    self = record
  }
}

/// What a store says about a pair it has written.
struct WrittenPair {
  var files: [PairRecord.Part] = []
  var clamped = 0
  var lostUnknown = 0
}
