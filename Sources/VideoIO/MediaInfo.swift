import Imaging

/// What a file holds, as its headers say.
public struct MediaInfo: Sendable {
  /// A stream of any kind.
  public struct Stream: Sendable {
    public var index: Int
    /// `video`, `audio`, `subtitle`, `data`, `attachment` or `unknown`.
    public var kind: String
    /// FFmpeg's name of the codec, such as `h264`.
    public var codec: String
  }

  /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  public var formatName: String
  /// Length in seconds, when the header or an estimate tells.
  public var duration: Double?
  public var streams: [Stream]
  public var chapterCount: Int
  public var metadata: [String: String]
}

/// The video that a reader delivers: after rotation and filters.
public struct VideoFormat: Sendable {
  /// Upright size in pixels; every frame has it.
  public var size: PixelSize
  /// Seconds per tick of the frames' time stamps.
  public var timeBase: Rational
  /// The average rate; nil when unknown. Time stamps, not this, say when a frame shows.
  public var frameRate: Rational?
  /// Width of a pixel over its height.
  public var sampleAspectRatio: Rational
  /// FFmpeg's name of the pixel format, such as `yuv420p`.
  public var pixelFormat: String
  /// A guess at the number of frames, for progress; nil when nothing is known.
  public var estimatedFrameCount: Int?
  public var isInterlaced: Bool
  /// Of interlaced video: which of the two fields in a frame is the earlier one.
  public var isTopFieldFirst = true
}

/// Which part of a video to read.
public struct MediaRange: Sendable, Hashable {
  /// A point in the video.
  public enum Position: Sendable, Hashable {
    /// Seconds from the first frame's time.
    case seconds(Double)
    /// Frame number, from 0.
    case frame(Int)
  }

  /// The first frame is the first one at or after this point.
  public var start: Position?
  /// Frames at or after this point are left out.
  public var end: Position?
  /// Seconds from the first delivered frame; later frames are left out.
  public var duration: Double?
  /// The largest number of delivered frames.
  public var frameCount: Int?
  /// Deliver every n-th frame, from 1.
  public var every: Int

  public init(
    start: Position? = nil, end: Position? = nil, duration: Double? = nil, frameCount: Int? = nil, every: Int = 1
  ) {
    precondition(every >= 1, "every \(every)th frame")
    self.start = start
    self.end = end
    self.duration = duration
    self.frameCount = frameCount
    self.every = every
  }

  public static let all = MediaRange()

  /// Whether it may end before the video does.
  var endsEarly: Bool { end != nil || duration != nil || frameCount != nil }
}
