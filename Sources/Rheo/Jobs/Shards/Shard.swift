import VideoIO

/// A part of the work on a video: the `number`-th of `count` parts of nearly one length.
public struct Shard: Sendable, Hashable, CustomStringConvertible {
  /// The number of the part, from 1.
  public let number: Int
  /// The number of all parts.
  public let count: Int

  /// The largest number of parts: a year in parts of half a minute.
  public static let maximumCount = 1_000_000

  /// Names a part.
  /// - Throws: `MediaError` `invalidOption` unless 1 ≤ `number` ≤ `count` ≤ ``maximumCount``.
  public init(number: Int, of count: Int) throws {
    guard (1...Self.maximumCount).contains(count), (1...count).contains(number) else {
      throw MediaError(
        .invalidOption, "a shard is K/N with 1 ≤ K ≤ N ≤ \(Self.maximumCount), not \(number)/\(count)")
    }
    self.number = number
    self.count = count
  }

  public var description: String { "\(number)/\(count)" }
}
