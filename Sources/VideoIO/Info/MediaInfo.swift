import Imaging

/// The contents of a file, as its headers say.
public struct MediaInfo: Sendable {
  /// A stream of any kind.
  public struct Stream: Sendable {
    /// The number of the stream in the file, from 0.
    public var index: Int
    /// `video`, `audio`, `subtitle`, `data`, `attachment` or `unknown`.
    public var kind: String
    /// FFmpeg's name of the codec, such as `h264`.
    public var codec: String
    /// The codec's profile, such as `High`.
    public var profile: String?
    /// Seconds per tick of the stream's time stamps.
    public var timeBase: Rational
    /// The start of the stream, in seconds.
    public var startTime: Double?
    /// The length of the stream in seconds, when the container tells.
    public var duration: Double?
    /// Number of frames (of audio: packets), when the container tells.
    public var frameCount: Int?
    /// Bits per second, when the container tells.
    public var bitRate: Int?
    /// The language in three letters, such as `eng`.
    public var language: String?
    /// The properties that only video has.
    public var video: Video?
    /// The properties that only audio has.
    public var audio: Audio?
  }

  /// The images of a video stream, as they are stored.
  public struct Video: Sendable, Hashable {
    /// Stored size in pixels, before rotation.
    public var size: PixelSize
    /// FFmpeg's name of the pixel format, such as `yuv420p`.
    public var pixelFormat: String
    /// The average rate; nil when unknown.
    public var frameRate: Rational?
    /// Width of a pixel over its height; nil when the file does not say (then 1).
    public var sampleAspectRatio: Rational?
    /// The way in which a player turns the images.
    public var orientation: Orientation
    /// A Boolean value that tells whether the header says that frames are made of two fields.
    public var isInterlaced: Bool
    /// The way in which samples become colours.
    public var color: Color
    /// A Boolean value that tells whether the stream is an image that belongs to the file, such as a cover, and not a
    /// video.
    public var isAttachedImage: Bool
  }

  /// A mirror image from left to right, where `isMirrored`, then a turn.
  public struct Orientation: Sendable, Hashable {
    /// The turn in degrees clockwise, 0..<360.
    public var rotation: Int
    /// A Boolean value that tells whether left and right are swapped before the turn.
    public var isMirrored: Bool
  }

  /// The way in which samples become colours, by FFmpeg's names; nil where the file does not say.
  public struct Color: Sendable, Hashable {
    /// The range of samples: `tv` (16…235) or `pc` (0…255).
    public var range: String?
    /// The matrix that makes Y'CbCr of R'G'B', such as `bt709`.
    public var matrix: String?
    /// The look of pure red, green and blue, such as `bt709`.
    public var primaries: String?
    /// The curve from light to samples, such as `bt709` or `smpte2084`.
    public var transfer: String?
    /// The position of chroma samples among those of luma, such as `left`.
    public var chromaLocation: String?
  }

  /// The sound of an audio stream.
  public struct Audio: Sendable, Hashable {
    /// Samples per second.
    public var sampleRate: Int
    /// The number of channels, such as 2.
    public var channelCount: Int
    /// The layout of the channels, such as `stereo`.
    public var channelLayout: String
  }

  /// A named part of the file.
  public struct Chapter: Sendable, Hashable {
    /// The start of the chapter, in seconds.
    public var start: Double
    /// The end of the chapter, in seconds.
    public var end: Double
    /// The chapter's name, when it has one.
    public var title: String?
  }

  /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  public var formatName: String
  /// A Boolean value that tells whether the file is a single image, such as a JPEG file, and not a video.
  public var isImage = false
  /// Length in seconds, when the header or an estimate tells.
  public var duration: Double?
  /// Bits per second of everything together; nil when unknown.
  public var bitRate: Int?
  /// All streams, in the order of the file.
  public var streams: [Stream]
  /// The named parts, in the order of the file.
  public var chapters: [Chapter]
  /// Tags of the whole file, such as `title`, by FFmpeg's names.
  public var metadata: [String: String]
}

extension MediaInfo {
  /// Reads the headers of a file, `-` for standard input, or a URL that FFmpeg knows. Nothing is decoded but what it
  /// takes to know the streams, and of a single image the image itself: its EXIF data says how it is turned.
  /// - Parameters:
  ///   - path: A file, `-` for standard input, or a URL.
  ///   - format: FFmpeg's name of the container, when it must not be guessed.
  ///   - allowedProtocols: As ``VideoReader/Options/allowedProtocols``.
  /// - Throws: ``MediaError`` `cannotOpen` that names the file.
  public init(contentsOf path: String, format: String? = nil, allowedProtocols: [String]? = nil) throws {
    let demuxer = try Demuxer(path: path, format: format, allowedProtocols: allowedProtocols)
    self = demuxer.info
    guard demuxer.isImage, let index = streams.firstIndex(where: { $0.video != nil }) else { return }
    isImage = true
    do {
      if let turned = try demuxer.imageOrientation(of: demuxer.streams[index]) {
        streams[index].video?.orientation = turned
      }
    } catch is MediaError {
      // A damaged image still has its headers; who reads it is told of the damage.
    }
  }
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
  /// A Boolean value that tells whether the header says that a frame is made of two fields.
  public var isInterlaced: Bool
  /// A Boolean value that tells whether the top field is the earlier one in a frame of interlaced video.
  public var isTopFieldFirst = true
}

/// The part of a video to read.
public struct MediaRange: Sendable, Hashable {
  /// A point in the video.
  public enum Position: Sendable, Hashable {
    /// Seconds from the first frame's time.
    case seconds(Double)
    /// Frame number in the whole stream, from 0: see ``VideoFrame/number``.
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

  /// All frames, but for the limits that are given; they may be combined.
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

  /// The whole video.
  public static let all = MediaRange()

  /// A Boolean value that tells whether the range may end before the video does.
  var endsEarly: Bool { end != nil || duration != nil || frameCount != nil }
}
