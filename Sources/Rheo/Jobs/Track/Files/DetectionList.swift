// Detections of another program, in the text format of MOT Challenge.

import Foundation
import Imaging
import ObjectTracking
import VideoIO

/// Boxes around what another program found in each frame of a video.
public struct DetectionList: Sendable, Hashable {
  /// The detections by the numbers of the video's frames, from 0; in the order of the file.
  public var detections: [Int: [DetectedBox]]

  /// The maximum size of a file, in bytes.
  public static let maximumByteCount = 256 << 20
  /// The maximum length of a line, in bytes.
  public static let maximumLineLength = 1000
  /// The maximum number of boxes in one frame: where all of them overlap, the time grows with its cube.
  public static let maximumBoxCount = 1000
  /// The numbers that a frame may have, from 1 as in the file.
  public static let frameRange = 1...1_000_000_000
  /// The maximum distance of a box from the image's corner, and its maximum side, in pixels.
  public static let coordinateLimit = 1e6
  /// The numbers of fields that a line may have.
  private static let fieldCounts = 6...20

  /// Makes a list of detections by the numbers of the video's frames, from 0.
  public init(detections: [Int: [DetectedBox]] = [:]) { self.detections = detections }

  /// The shares of the detections that are less sure than the bounds between which ``middleConfidence`` lies, and how
  /// far it is from the lower to the upper one.
  private static let (lowerShare, upperShare, middle) = (0.05, 0.95, 0.4)

  /// The confidence from which on a detection is among the surer ones, whatever scale their program has; nil when there
  /// are none.
  public var middleConfidence: Double? {
    let confidences = detections.values.flatMap { $0.map(\.confidence) }.sorted()
    guard !confidences.isEmpty else { return nil }
    func quantile(_ share: Double) -> Double { confidences[Int(share * Double(confidences.count - 1))] }
    let (lower, upper) = (quantile(Self.lowerShare), quantile(Self.upperShare))
    return lower + Self.middle * (upper - lower)
  }

  /// Reads a file, see ``init(mot:)``.
  /// - Throws: `MediaError` `cannotOpen` with the file's name, and the line and its fault.
  public init(path: String) throws {
    do {
      try self.init(mot: try FileContents.read(path, limit: Self.maximumByteCount))
    } catch let error as MediaError {
      throw MediaError(.cannotOpen, error.message, file: path)
    }
  }

  /// Reads lines `frame,id,left,top,width,height[,confidence,…]` of MOT Challenge, which counts frames and pixels from
  /// 1.
  ///
  /// Identities do not matter. A confidence of exactly 0 marks what does not count, as in the truth of MOT Challenge:
  /// such lines are left out. So are empty lines. There is no order of the lines.
  /// - Throws: `MediaError` `cannotOpen` with the number of the first line that is too long, that has too few or too
  ///   many fields, a field that is no finite number, a frame below 1, a box that is empty or farther than
  ///   ``coordinateLimit``, or one box more than ``maximumBoxCount`` in its frame.
  public init(mot data: Data) throws {
    detections = [:]
    // Lines end with LF or CR LF; the last one needs no end.
    for (index, line) in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      do {
        guard let (frame, detection) = try Self.detection(line) else { continue }
        guard detections[frame - 1, default: []].count < Self.maximumBoxCount else {
          throw Fault("frame \(frame) has more than \(Self.maximumBoxCount) boxes")
        }
        detections[frame - 1, default: []].append(detection)
      } catch let fault as Fault {
        throw MediaError(.cannotOpen, "line \(index + 1): \(fault.text)")
      }
    }
  }

  /// A fault of a line.
  private struct Fault: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  /// Returns the detection of a line; nil for one that does not count.
  private static func detection(_ line: Data) throws -> (frame: Int, detection: DetectedBox)? {
    guard line.count <= maximumLineLength else {
      throw Fault("\(line.count) bytes are too many for a line; \(maximumLineLength) is the most")
    }
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces.union(.newlines))
    guard !text.isEmpty else { return nil }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fieldCounts.contains(fields.count) else {
      throw Fault("\(fields.count) fields; a line is frame,id,left,top,width,height,confidence,…")
    }
    // Beyond the confidence there are classes, positions in the world and the like.
    let numbers = try fields.prefix(7).map(number)
    guard let frame = Int(exactly: numbers[0]), frameRange.contains(frame) else {
      throw Fault("frame \(shown(fields[0])): frames are whole numbers from 1")
    }
    if numbers.count > 6, numbers[6] == 0 { return nil }
    let box = BoundingBox(x: numbers[2] - 1, y: numbers[3] - 1, width: numbers[4], height: numbers[5])
    guard !box.isEmpty, numbers[2...5].allSatisfy({ abs($0) <= coordinateLimit }) else {
      let sides = fields[2...5].map(shown)
      throw Fault("a box of \(sides[2]) × \(sides[3]) pixels at \(sides[0]), \(sides[1])")
    }
    return (frame, DetectedBox(box: box, confidence: numbers.count > 6 ? numbers[6] : 1))
  }

  private static func number(_ field: Substring) throws -> Double {
    let word = field.trimmingCharacters(in: .whitespaces)
    // `Double` alone would also take 0x10, inf and nan.
    guard !word.isEmpty, word.utf8.allSatisfy(characters.contains), let value = Double(word), value.isFinite else {
      throw Fault("'\(shown(field))' is no number")
    }
    return value
  }

  private static let characters = Set("0123456789+-.eE".utf8)

  /// Returns a field as messages show it: not too long, and without what steers a terminal.
  private static func shown(_ field: Substring) -> String {
    String(String.UnicodeScalarView(field.prefix(20).unicodeScalars.filter { !$0.isSteering }))
  }
}
