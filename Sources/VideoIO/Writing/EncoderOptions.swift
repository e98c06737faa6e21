/// The options for encoding and storing a video.
public struct EncoderOptions: Sendable {
  /// FFmpeg's name of the encoder; nil takes `libx264` where the container allows it, else the container's own choice.
  public var codec: String?
  /// Constant quality, smaller is better; nil leaves it to the encoder. Of use to encoders that know `crf`.
  public var crf: Double?
  /// The encoder's speed preset; nil leaves it to the encoder.
  public var preset: String?
  /// FFmpeg's name of the pixel format; nil keeps the source's depth and chroma, as far as the encoder takes them. RGB
  /// becomes Y'CbCr with colours at half size, as players want.
  public var pixelFormat: String?
  /// Further options of the encoder, by FFmpeg's names.
  public var encoderOptions: [(key: String, value: String)]
  /// FFmpeg's name of the container; nil goes by the file's ending.
  public var format: String?
  /// A Boolean value that tells whether the source's sound is copied; subtitles and chapters always are.
  public var copiesAudio: Bool
  /// A Boolean value that tells whether an existing file is replaced; otherwise it is an error.
  public var overwrites: Bool

  /// The quality of `libx264` where none is given: hardly to be told from the source.
  public static let defaultCRF = 20.0
  /// The preset of `libx264` where none is given: as fast as the analysis.
  public static let defaultPreset = "veryfast"
  /// The number of encoding threads, which is fixed because some encoders' output depends on it.
  public static let threadCount = 4

  /// Creates options that suit the container, copy the sound and replace nothing, unless given.
  public init(
    codec: String? = nil, crf: Double? = nil, preset: String? = nil, pixelFormat: String? = nil,
    encoderOptions: [(key: String, value: String)] = [], format: String? = nil,
    copiesAudio: Bool = true, overwrites: Bool = false
  ) {
    self.codec = codec
    self.crf = crf
    self.preset = preset
    self.pixelFormat = pixelFormat
    self.encoderOptions = encoderOptions
    self.format = format
    self.copiesAudio = copiesAudio
    self.overwrites = overwrites
  }
}
