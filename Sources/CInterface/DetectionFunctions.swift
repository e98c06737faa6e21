// rheo_detector: the events of motion in frames with times.

import CRheo
import Imaging
import MotionDetection
import Registration

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private struct DetectionOptions: Options {
  var zones: RawObject?
  var compensate: String?
  var threshold: Double?
  var hysteresis: Double?
  var minimumDuration: Double?
  var mergeGap: Double?
  var before: Double?
  var after: Double?
  var maximumDuration: Double?
  var presenceLimit: Double?
  var lightShare: Double?
  var statistics: Bool?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case zones, compensate, threshold, hysteresis, minimumDuration, mergeGap, before, after, maximumDuration,
      presenceLimit, lightShare, statistics, threads

    var kind: OptionKind {
      switch self {
      case .zones: .zones
      case .compensate: .text
      case .statistics: .flag
      case .threads: .whole
      default: .number
      }
    }
  }

  func options() throws -> MotionDetector.Options {
    var events = EventParameters()
    events.threshold = threshold ?? events.threshold
    events.hysteresis = hysteresis ?? events.hysteresis
    events.minimumDuration = minimumDuration ?? events.minimumDuration
    events.mergeGap = mergeGap ?? events.mergeGap
    events.before = before ?? events.before
    events.after = after ?? events.after
    events.maximumDuration = maximumDuration
    events.presenceLimit = presenceLimit ?? events.presenceLimit
    events.lightShare = lightShare ?? events.lightShare
    let camera: TransformModel =
      try choice(
        compensate, "compensate", ["none": .identity, "translation": .translation, "homography": .homography])
      ?? .homography
    return MotionDetector.Options(
      zones: try zones.map(Self.zoneSet) ?? .everywhere, events: events, compensation: camera,
      parallelism: try CInterface.parallelism(threads))
  }

  /// Reads the contents of a zones file. Of a text on one line its number tells nothing.
  private static func zoneSet(_ zones: RawObject) throws -> ZoneSet {
    do {
      return try ZoneSet(json: zones.text)
    } catch let error as MotionDetectionError {
      let isOneLine = !zones.text.contains(UInt8(ascii: "\n"))
      throw InvalidArgument("zones: \(isOneLine ? error.message.replacing("line 1: ", with: "") : error.message)")
    }
  }
}

extension rheo_time {
  /// The time, checked.
  func checked() throws -> MediaTime {
    let base = Rational(numerator, denominator)
    guard base.isPositive else { throw InvalidArgument("a time base of \(numerator)/\(denominator): both are above 0") }
    return MediaTime(value: value, timeBase: base)
  }
}

/// Times that have to rise.
struct RisingTimes {
  private var last: MediaTime?

  /// - Throws: ``InvalidArgument`` for a time that is not later than the one before.
  mutating func check(_ time: MediaTime) throws {
    if let last, !(last < time) {
      throw InvalidArgument("a frame at \(time.seconds) s after one at \(last.seconds) s: times rise")
    }
    last = time
  }
}

/// Returns whether video stores colour differences of a size beside a luma: 4:4:4, 4:2:2, 4:2:0, 4:1:1, 4:1:0.
private func isChrominance(_ size: PixelSize, of luma: PixelSize) -> Bool {
  [(size.width, luma.width), (size.height, luma.height)].allSatisfy { part, whole in
    [1, 2, 4].contains { part == whole / $0 || part == (whole + $0 - 1) / $0 }
  }
}

/// The object behind rheo_detector.
private final class Detector {
  private let detector: MotionDetector
  private let tellsFrames: Bool
  private let parallelism: Parallelism
  private var times = RisingTimes()
  private var isFinished = false

  init(_ size: PixelSize, _ options: DetectionOptions) throws {
    let detection = try options.options()
    detector = try MotionDetector(size: size, options: detection)
    tellsFrames = options.statistics ?? false
    parallelism = detection.parallelism
  }

