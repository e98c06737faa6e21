/// What can go wrong with rendering, for reasons outside of the program.
public struct RenderingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind: Sendable, Hashable { case invalidOption, sizeMismatch, fontUnavailable }
    private let kind: Kind

    /// An option's value lies outside its range.
    public static let invalidOption = Code(kind: .invalidOption)
    /// Two pictures that belong together differ in size.
    public static let sizeMismatch = Code(kind: .sizeMismatch)
    /// No font for text was found, or it could not be read.
    public static let fontUnavailable = Code(kind: .fontUnavailable)
  }

  /// What kind of failure it is.
  public let code: Code
  /// What happened, with the actual and the allowed values.
  public let message: String

  public var description: String { message }
}
