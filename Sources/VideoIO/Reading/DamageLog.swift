/// The points of an input that could not be decoded, in their order.
struct DamageLog {
  private(set) var list = LimitedList<MediaGap>()
  var gaps: [MediaGap] { list.gaps }

  /// Lists damage. What is said of the same frame twice in a row is listed once.
  mutating func note(_ reason: String, seconds: Double?, frameNumber: Int) {
    if let last = list.last, last.frameNumber == frameNumber, last.reason == reason { return }
    list.append(MediaGap(seconds: seconds, frameNumber: frameNumber, reason: reason))
  }
}

/// The facts about an input at its end. A file that was cut off ends like a whole one; these tell.
struct InputEnd {
  /// FFmpeg's name of the container.
  var format: String
  /// A Boolean value that tells whether the demuxer logged that data are missing.
  var isCutOff: Bool
  /// The number of packets of the video that the header promises, and of those that came.
  var (promised, read): (Int, Int)
  /// A Boolean value that tells whether the input can be read in any order, as a pipe cannot.
  var isSeekable: Bool

  /// The signs that the end came too early.
  var faults: [String] {
    let cut = isCutOff ? ["the file ends in the middle of its data"] : []
    guard format.hasPrefix("mov"), promised > read else { return cut }
    if read == 0, !isSeekable {
      return cut + ["the index of this \(format) stands at its end, which a pipe cannot reach; give it as a file"]
    }
    return cut + ["the file ends after \(read) of \(promised) frames"]
  }
}
