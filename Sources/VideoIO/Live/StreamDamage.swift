/// The damage and the breaks of connections that follow one another.
struct StreamDamage {
  private(set) var gaps: [MediaGap] = []
  /// The number of gaps of the present connection that were looked at.
  private var knownCount = 0

  /// Damage this close to a break, in seconds, is a part of it.
  private static let breakMargin = 1.0

  /// Returns those of the connection's gaps that were not looked at yet.
  func newGaps(in connection: [MediaGap]) -> ArraySlice<MediaGap> { connection.dropFirst(knownCount) }

  /// Leaves the gaps of the connection out, so far.
  mutating func skip(_ connection: [MediaGap]) { knownCount = connection.count }

  /// Takes the new gaps of the connection over.
  /// - Parameters:
  ///   - offset: The number of seconds that is added to the connection's times.
  ///   - frameNumber: The number of frames of the whole stream so far.
  mutating func append(_ connection: [MediaGap], offset: Double, frameNumber: Int) {
    gaps += newGaps(in: connection).map { gap in
      MediaGap(seconds: gap.seconds.map { $0 + offset }, frameNumber: frameNumber, reason: gap.reason)
    }
    skip(connection)
  }

  /// Lists a break.
  /// - Parameter missing: The number of seconds that are missing; nil: nothing came after it.
  mutating func noteBreak(_ reason: String, missing: Double?, seconds: Double?, frameNumber: Int) {
    let rest = missing.map { "; \(($0 * 1000).rounded() / 1000) s are missing" } ?? ""
    gaps.append(MediaGap(seconds: seconds, frameNumber: frameNumber, reason: reason + rest))
  }

  /// Forgets the damage shortly before a break: the last images before it are often damaged, which is a part of it.
  mutating func forget(upTo end: Double) {
    gaps.removeAll { gap in
      gap.seconds.map { $0 > end - Self.breakMargin } ?? true && !gap.reason.hasSuffix("are missing")
    }
  }
}
