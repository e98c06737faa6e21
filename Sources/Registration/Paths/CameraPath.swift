// The camera's motion through a video, and the limits of its smoothing.

import Imaging

/// The motion of the camera between one frame of a video and the one before.
public struct CameraMotion: Sendable, Hashable, Codable {
  /// The time at which the frame shows, in seconds.
  public var seconds: Double
  /// Maps pixels of this frame to pixels of the one before (a `warpTransform`); the identity where there is none.
  public var warpTransform: Homography
  /// A Boolean value that tells whether a new path begins here: the first frame, and any after a cut or a gap.
  public var startsPath: Bool
  /// The confidence in the motion, 0…1 (see ``RegistrationResult``).
  public var confidence: Double

  /// The motion of a frame that goes on with the path and is trusted, unless given.
  public init(seconds: Double, warpTransform: Homography, startsPath: Bool = false, confidence: Double = 1) {
    self.seconds = seconds
    self.warpTransform = warpTransform
    self.startsPath = startsPath
    self.confidence = confidence
  }

  /// A frame with which a path begins.
  public static func start(seconds: Double) -> CameraMotion {
    CameraMotion(seconds: seconds, warpTransform: .identity, startsPath: true)
  }
}

/// The limits of what smoothing a camera path may do.
public struct PathSmoothing: Sendable, Hashable {
  /// The family of the corrections.
  public var model: TransformModel
  /// The time in seconds over which the camera's motion is evened out; half of them is the look-ahead. The longer, the
  /// farther and the longer may the image stay behind the camera, and the more gently it sets off and stops.
  public var window: Double
  /// A zoom at which no correction may show what lies outside the image; nil: it may.
  public var zoomLimit: Double?
  /// A Boolean value that tells whether the image is to stand still, as on a tripod, wherever the borders allow it;
  /// ``window`` then is the look-ahead only.
  public var isFixedView: Bool

  /// The values that ``window`` may have, in seconds; 0 leaves the path as it is.
  public static let windowRange = 0.0...20
  /// The values that ``zoomLimit`` may have, as a factor; 1 leaves no room for corrections.
  public static let zoomRange = 1.0...4

  /// Shifts and turns over three seconds without a limit, unless given.
  public init(
    model: TransformModel = .euclidean, window: Double = 3, zoomLimit: Double? = nil, isFixedView: Bool = false
  ) {
    self.model = model
    self.window = window
    self.zoomLimit = zoomLimit
    self.isFixedView = isFixedView
  }
}

/// The rectangle that a frame's corrected image may show.
public struct ImageFrame: Sendable, Hashable {
  /// The size of the images.
  public let size: PixelSize

  /// The rectangle of images of one size.
  public init(_ size: PixelSize) { self.size = size }

  /// The distance beyond the outermost pixel centres that may be seen, in pixels: bicubic sampling has something to
  /// show there. Chosen by hand.
  private static let borderTolerance = 0.05

  /// Returns a zoom about the middle: pixels of the zoomed image to pixels of the image.
  public func zoom(_ factor: Double) -> Homography {
    guard factor != 1 else { return .identity }
    let (x, y) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    return Homography([1 / factor, 0, x - x / factor, 0, 1 / factor, y - y / factor, 0, 0, 1])
  }

  /// Returns whether the image, zoomed by `factor` and corrected by `map`, shows nothing that lies outside.
  public func covers(_ map: Homography, zoom factor: Double) -> Bool { usedShare(map, zoom: factor) <= 1 }

  /// Returns the largest share of the room that the zoom leaves, over the four corners: above 1 something outside
  /// shows.
  func usedShare(_ map: Homography, zoom factor: Double) -> Double {
    let (x, y) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    let (roomX, roomY) = (x - x / factor + Self.borderTolerance, y - y / factor + Self.borderTolerance)
    var share = 0.0
    for (sx, sy) in [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)] {
      let corner = map.apply(x: x + sx * x / factor, y: y + sy * y / factor)
      guard corner.x.isFinite, corner.y.isFinite else { return .infinity }
      share = max(share, (sx * (corner.x - x) - x / factor) / roomX, (sy * (corner.y - y) - y / factor) / roomY)
    }
    return share
  }

  /// Returns the smallest zoom at which `map` shows nothing that lies outside; the largest allowed one if there is
  /// none.
  public func requiredZoom(_ map: Homography) -> Double {
    guard !covers(map, zoom: 1) else { return 1 }
    var (low, high) = (1.0, PathSmoothing.zoomRange.upperBound)
    guard covers(map, zoom: high) else { return high }
    // To a thousandth of a pixel in 8192.
    for _ in 0..<24 {
      let middle = (low + high) / 2
      if covers(map, zoom: middle) { high = middle } else { low = middle }
    }
    return high
  }
}