  /// - Parameter chrominance: The colour differences of a grey frame; nil: not known.
  func append(_ frame: rheo_image, _ chrominance: ChrominancePlanes?, _ time: MediaTime) throws -> String {
    guard !isFinished else { throw InvalidArgument("the detector is finished") }
    if let bytes = try frame.bytes("the frame") {
      try times.check(time)
      return try text(try detector.detect(bytes, chrominance: chrominance, at: time))
    }
    let luma = try frame.luma("the frame", parallelism)
    let chrominance = try chrominance ?? frame.chrominance("the frame")
    try times.check(time)
    return try text(try detector.detect(luma, chrominance: chrominance, at: time))
  }

  func finish() throws -> String {
    guard !isFinished else { return "[]" }
    isFinished = true
    return try text(detector.finish())
  }

  /// An update with its name.
  private struct NamedUpdate: Encodable {
    var frame: FrameStatistics?
    var started: MotionEvent?
    var ended: MotionEvent?
    var suppressed: SuppressedPeriod?

    init(_ update: MotionDetector.Update) {
      switch update {
      case .frame(let statistics): frame = statistics
      case .started(let event): started = event
      case .ended(let event): ended = event
      case .suppressed(let period): suppressed = period
      }
    }
  }

  private func text(_ updates: [MotionDetector.Update]) throws -> String {
    let told = updates.filter { if case .frame = $0 { tellsFrames } else { true } }
    return told.isEmpty ? "[]" : try json(told.map(NamedUpdate.init))
  }
}

@_cdecl("rheo_detector_create")
public func detectorCreate(
  _ width: Int64, _ height: Int64, _ options: UnsafePointer<CChar>?,
  _ detector: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  make(detector, error) { try Detector(try checkedSize(width, height), DetectionOptions(options)) }
}

@_cdecl("rheo_detector_append")
public func detectorAppend(
  _ detector: OpaquePointer?, _ frame: UnsafePointer<rheo_image>?, _ time: rheo_time,
  _ updates: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let detector = try object(detector, as: Detector.self)
    give(try detector.append(try required(frame, "the frame").pointee, nil, try time.checked()), to: updates)
  }
}

@_cdecl("rheo_detector_append_planes")
public func detectorAppendPlanes(
  _ detector: OpaquePointer?, _ luma: UnsafePointer<rheo_image>?, _ blueDifference: UnsafePointer<rheo_image>?,
  _ redDifference: UnsafePointer<rheo_image>?, _ time: rheo_time,
  _ updates: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let detector = try object(detector, as: Detector.self)
    let images = [
      ("the luma", luma), ("the blue difference", blueDifference), ("the red difference", redDifference),
    ]
    for (name, image) in images where try required(image, name).pointee.channels != RHEO_GRAY {
      throw InvalidArgument("\(name) has several channels")
    }
    let (blue, red) = (try required(blueDifference, images[1].0), try required(redDifference, images[2].0))
    let colors = try [blue, red].map { try $0.pointee.luma($0 == blue ? images[1].0 : images[2].0, .serial) }
    guard colors[0].size == colors[1].size else {
      throw InvalidArgument("chrominance planes of \(colors[0].size) and \(colors[1].size): they are of one size")
    }
    let size = try required(luma, "the luma").pointee.checkedSize("the luma")
    guard isChrominance(colors[0].size, of: size) else {
      throw InvalidArgument(
        "chrominance planes of \(colors[0].size) to a luma of \(size): a side is as long, a half or a quarter")
    }
    let chrominance = ChrominancePlanes(blueDifference: colors[0], redDifference: colors[1])
    give(try detector.append(try required(luma, "the luma").pointee, chrominance, try time.checked()), to: updates)
  }
}

@_cdecl("rheo_detector_finish")
public func detectorFinish(
  _ detector: OpaquePointer?, _ updates: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) { give(try object(detector, as: Detector.self).finish(), to: updates) }
}

@_cdecl("rheo_detector_free")
public func detectorFree(_ detector: OpaquePointer?) { release(detector, Detector.self) }
