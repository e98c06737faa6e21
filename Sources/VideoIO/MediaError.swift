/// A failure with media files: of reading, decoding, filtering, encoding or writing. Addresses in it are masked, see
/// ``MediaAddress``.
public struct MediaError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case cannotOpen, noVideo, noDecoder, damaged, noEncoder, invalidOption, cannotWrite, outputExists, outOfMemory
      case noThread
    }

    private let value: Value
    private init(_ value: Value) { self.value = value }
    public var description: String { value.rawValue }

    /// The input is missing, no file, empty, unreadable, or no format that FFmpeg knows.
    public static let cannotOpen = Code(.cannotOpen)
    /// The input holds no video stream, or not the one asked for.
    public static let noVideo = Code(.noVideo)
    /// FFmpeg has no decoder for the stream, or it does not start.
    public static let noDecoder = Code(.noDecoder)
    /// The stream holds nothing that can be decoded.
    public static let damaged = Code(.damaged)
    /// The encoder does not exist, or it refuses its options.
    public static let noEncoder = Code(.noEncoder)
    /// An option's value does not work: a filter graph, a stream number, a pixel format.
    public static let invalidOption = Code(.invalidOption)
    /// The output cannot be created or written to its end.
    public static let cannotWrite = Code(.cannotWrite)
    /// The output is there already and must not be replaced.
    public static let outputExists = Code(.outputExists)
    /// FFmpeg could not allocate what an image or a packet needs.
    public static let outOfMemory = Code(.outOfMemory)
    /// The system makes no further thread, for a limit of the user (`ulimit -u`) or of the container.
    public static let noThread = Code(.noThread)
  }

  /// The kind of this failure.
  public let code: Code
  /// One line that says what failed, with the actual and the allowed values.
  public let message: String
  /// The file in question.
  public let file: String?
  /// FFmpeg's status, negative, when one is behind the failure.
  public let status: Int32?
  /// The last line that FFmpeg logged before.
  public let detail: String?

  /// Creates an error, for sources and sinks of your own.
  public init(_ code: Code, _ message: String, file: String? = nil, status: Int32? = nil, detail: String? = nil) {
    self.code = code
    self.message = MediaAddress.masking(in: message)
    self.file = file.map { MediaAddress($0).description }
    self.status = status
    self.detail = detail.map(MediaAddress.masking(in:))
  }

  public var description: String {
    var text = file.map { "\($0): " } ?? ""
    text += message
    if let detail, !message.contains(detail) { text += " (\(detail))" }
    return text
  }

  /// Returns the same error, naming the file when it did not yet.
  func naming(_ file: String) -> MediaError {
    self.file == nil ? MediaError(code, message, file: file, status: status, detail: detail) : self
  }
}

/// Unwraps what an allocating call returned.
func allocated<Pointer>(_ pointer: Pointer?, _ what: String) throws -> Pointer {
  guard let pointer else { throw MediaError(.outOfMemory, "no memory for \(what)") }
  return pointer
}

/// A point in the input at which something could not be decoded.
public struct MediaGap: Sendable, Hashable, CustomStringConvertible {
  /// The time of the packet or of the last good frame, in seconds; nil before the first.
  public let seconds: Double?
  /// The number of frames decoded before the gap.
  public let frameNumber: Int
  /// The fault, as FFmpeg states it, in one line.
  public let reason: String

  /// Creates a gap, for sources of your own.
  public init(seconds: Double?, frameNumber: Int, reason: String) {
    self.seconds = seconds
    self.frameNumber = frameNumber
    self.reason = reason
  }

  public var description: String {
    "at \(seconds.map { "\(($0 * 1000).rounded() / 1000) s" } ?? "the start"), after frame \(frameNumber): \(reason)"
  }
}
