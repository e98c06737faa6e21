/// The options for reading inputs that do not wait for their reader.
public struct LiveOptions: Sendable, Hashable {
  /// A Boolean value that tells whether the input is live; nil: its kind and its headers tell. Pipes and files are not
  /// live by themselves.
  public var isLive: Bool?
  /// The time for which a stream that broke off is tried again, in seconds: 0 never, infinity for ever.
  public var reconnectionTime = 30.0
  /// The time without data after which a stream has broken off, in seconds.
  public var patience = 10.0

  /// The first pause before an attempt, in seconds; each following one is twice as long, up to ``maximumPause``.
  public static let firstPause = 0.5
  /// The longest pause before an attempt, in seconds.
  public static let maximumPause = 30.0
  /// The range of ``reconnectionTime``, apart from infinity, in seconds; ``patience`` must lie in it and above 0.
  public static let secondsRange = 0.0...86400.0

  /// Creates the usual options.
  public init() {}

  /// - Throws: ``MediaError`` `invalidOption`.
  public func validate() throws {
    guard Self.secondsRange.contains(reconnectionTime) || reconnectionTime == .infinity else {
      throw MediaError(
        .invalidOption, "streams are tried again for 0…86400 seconds or for ever, not \(reconnectionTime)")
    }
    guard patience > 0, Self.secondsRange.contains(patience) else {
      throw MediaError(.invalidOption, "streams are waited for more than 0 and up to 86400 seconds, not \(patience)")
    }
  }

  /// Returns the pause before an attempt, in seconds.
  /// - Parameter attempt: The number of the attempt, from 0.
  static func pause(before attempt: Int) -> Double {
    var pause = firstPause
    for _ in 0..<min(attempt, 16) { pause = min(2 * pause, maximumPause) }
    return pause
  }
}

/// A change in the connection to a stream.
public enum ConnectionUpdate: Sendable, Hashable {
  /// The connection broke off after `frames` frames.
  case lost(frames: Int, reason: String)
  /// An attempt failed; the next one comes in `seconds`.
  case failed(reason: String, nextIn: Double)
  /// The connection is there again; `missing` seconds are missing.
  case restored(missing: Double)
  /// The connection did not come back in time.
  case givenUp(after: Double)
}
