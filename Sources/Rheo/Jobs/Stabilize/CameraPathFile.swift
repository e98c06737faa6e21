// Camera paths in files: the project's JSON, and vid.stab's text format.

import Foundation
import Imaging
import MotionDetection
import Registration
import VideoIO

/// The camera's motion through a whole video, as a file keeps it.
public struct CameraPath: Sendable, Hashable {
  /// The size of the frames.
  public var size: PixelSize
  /// The family that the motions were estimated in.
  public var model: TransformModel
  /// The motions in order, one for each frame.
  public var motions: [CameraMotion]
  /// A Boolean value that tells whether the motions' times are those of the frames, not made up from a frame rate.
  public var hasTimes = true
  /// The SHA-256 digests of the luma of the first frames, up to `frameDigestCount`, by which a video is told from
  /// another one with the same times; empty when they are unknown.
  public var frameDigests: [String] = []

  /// The maximum number of frames whose digests are kept.
  static let frameDigestCount = 10

  /// Returns the digest of a frame's luma; nil when this OpenSSL has no SHA-256.
  static func digest(of luma: Plane<Float>) -> String? { FileDigest(luma)?.text }

  /// Makes a path with the frames' own times.
  public init(size: PixelSize, model: TransformModel, motions: [CameraMotion]) {
    self.size = size
    self.model = model
    self.motions = motions
  }

  /// The formats, by the file's ending.
  private enum Format {
    case json, localMotions

    init(_ path: String) throws {
      let name = path.lowercased()
      if name.hasSuffix(".json") {
        self = .json
      } else if name.hasSuffix(".trf") {
        self = .localMotions
      } else {
        throw MediaError(.invalidOption, "transforms are kept as .json or .trf, not as '\(path)'")
      }
    }
  }

  /// Throws unless the file's ending names a format.
  public static func validate(path: String) throws { _ = try Format(path) }

  /// Reads `.json` (exact) or `.trf` (vid.stab: fields that moved by whole pixels, fitted by `model`; without size,
  /// times and cuts).
  /// - Parameters:
  ///   - path: The file; its ending tells the format.
  ///   - model: The family to fit where the file holds no maps.
  ///   - size: The size of the video's frames.
  ///   - frameRate: The frame rate of the video, where the file holds no times.
  /// - Throws: `MediaError` that names the file and what is wrong with it.
  public static func read(
    _ path: String, model: TransformModel, size: PixelSize, frameRate: Double = 25
  ) throws -> CameraPath {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch { throw MediaError(.cannotOpen, "cannot be read as text: \(error.localizedDescription)", file: path) }
    do {
      switch try Format(path) {
      case .json:
        let read = try CameraPathDocument.read(text)
        guard read.size == size else {
          throw MediaError(.cannotOpen, "holds motions of \(read.size) frames, but the video's are \(size)")
        }
        return read
      case .localMotions: return try LocalMotionFile.read(text, model: model, size: size, frameRate: frameRate)
      }
    } catch let error as MediaError {
      throw MediaError(error.code, error.message, file: path)
    } catch let error as DecodingError {
      let fault = (try? JSONOutline(Data(text.utf8)))?.fault(error, CameraPathDocument.fields).description
      throw MediaError(.cannotOpen, "is no list of transforms: \(fault ?? "no JSON")", file: path)
    }
  }

  /// Writes `.json` or `.trf`; the file appears when it is complete.
  /// - Parameters:
  ///   - path: The file; its ending tells the format.
  ///   - firstFrame: The number of the first frame in its video, for `.json`.
  ///   - step: The step from each frame to the next, for `.json`.
  /// - Throws: `MediaError`.
  public func write(_ path: String, firstFrame: Int = 0, step: Int = 1) throws {
    let text =
      try Format(path) == .json
      ? try CameraPathDocument.text(of: self, firstFrame: firstFrame, step: step) : LocalMotionFile.text(of: self)
    try OutputFile(path: path, overwrite: true).write(Data(text.utf8))
  }
}

/// The JSON form: everything, exactly.
private struct CameraPathDocument: Codable {
  struct Size: Codable {
    var width: Int
    var height: Int
  }

  struct Frame: Codable {
    var number: Int
    var seconds: Double
    var start: Bool
    var confidence: Double
    /// The map from this frame's pixels to those of the frame before, row by row.
    var warpTransform: [Double]
  }

  var version = 1
  var generator = "rheo \(RheoVersion.number)"
  var size: Size
  var model: String
  /// Absent from files of older programs.
  var frameDigests: [String]?
  var frames: [Frame]

