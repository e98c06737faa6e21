/// An error that tells why zones, options or statistics cannot be used.
public struct MotionDetectionError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Value { case invalidZones, invalidOption, invalidStatistics }
    private let value: Value

    /// The zones file says something that cannot be meant.
    public static let invalidZones = Code(value: .invalidZones)
    /// An option lies outside its range.
    public static let invalidOption = Code(value: .invalidOption)
    /// A file is no file of statistics, or is damaged.
    public static let invalidStatistics = Code(value: .invalidStatistics)
  }

  /// The kind of the failure.
  public let code: Code
  /// The actual and the allowed values.
  public let message: String
  public var description: String { message }

  /// Takes the kind and a line that says what, where and what is allowed.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
