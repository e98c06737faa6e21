/// The reason why a flow file could not be read or written, or two fields not be compared.
public struct FlowFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind {
      case unreadable, unwritable, outputExists, wrongFormat, unsupported, absurdSize, truncated, trailingData, damaged
      case sizeMismatch, invalidOption
    }
    private let kind: Kind

    /// The file system refused to read the file.
    public static let unreadable = Code(kind: .unreadable)
    /// The file system refused to write the file.
    public static let unwritable = Code(kind: .unwritable)
    /// The output is there already and must not be replaced.
    public static let outputExists = Code(kind: .outputExists)
    /// The file is of another kind.
    public static let wrongFormat = Code(kind: .wrongFormat)
    /// The file is of this kind, but a variant that is not read; or this build leaves the kind out.
    public static let unsupported = Code(kind: .unsupported)
    /// The header names a width or height that no field has.
    public static let absurdSize = Code(kind: .absurdSize)
    /// The file is shorter than its header says.
    public static let truncated = Code(kind: .truncated)
    /// The file is longer than its header says.
    public static let trailingData = Code(kind: .trailingData)
    /// The file's contents contradict themselves: a check sum, a compressed stream.
    public static let damaged = Code(kind: .damaged)
    /// Two fields, or a field and a mask, have different sizes.
    public static let sizeMismatch = Code(kind: .sizeMismatch)
    /// An option is out of its range, or missing.
    public static let invalidOption = Code(kind: .invalidOption)
  }

  /// The kind of this failure.
  public let code: Code
  /// The message, which names the file, the values at fault and what is allowed.
  public let message: String
  public var description: String { message }

  /// Creates an error, for readers and writers of your own.
  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
