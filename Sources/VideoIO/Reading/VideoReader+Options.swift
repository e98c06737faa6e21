import Imaging

/// An option of FFmpeg's protocol or container.
public struct InputOption: Sendable, Hashable {
  /// The name of the option, as in FFmpeg's documentation.
  public var key: String
  /// The value of the option, as after `-key` on ffmpeg's command line.
  public var value: String

  /// `key=value`.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

extension VideoReader {
  /// The options that say what to read of the input, and how.
  public struct Options: Sendable {
    /// The stream to read; nil picks the best video stream.
    public var stream: Int?
    /// A libavfilter graph ahead of everything else, as after ffmpeg's `-vf`. Some filters, such as `movie`, read
    /// files.
    public var filter: String?
    /// FFmpeg's name of the container, when it must not be guessed.
    public var format: String?
    /// The part of the video whose frames are delivered.
    public var range: MediaRange
    /// Decoding threads; 0 means one per core.
    public var threadCount: Int
    /// The maximum number of pixels of an image, 2²⁸ by default (16384×16384): larger ones are refused before memory is
    /// taken for them. Flow in full size takes some 100 bytes a pixel.
    public var maximumPixelCount = VideoReader.Options.standardPixelLimit
    /// The number of pixels of an image beyond which it is refused unless more are allowed.
    public static let standardPixelLimit = 1 << 28
    /// A Boolean value that tells whether ``VideoReader/takePackets()`` gives the packets of the video and of its sound
    /// as well.
    package var keepsPackets = false
    /// A Boolean value that tells whether an index of the packets is kept beside the video, in `VIDEO.rheo-index`, from
    /// which a ``range`` that begins late finds its first frame. MP4 files have their own.
    public var keepsPacketIndex = false
    /// Options of FFmpeg's protocol and container, such as `rtsp_transport` or `video_size`.
    public var inputOptions: [InputOption] = []
    /// FFmpeg's names of the protocols that the input may use, such as `file`, `http` and `tcp`. By default, nil, a
    /// file opens files, and an address everything but files. Formats that open what their contents name, as playlists
    /// do, are read only when the ending of the input's name (`m3u8`, `mpd`, `ffconcat`, `sdp`) or ``format`` says so.
    public var allowedProtocols: [String]?
    /// The seconds that opening and each read may wait before they fail; nil: for ever; below 0, or NaN: not at all.
    public var patience: Double?
    /// Ends what waits when it becomes true. Asked from any thread.
    public var isInterrupted: @Sendable () -> Bool = { false }
    /// The size of the stored images that others are scaled to; nil: that of the first one.
    var storedSize: PixelSize?
    /// A Boolean value that tells whether a range that begins late may be reached by seeking.
    var seeks = true
    /// A Boolean value that tells whether time stamps that begin anew go on from where they were, with the wall clock.
    var followsRestarts = false

    /// The best video stream, whole and unfiltered, unless given.
    public init(
      stream: Int? = nil, filter: String? = nil, format: String? = nil, range: MediaRange = .all, threadCount: Int = 0
    ) {
      self.stream = stream
      self.filter = filter
      self.format = format
      self.range = range
      self.threadCount = threadCount
    }
  }
}
