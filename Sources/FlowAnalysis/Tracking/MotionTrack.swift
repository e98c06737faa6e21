import Imaging

/// Something followed through the frames: a point or a box.
public struct MotionTrack: Sendable, Hashable, Codable {
  /// The kinds of what is followed.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// A point; its boxes are the single pixels around it.
    case point
    /// A box.
    case box
  }

  /// The reason why a track ended before the frames did.
  public enum Loss: String, Sendable, Hashable, Codable {
    /// The object went out of the image.
    case leftImage = "left-picture"
    /// The motion there is no longer certain: it is hidden, or changed beyond recognition.
    case notFound = "not-found"
    /// The object was found by its motion, and has stopped.
    case stoodStill = "stood-still"
    /// The object was found by its motion, and moves as one with another track.
    case merged
    /// Frames are missing, or the scene changed.
    case interrupted
  }

  /// The number of the track, from 1 in the order of the tracks' starts.
  public let id: Int
  /// The kind of what is followed, which says how the boxes of `positions` are to be read.
  public let kind: Kind
  /// The positions, one for every frame from the first to the last in which it was found.
  public internal(set) var positions: [TrackPosition]
  /// The reason why the track ended; nil while it is being followed, and when the frames ended first.
  public internal(set) var loss: Loss?

  /// A track out of known positions, as for ``ParabolicTrajectory``.
  public init(id: Int, kind: Kind, positions: [TrackPosition], loss: Loss? = nil) {
    self.id = id
    self.kind = kind
    self.positions = positions
    self.loss = loss
  }

  /// The parabola that its path follows; nil when it follows none. See ``ParabolicTrajectory``.
  public var parabola: ParabolicTrajectory? { ParabolicTrajectory(self) }
}

/// The position of a track in one frame.
public struct TrackPosition: Sendable, Hashable, Codable {
  /// The frame's number, for display.
  public var frame: Int
  /// The time at which the frame shows.
  public var time: MediaTime
  /// The box that was followed; of a point the single pixel around it.
  public var box: BoundingBox
  /// The confidence, 0…1. Of a point: how far the forward and backward motion that led here agree. Of a box that was
  /// looked for in an image: the likelihood that it overlaps its object by half (IoU), and 0 where it was not seen; of
  /// other boxes also what share of it moved along.
  public var confidence: Double

  /// A position that is known already.
  public init(frame: Int, time: MediaTime, box: BoundingBox, confidence: Double) {
    self.frame = frame
    self.time = time
    self.box = box
    self.confidence = confidence
  }

  /// The middle of the box, in pixels.
  public var center: SIMD2<Double> { box.center }
}

/// The dense motion between two frames, as a tracker takes it.
public struct PairMotion: Sendable {
  /// The motion from `previous` to `current`, on the grid of `previous`.
  public var forward: FlowField
  /// The motion from `current` to `previous`, on the grid of `current`; nil: nothing is known about how certain the
  /// forward motion is.
  public var backward: FlowField?

  /// Both fields must be of one size.
  public init(forward: FlowField, backward: FlowField? = nil) {
    precondition(backward.map { $0.size == forward.size } ?? true, "fields of \(forward.size) and \(backward!.size)")
    self.forward = forward
    self.backward = backward
  }

  /// The size of the fields, and of the frames.
  public var size: PixelSize { forward.size }

  /// The motion of a point.
  struct Sample {
    var displacement: SIMD2<Double>
    /// The confidence in the motion, 0…1; ½ is the limit of consistency.
    var confidence: Double
  }

  /// The tolerance as a share of the squared lengths: Sundaram, Brox & Keutzer, ECCV 2010, as in
  /// ``ForwardBackwardConsistency``.
  private static let relativeTolerance = 0.01
  /// The tolerance beside that, in squared pixels; of the same source.
  private static let absoluteTolerance = 0.5

  /// The motion of a point of `previous`, bilinear; nil outside the image and where it is unknown.
  ///
  /// The confidence is t/(t + e²), where e = |w + w′| is the forward-backward error (Kalal, Mikolajczyk & Matas, ICPR
  /// 2010, doi:10.1109/ICPR.2010.675) and t the tolerance for it; 1 without backward motion.
  func sample(_ point: SIMD2<Double>) -> Sample? {
    guard let there = Self.vector(forward, point) else { return nil }
    guard let backward else { return Sample(displacement: there, confidence: 1) }
    guard let back = Self.vector(backward, point + there) else { return Sample(displacement: there, confidence: 0) }
    let lengths = Self.square(there) + Self.square(back)
    let tolerance = Self.relativeTolerance * lengths + Self.absoluteTolerance
    return Sample(displacement: there, confidence: tolerance / (tolerance + Self.square(there + back)))
  }

  private static func square(_ v: SIMD2<Double>) -> Double { v.x * v.x + v.y * v.y }

  /// The vector at a point within the outermost pixels.
  private static func vector(_ flow: FlowField, _ point: SIMD2<Double>) -> SIMD2<Double>? {
    let (right, bottom) = (Double(flow.width) - 0.5, Double(flow.height) - 0.5)
    // Also false for NaN.
    guard point.x >= -0.5, point.y >= -0.5, point.x <= right, point.y <= bottom else { return nil }
    let x = min(max(point.x, 0), Double(flow.width - 1))
    let y = min(max(point.y, 0), Double(flow.height - 1))
    let (column, row) = (Int(x), Int(y))
    let (fx, fy) = (x - Double(column), y - Double(row))
    let vector = flow.withVectors { u, v in
      SIMD2(
        u.bilinear(column: column, row: row, fx: fx, fy: fy), v.bilinear(column: column, row: row, fx: fx, fy: fy))
    }
    return vector.x.isFinite && vector.y.isFinite ? vector : nil
  }
}