  static func text(of path: CameraPath, firstFrame: Int, step: Int) throws -> String {
    let document = CameraPathDocument(
      size: Size(width: path.size.width, height: path.size.height), model: path.model.name,
      frameDigests: path.frameDigests.isEmpty ? nil : path.frameDigests,
      frames: path.motions.enumerated().map { index, motion in
        Frame(
          number: firstFrame + step * index, seconds: motion.seconds, start: motion.startsPath,
          confidence: motion.confidence, warpTransform: motion.warpTransform.elements)
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let digests = try document.frameDigests.map {
      "\"frameDigests\": \(String(decoding: try encoder.encode($0), as: UTF8.self)), "
    }
    // A frame a line: easy to read, to compare and to cut.
    let frames = try document.frames.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    return """
      {"version": 1, "generator": "\(document.generator)", "size": {"width": \(document.size.width), "height": \
      \(document.size.height)}, "model": "\(document.model)", \(digests ?? "")"frames": [
      \(frames.joined(separator: ",\n"))
      ]}

      """
  }

  /// The fields with their allowed values, for messages.
  static let fields: JSONOutline.Fields = {
    let size = JSONOutline.Fields([.init("width", "a whole number"), .init("height", "a whole number")])
    let frame = JSONOutline.Fields([
      .init("number", "a whole number"), .init("seconds", "a number"), .init("start", "true, false"),
      .init("confidence", "0…1"), .init("warpTransform", "a list of nine numbers"),
    ])
    return JSONOutline.Fields([
      .init("version", "1"), .init("generator", "a text"), .init("size", "an object with width, height", size),
      .init("model", "a text"), .init("frameDigests", "a list of texts"), .init("frames", "a list of frames", frame),
    ])
  }()

  static func read(_ text: String) throws -> CameraPath {
    let document = try JSONDecoder().decode(CameraPathDocument.self, from: Data(text.utf8))
    guard document.version == 1 else {
      throw MediaError(.cannotOpen, "has version \(document.version); this program knows 1")
    }
    guard let model = TransformModel.allCases.first(where: { $0.name == document.model }) else {
      throw MediaError(.cannotOpen, "names the model '\(document.model)', which is none")
    }
    let motions = try document.frames.map { frame in
      guard frame.warpTransform.count == 9, frame.warpTransform.allSatisfy(\.isFinite),
        Homography(frame.warpTransform).inverse != nil
      else { throw MediaError(.cannotOpen, "frame \(frame.number): warpTransform is no invertible 3×3 matrix") }
      guard (0...1).contains(frame.confidence) else {
        throw MediaError(.cannotOpen, "frame \(frame.number): confidence is 0…1, not \(frame.confidence)")
      }
      return CameraMotion(
        seconds: frame.seconds, warpTransform: Homography(frame.warpTransform), startsPath: frame.start,
        confidence: frame.confidence)
    }
    var path = CameraPath(
      size: PixelSize(width: document.size.width, height: document.size.height), model: model, motions: motions)
    path.frameDigests = document.frameDigests ?? []
    guard path.frameDigests.count <= min(CameraPath.frameDigestCount, motions.count) else {
      throw MediaError(.cannotOpen, "has \(path.frameDigests.count) frameDigests for \(motions.count) frames")
    }
    return path
  }
}

/// vid.stab's text format, version 1: after a line `VID.STAB 1` and comments, for each frame
/// `Frame n (List k [(LM dx dy x y size contrast match),…])`, n from 1: what lies at (x, y) of frame n lay at
/// (x + dx, y + dy) of frame n − 1; all whole numbers but the last two. (Found out with vidstabdetect and
/// vidstabtransform of libvidstab 1.1.)
///
/// It has no global motions, so that writing one makes a grid of fields, and reading fits one to the fields:
/// translations and turns come back to some hundredths of a pixel, perspective hardly. Sizes, times and cuts are not in
/// it.
private enum LocalMotionFile {
  private static let header = "VID.STAB 1"
  /// The numbers of fields a row and of rows of fields that are written.
  private static let (columns, rows) = (16, 12)

  static func text(of path: CameraPath) -> String {
    var lines = [header, "# generator = rheo \(RheoVersion.number)"]
    let side = max(16, min(path.size.width, path.size.height) / 10 / 16 * 16)
    for (number, motion) in path.motions.enumerated() {
      let isKnown = !motion.startsPath
      let fields =
        isKnown ? motion.warpTransform.localMotions(columns: columns, rows: rows, size: path.size) : []
      let entries = fields.map { field in
        let numbers = [field.dx, field.dy, field.x, field.y].map { "\(Int(saturating: $0))" }
        return "(LM \(numbers.joined(separator: " ")) \(side) 1.000000 0.000000)"
      }
      lines.append("Frame \(number + 1) (List \(fields.count) [\(entries.joined(separator: ","))])")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func read(
    _ text: String, model: TransformModel, size: PixelSize, frameRate: Double
  ) throws -> CameraPath {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.first == Substring(header) else {
      let reason = text.hasPrefix("TRF") ? "; a binary file is not read" : ""
      throw MediaError(.cannotOpen, "does not begin with '\(header)'\(reason)")
    }
    var motions: [CameraMotion] = []
    for line in lines.dropFirst() where !line.hasPrefix("#") {
      let expected = motions.count + 1
      guard line.hasPrefix("Frame \(expected) (List "), line.hasSuffix("])") else {
        throw MediaError(.cannotOpen, "frame \(expected) is missing or damaged: '\(line.prefix(40))'")
      }
      let fields = try line.split(separator: "(").filter { $0.hasPrefix("LM ") }.map { try field($0, expected) }
      let map = model.fitted(to: fields, size: size)
      motions.append(
        CameraMotion(
          seconds: Double(expected - 1) / frameRate, warpTransform: map ?? .identity, startsPath: expected == 1,
          confidence: map == nil ? 0 : 1))
    }
    guard !motions.isEmpty else { throw MediaError(.cannotOpen, "holds no frame") }
    var path = CameraPath(size: size, model: model, motions: motions)
    path.hasTimes = false
    return path
  }

  private static func field(_ text: Substring, _ frame: Int) throws -> LocalMotion {
    let words = text.dropFirst(3).prefix { $0 != ")" }.split(separator: " ")
    let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
    guard words.count == 7, numbers.count == 7 else {
      throw MediaError(.cannotOpen, "frame \(frame): '\(text.prefix(40))' is no local motion")
    }
    return LocalMotion(x: numbers[2], y: numbers[3], dx: numbers[0], dy: numbers[1])
  }
}
