/// Why a flow file could not be read or written, or two fields not be compared.
public struct FlowFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind { case unreadable, unwritable, wrongFormat, absurdSize, truncated, trailingData, sizeMismatch }
    private let kind: Kind

    /// The file system refused to read the file.
    public static let unreadable = Code(kind: .unreadable)
    /// The file system refused to write the file.
    public static let unwritable = Code(kind: .unwritable)
    /// The file is of another kind.
    public static let wrongFormat = Code(kind: .wrongFormat)
    /// The header names a width or height that no field has.
    public static let absurdSize = Code(kind: .absurdSize)
    /// The file is shorter than its header says.
    public static let truncated = Code(kind: .truncated)
    /// The file is longer than its header says.
    public static let trailingData = Code(kind: .trailingData)
    /// Two fields, or a field and a mask, have different sizes.
    public static let sizeMismatch = Code(kind: .sizeMismatch)
  }

  public let code: Code
  /// Names the file, the values at fault and what is allowed.
  public let message: String
  public var description: String { message }

  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
