// Parameters that can be named: one table per algorithm from which the range checks, the command line's help and the
// reading of `key=value` texts are made.

/// An error in a set of parameters.
public struct ParameterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of mistake.
  public struct Code: Sendable, Hashable {
    private enum Kind { case malformed, unknownKey, notAllowed }
    private let kind: Kind

    /// The text is not `key=value:key=value`.
    public static let malformed = Code(kind: .malformed)
    /// There is no parameter of this name.
    public static let unknownKey = Code(kind: .unknownKey)
    /// The value is not of the right kind or out of range.
    public static let notAllowed = Code(kind: .notAllowed)
  }

  /// The kind of the mistake.
  public let code: Code
  /// Names the key, the value and what is allowed.
  public let message: String
  public var description: String { message }
}

/// A parameter of an algorithm: its name, what it means and what it may be.
public struct ParameterKey<Parameters: Sendable>: Sendable {
  enum Storage: Sendable {
    case integer(any WritableKeyPath<Parameters, Int> & Sendable, ClosedRange<Int>)
    case number(any WritableKeyPath<Parameters, Double> & Sendable, ClosedRange<Double>)
    case choice(any WritableKeyPath<Parameters, String> & Sendable, [String])
  }

  /// The name as it is written in `key=value`.
  public let name: String
  /// The name in earlier versions, which is read too, and which reports keep; nil where there is none.
  var formerName: String?
  /// The key of the parameter in manifests and reports: scripts rely on it, so it does not change.
  public var reportKey: String { formerName ?? name }
  /// A line of text for people.
  public let help: String
  let storage: Storage

  /// The values that the parameter may have, as a text for people: `1…100`, `box or gaussian`.
  public var allowedValues: String {
    switch storage {
    case .integer(_, let range): "\(range.lowerBound)…\(range.upperBound)"
    case .number(_, let range): "\(range.lowerBound)…\(range.upperBound)"
    case .choice(_, let names): names.joined(separator: " or ")
    }
  }

  /// The value that `parameters` has, as it is written in `key=value`.
  public func value(in parameters: Parameters) -> String {
    switch storage {
    case .integer(let path, _): "\(parameters[keyPath: path])"
    case .number(let path, _): "\(parameters[keyPath: path])"
    case .choice(let path, _): parameters[keyPath: path]
    }
  }

  func isAllowed(in parameters: Parameters) -> Bool {
    switch storage {
    case .integer(let path, let range): range.contains(parameters[keyPath: path])
    case .number(let path, let range): range.contains(parameters[keyPath: path])
    case .choice(let path, let names): names.contains(parameters[keyPath: path])
    }
  }

  func set(_ text: String, in parameters: inout Parameters) throws(ParameterError) {
    switch storage {
    case .integer(let path, let range):
      guard let value = Int(text), range.contains(value) else { throw notAllowed(text) }
      parameters[keyPath: path] = value
    case .number(let path, let range):
      guard let value = Double(text), range.contains(value) else { throw notAllowed(text) }
      parameters[keyPath: path] = value
    case .choice(let path, let names):
      guard names.contains(text) else { throw notAllowed(text) }
      parameters[keyPath: path] = text
    }
  }

  func notAllowed(_ text: String) -> ParameterError {
    ParameterError(code: .notAllowed, message: "\(name)=\(text): allowed is \(allowedValues)")
  }
}

/// Parameters of an algorithm that can be listed, checked and set by name.
public protocol NamedParameters: Sendable, Hashable {
  /// All parameters, in the order in which people should read them.
  static var keys: [ParameterKey<Self>] { get }
}

extension NamedParameters {
  /// Checks every parameter against its range.
  ///
  /// - Throws: ``ParameterError`` that names the first parameter out of range and what it may be.
  public func validate() throws(ParameterError) {
    for key in Self.keys where !key.isAllowed(in: self) { throw key.notAllowed(key.value(in: self)) }
  }

  /// Takes over `base` and sets what `text` names.
  ///
  /// - Parameters:
  ///   - base: The parameters that the other values come from.
  ///   - text: `key=value:key=value`; empty for no change. A later value of a key wins.
  /// - Throws: ``ParameterError`` that names the unknown key or the value and what is allowed.
  public init(overriding base: Self, with text: String) throws(ParameterError) {
    self = base
    for assignment in text.split(separator: ":", omittingEmptySubsequences: false) where !text.isEmpty {
      let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw ParameterError(
          code: .malformed, message: "“\(assignment)” in “\(text)”: parameters are written key=value:key=value")
      }
      guard let key = Self.keys.first(where: { $0.name == parts[0] || $0.formerName.map { $0 == parts[0] } ?? false })
      else {
        let names = Self.keys.map(\.name).joined(separator: ", ")
        throw ParameterError(code: .unknownKey, message: "unknown parameter “\(parts[0])”: there are \(names)")
      }
      try key.set(String(parts[1]), in: &self)
    }
  }

  /// All parameters as `key=value:key=value`: what `init(overriding:with:)` reads.
  public var text: String { Self.keys.map { "\($0.name)=\($0.value(in: self))" }.joined(separator: ":") }
}
