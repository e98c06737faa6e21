/// An error that tells why a request could not be performed.
public struct AnalysisError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind { case sizeMismatch, emptyImage, unreadableImage, invalidParameters, unsupportedRevision }
    private let kind: Kind

    /// Two images that belong together have different sizes.
    public static let sizeMismatch = Code(kind: .sizeMismatch)
    /// An image has no pixels.
    public static let emptyImage = Code(kind: .emptyImage)
    /// An image could not be read, from its file or from encoded data; the message says why.
    public static let unreadableImage = Code(kind: .unreadableImage)
    /// A parameter of the algorithm or of the request is out of range.
    public static let invalidParameters = Code(kind: .invalidParameters)
    /// This release does not know the request's revision.
    public static let unsupportedRevision = Code(kind: .unsupportedRevision)
  }

  /// The kind of the failure.
  public let code: Code
  /// A text that names the values at fault and what is allowed.
  public let message: String
  public var description: String { message }

  /// Makes an error, for requests of your own.
  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
