// Tracks as JSON.

import FlowAnalysis
import Foundation
import Imaging
import Registration
import VideoIO

extension MotionTracking {
  /// Returns the text of the report: what was read, how, and every track with its positions.
  ///
  /// Boxes and points are in pixels, pixel centres at whole numbers: the box x, y, width, height covers the pixels
  /// x … x + width − 1. `ticks` are exact times in units of the input's `timeBase`; `seconds` are for display. The same
  /// tracks give the same text.
  public func text(of report: Report) -> String {
    JSONText.object([
      ("version", .integer(1)), ("generator", .string("rheo \(RheoVersion.number)")),
      (
        "input",
        .object([
          ("name", .string(input == "-" ? "-" : (MediaAddress(input).description as NSString).lastPathComponent)),
          ("width", .integer(report.size.width)), ("height", .integer(report.size.height)),
          ("frames", .integer(report.frames)), ("timeBase", .optional(report.timeBase) { .string($0.description) }),
        ])
      ), ("options", options(report.size)),
      ("gaps", .array(report.gaps.map { .string($0.description) })),
      ("tracks", .array(report.tracks.map(Self.json))),
    ]).pretty(depth: 2) + "\n"
  }

  private func options(_ size: PixelSize) -> JSONText {
    .object([
      ("algorithm", .string(flow.algorithm.name)),
      ("accuracy", .optional(flow.algorithm.accuracy) { .string($0.rawValue) }),
      ("every", .integer(reading.range.every)), ("auto", .bool(regionSearch != nil)),
      ("threshold", .optional(regionSearch) { .number($0.threshold) }),
      (
        "minimumArea",
        .optional(regionSearch) { .number($0.minimumArea ?? Double(size.area) * RegionSearch.defaultShare) }
      ), ("compensation", compensation > .identity ? .string(compensation.name) : .null),
      ("texturedPoints", .integer(texturedPointCount)),
    ])
  }

  private static func json(_ track: MotionTrack) -> JSONText {
    .object([
      ("id", .integer(track.id)), ("kind", .string(track.kind.rawValue)),
      ("start", .optional(track.positions.first, moment)), ("end", .optional(track.positions.last, moment)),
      ("lost", .optional(track.loss) { .string($0.rawValue) }),
      ("parabola", .optional(track.parabola, json)),
      ("positions", .array(track.positions.map { json($0, track.kind) })),
    ])
  }

  private static func moment(_ position: TrackPosition) -> JSONText {
    .object([
      ("frame", .integer(position.frame)), ("seconds", rounded(position.time.seconds, 1e6)),
      ("timecode", .string(position.time.timecode)),
    ])
  }

  private static func json(_ position: TrackPosition, _ kind: MotionTrack.Kind) -> JSONText {
    let box = position.box
    let size: [(String, JSONText)] =
      kind == .box ? [("width", rounded(box.width, 1e3)), ("height", rounded(box.height, 1e3))] : []
    return .object(
      [
        ("frame", .integer(position.frame)), ("seconds", rounded(position.time.seconds, 1e6)),
        ("ticks", .integer(Int(position.time.value))), ("x", rounded(box.x, 1e3)), ("y", rounded(box.y, 1e3)),
      ] + size + [("confidence", rounded(position.confidence, 1e3))])
  }

  private static func json(_ parabola: ParabolicTrajectory) -> JSONText {
    func pair(_ vector: SIMD2<Double>) -> JSONText { .array([rounded(vector.x, 1e3), rounded(vector.y, 1e3)]) }
    return .object([
      ("seconds", rounded(parabola.start, 1e6)), ("position", pair(parabola.position)),
      ("velocity", pair(parabola.velocity)), ("acceleration", pair(parabola.acceleration)),
      (
        "equation",
        .optional(parabola.equationCoefficients) { .array([$0.x, $0.y, $0.z].map { rounded($0, 1e9) }) }
      ), ("movingAverageRadius", rounded(parabola.movingAverageRadius, 1e3)),
      ("residual", rounded(parabola.residual, 1e3)), ("confidence", rounded(parabola.confidence, 1e3)),
    ])
  }

  /// Returns a number without digits that mean nothing.
  private static func rounded(_ value: Double, _ steps: Double) -> JSONText {
    .number((value * steps).rounded() / steps)
  }
}
