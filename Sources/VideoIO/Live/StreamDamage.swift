/// The damage and the breaks of connections that follow one another.
struct StreamDamage {
  private var list = LimitedList<MediaGap>()
  /// The number of gaps of the present connection that were looked at.
  private var knownCount = 0

  var gaps: [MediaGap] { list.gaps }

  /// Damage this close to a break, in seconds, is a part of it.
  private static let breakMargin = 1.0

  /// Returns the latest one of the connection's gaps, unless it was looked at already.
  func latestGap(in connection: LimitedList<MediaGap>) -> MediaGap? {
    connection.count > knownCount ? connection.last : nil
  }

  /// Leaves the gaps of the connection out, so far.
  mutating func skip(_ connection: LimitedList<MediaGap>) { knownCount = connection.count }

  /// Takes the new gaps of the connection over.
  /// - Parameters:
  ///   - offset: The number of seconds that is added to the connection's times.
  ///   - frameNumber: The number of frames of the whole stream so far.
  mutating func append(_ connection: LimitedList<MediaGap>, offset: Double, frameNumber: Int) {
    func moved(_ gap: MediaGap) -> MediaGap {
      MediaGap(seconds: gap.seconds.map { $0 + offset }, frameNumber: frameNumber, reason: gap.reason)
    }
    for gap in connection.listed.dropFirst(knownCount) { list.append(moved(gap)) }
    let omittedCount = connection.count - max(knownCount, connection.listed.count)
    if omittedCount > 0, let last = connection.last { list.omit(omittedCount, from: moved(last)) }
    skip(connection)
  }

  /// Lists a break.
  /// - Parameter missing: The number of seconds that are missing; nil: nothing came after it.
  mutating func noteBreak(_ reason: String, missing: Double?, seconds: Double?, frameNumber: Int) {
    let rest = missing.map { "; \(($0 * 1000).rounded() / 1000) s are missing" } ?? ""
    list.append(MediaGap(seconds: seconds, frameNumber: frameNumber, reason: reason + rest))
  }

  /// Forgets the damage shortly before a break: the last images before it are often damaged, which is a part of it.
  mutating func forget(upTo end: Double) {
    list.remove { gap in
      gap.seconds.map { $0 > end - Self.breakMargin } ?? true && !gap.reason.hasSuffix("are missing")
    }
  }
}
