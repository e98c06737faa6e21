// `#expect(throws:)` gives the error that it saw with Swift 6.1 or newer alone.

import Testing

/// Expects an error of a type, and returns it.
public func thrown<Failure: Error>(
  _ type: Failure.Type, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  performing body: () throws -> some Any
) -> Failure? {
  do {
    _ = try body()
    Issue.record("no error was thrown\(named(comment))", sourceLocation: sourceLocation)
  } catch let error as Failure {
    return error
  } catch {
    Issue.record("not \(type) was thrown but \(error)\(named(comment))", sourceLocation: sourceLocation)
  }
  return nil
}

private func named(_ comment: Comment?) -> String { comment.map { ": \($0)" } ?? "" }
