import Imaging

/// The parameters of a drawing: a scene and how much of it.
public struct SceneParameters: Sendable, Hashable {
  /// The range of the sides of the image, in pixels.
  public static let sideRange = 16...8192
  /// The range of the number of frames.
  public static let frameCountRange = 1...1_000_000
  /// The range of the frame rate, in frames per second.
  public static let frameRateRange = 0.1...1000.0
  /// The range of the standard deviation of the noise, in 8-bit levels.
  public static let noiseRange = 0.0...64.0
  /// The range of the factor on all speeds.
  public static let motionRange = 0.0...8.0

  /// The name of the scene.
  public var name: SceneName
  /// The size of the frames, in pixels; both sides lie in ``sideRange``. Objects scale with the shorter side; the
  /// texture's finest detail does not.
  public var size: PixelSize
  /// The number of frames, in ``frameCountRange``.
  public var frameCount: Int
  /// Frames per second, in ``frameRateRange``.
  public var frameRate: Rational
  /// Another seed draws other textures, weather and noise; the objects' motion stays the same but for the camera's
  /// path in `shake` and the people in the scenes that try trackers, who are others then.
  public var seed: UInt64
  /// Standard deviation of the sensor noise in 8-bit levels, the same in luma and in each colour, in ``noiseRange``.
  public var noiseSigma: Double
  /// Factor on all speeds, in ``motionRange``: 1 is the scene's own speed, 0 stands still.
  public var motion: Double

  /// - Parameters:
  ///   - name: The name of the scene.
  ///   - size: The size of the frames, in pixels.
  ///   - frameCount: nil takes the scene's own length: 60 to 380 frames for the scenes that try the detection or
  ///     trackers, 250 for `walkers`, otherwise 100.
  ///   - frameRate: Frames per second; nil takes the scene's own: 2 for `slow-camera`, otherwise 25.
  ///   - seed: The seed for textures and noise.
  ///   - noiseSigma: nil takes the scene's own noise: 4 for `noise`, 1.5 for the scenes that try the detection or
  ///     trackers, otherwise none.
  ///   - motion: Factor on all speeds.
  public init(
    name: SceneName, size: PixelSize = PixelSize(width: 640, height: 360), frameCount: Int? = nil,
    frameRate: Rational? = nil, seed: UInt64 = 1, noiseSigma: Double? = nil, motion: Double = 1
  ) {
    self.name = name
    self.size = size
    self.frameCount = frameCount ?? name.usualFrameCount
    self.frameRate = frameRate ?? name.usualFrameRate
    self.seed = seed
    self.noiseSigma = noiseSigma ?? name.usualNoise
    self.motion = motion
  }

  /// - Throws: ``SceneError`` that names the parameter, its value and the allowed ones.
  public func validate() throws {
    try check("width", size.width, in: Self.sideRange)
    try check("height", size.height, in: Self.sideRange)
    try check("frame count", frameCount, in: Self.frameCountRange)
    guard frameRate.isPositive, Self.frameRateRange.contains(frameRate.doubleValue) else {
      throw SceneError.outOfRange("frame rate", "\(frameRate)", Self.frameRateRange)
    }
    try check("noise", noiseSigma, in: Self.noiseRange)
    try check("motion", motion, in: Self.motionRange)
  }

  private func check<Value: Comparable & Sendable>(
    _ what: String, _ value: Value, in range: ClosedRange<Value>
  ) throws {
    guard range.contains(value) else { throw SceneError.outOfRange(what, "\(value)", range) }
  }
}

/// The reason why a scene cannot be drawn.
public struct SceneError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Value { case outOfRange, unknownScene }
    private let value: Value

    /// A parameter lies outside its range.
    public static let outOfRange = Code(value: .outOfRange)
    /// The scene does not exist.
    public static let unknownScene = Code(value: .unknownScene)
  }

  /// The kind of the failure.
  public let code: Code
  /// The actual and the allowed values.
  public let message: String
  public var description: String { message }

  static func outOfRange<Value>(_ what: String, _ value: String, _ range: ClosedRange<Value>) -> SceneError {
    SceneError(
      code: .outOfRange,
      message: "the scene's \(what) is \(value), but must be \(range.lowerBound) to \(range.upperBound)")
  }
}
