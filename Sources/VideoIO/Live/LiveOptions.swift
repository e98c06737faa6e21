/// How inputs are read that do not wait for their reader.
public struct LiveOptions: Sendable, Hashable {
  /// Whether the input is live; nil: its kind and its headers tell. Pipes and files are not live by themselves.
  public var isLive: Bool?
  /// For how many seconds a stream that broke off is tried again: 0 never, infinity for ever.
  public var reconnectionTime = 30.0
  /// A stream that sends nothing for this many seconds has broken off.
  public var patience = 10.0

  /// How long the first pause before an attempt is, in seconds; each following one is twice as long,
  public static let firstPause = 0.5
  /// up to this.
  public static let longestPause = 30.0
  /// What ``reconnectionTime`` may be, apart from infinity.
  public static let secondsRange = 0.0...86400.0

  /// The usual ones.
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

  /// The pause before an attempt, in seconds.
  /// - Parameter attempt: From 0.
  static func pause(before attempt: Int) -> Double {
    var pause = firstPause
    for _ in 0..<min(attempt, 16) { pause = min(2 * pause, longestPause) }
    return pause
  }
}

/// What becomes of the connection to a stream.
public enum ConnectionUpdate: Sendable, Hashable {
  /// It broke off after this many frames.
  case lost(frames: Int, reason: String)
  /// An attempt failed; the next one comes in `seconds`.
  case failed(reason: String, nextIn: Double)
  /// It is there again; so many seconds are missing.
  case restored(missing: Double)
  /// It did not come back in time.
  case givenUp(after: Double)
}
