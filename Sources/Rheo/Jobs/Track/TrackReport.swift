// Tracks as JSON.

import FlowAnalysis
import Foundation
import Imaging
import Registration
import VideoIO

extension MotionTracking {
  /// Writes the report: what was read, how, and every track with its positions.
  func writeJSON(_ report: Report, to put: @escaping (String) throws -> Void) throws {
    var stream = JSONStream(put)
    try stream.object { object in
      try object.field("version", .integer(1))
      try object.field("generator", .string("rheo \(RheoVersion.number)"))
      try object.field(
        "input",
        .object([
          ("name", .string(inputName)), ("width", .integer(report.size.width)),
          ("height", .integer(report.size.height)), ("frames", .integer(report.frames)),
          ("timeBase", .optional(report.timeBase) { .string($0.description) }),
        ]))
      try object.field("options", options(report.size))
      try object.field("gaps", .array(report.gaps.map { .string($0.description) }))
      try object.list("tracks") { list in
        try report.forEachTrack { try write($0, report.size, to: &list) }
      }
    }
    try put("\n")
  }

  private func options(_ size: PixelSize) -> JSONText {
    .object([
      ("algorithm", .string(flow.algorithm.name)),
      ("accuracy", .optional(flow.algorithm.accuracy) { .string($0.rawValue) }),
      ("every", .integer(reading.range.every)), ("auto", .bool(regionSearch != nil)),
      ("threshold", .optional(regionSearch?.threshold) { .number($0) }),
      (
        "minimumArea",
        .optional(regionSearch) { .number($0.minimumArea ?? Double(size.area) * RegionSearch.defaultShare) }
      ), ("compensation", compensation > .identity ? .string(compensation.name) : .null),
      ("texturedPoints", .integer(texturedPointCount)), ("detections", .bool(detections != nil)),
      ("groundHomography", .optional(groundPlane) { .array($0.homography.elements.map { .number($0) }) }),
    ])
  }

  private func write(_ track: MotionTrack, _ size: PixelSize, to list: inout JSONStream) throws {
    let ground = groundPlane?.path(of: track, imageSize: size)
    let positions = track.positions.indices.lazy.map { Self.json(track.positions[$0], track.kind, ground?[$0]) }
    try list.element(
      [
        ("id", .integer(track.id)), ("kind", .string(track.kind.rawValue)),
        ("start", .optional(track.positions.first, Self.timestamp)),
        ("end", .optional(track.positions.last, Self.timestamp)),
        ("lost", .optional(track.loss) { .string($0.rawValue) }),
        ("parabola", .optional(ParabolicTrajectory(track, parameters: trajectories), Self.json)),
      ], "positions", positions)
  }

  private static func timestamp(_ position: TrackPosition) -> JSONText {
    .object([
      ("frame", .integer(position.frame)), ("seconds", rounded(position.time.seconds, 1e6)),
      ("timecode", .string(position.time.timecode)),
    ])
  }

  private static func json(
    _ position: TrackPosition, _ kind: MotionTrack.Kind, _ ground: GroundPlane.PathPoint?
  ) -> JSONText {
    let box = position.box
    let groundKeys: [(String, JSONText)] =
      ground.map { ground in
        [
          ("ground", .optional(ground.position) { .array([rounded($0.x, 1e3), rounded($0.y, 1e3)]) }),
          ("speed", .optional(ground.speed) { rounded($0, 1e3) }),
        ]
      } ?? []
    let size: [(String, JSONText)] =
      kind == .box ? [("width", rounded(box.width, 1e3)), ("height", rounded(box.height, 1e3))] : []
    return .object(
      [
        ("frame", .integer(position.frame)), ("seconds", rounded(position.time.seconds, 1e6)),
        ("ticks", .integer(Int(position.time.value))), ("x", rounded(box.x, 1e3)), ("y", rounded(box.y, 1e3)),
      ] + size + [("confidence", rounded(position.confidence, 1e3))] + groundKeys)
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
  static func rounded(_ value: Double, _ steps: Double) -> JSONText {
    .number((value * steps).rounded() / steps)
  }
}
