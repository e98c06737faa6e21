import Imaging

/// The search for frames that repeat the one before: cameras in the dark and converters of frame rates show each image
/// several times. Used by one thread.
///
/// An image that is shown now twice, now three times, as ten frames are in 25, is repeated where images change in more
/// than a few places: an object that creeps through a video without noise changes it so, too.
///
/// Repetitions were encoded again, so they hardly differ instead of not at all. Where little moves, encoders leave up
/// to half of the change to the repetition; then it tells that it is every other frame. The constants were chosen by
/// hand, on clips and drawn scenes whose frames were doubled and encoded by five encoders.
struct FrameRepetition: Sendable {
  /// The frame before.
  private var previous: Plane<Float>?
  /// The change with the last frame that showed something else; nil before the first.
  private var change: Change?
  /// The number of repetitions since that frame.
  private var count = 0
  /// The numbers of repetitions of the frames before, and the shares of their groups that had changed, the last one
  /// last.
  private var (counts, spreads): ([Int], [Float]) = ([], [])
  /// The sums of the changes with the last frames, whatever they showed, the last one last.
  private var sums: [Float] = []

  /// The maximum ratio of a repetition's change to that of the frame it repeats: a fifth in grey levels.
  private static let maximumRatio: Float = 0.04
  /// The maximum ratio where every other frame hardly changes.
  private static let maximumAlternatingRatio: Float = 0.6
  /// The number of frames, every other one, that are asked whether they change less than the ones around, and the
  /// number of those that must.
  private static let (alternatingFrames, minimumAlternatingFrames) = (5, 4)
  /// The number of images that must have been repeated about equally often.
  private static let memory = 4
  /// The mean share of the groups that change from image to image from which on they may be repeated once more or less.
  /// In videos of cameras, also strongly compressed ones, 0.13 to 1 change in the median; what creeps through an image
  /// without noise changes its own size.
  private static let minimumSpread: Float = 0.1
  /// The change of a group from which on it counts for that, in squared grey levels: nothing but rounding is less.
  private static let minimumGroupChange: Float = 0.01
  /// The maximum number of repetitions of an image, half a second of 25 frames: what lasts longer stands still.
  private static let maximumCount = 12
  /// The distance of the rows that are looked at, and the number of pixels of a row that make a group.
  private static let (rowDistance, groupWidth) = (4, 4)

  /// The change from one image to the next, in squared grey levels.
  private struct Change {
    /// The sum over the groups.
    var sum: Float = 0
    /// The maximum of a group.
    var maximum: Float = 0
    /// The share of the groups that changed, 0…1.
    var spread: Float = 0

    /// Returns whether this change is at most a share of another, in sum and in each group.
    func isWithin(_ share: Float, of other: Change) -> Bool {
      sum <= share * other.sum && maximum <= share * other.maximum
    }
  }

  /// The number of repetitions that each of the last images had at most; 0: none, or not about equally many.
  private var usualCount: Int {
    guard counts.count == Self.memory, let fewest = counts.min(), let most = counts.max(), most <= Self.maximumCount
    else { return 0 }
    let maySlip = spreads.reduce(0, +) >= Self.minimumSpread * Float(Self.memory)
    return most - fewest <= (maySlip ? 1 : 0) ? most : 0
  }

  /// A Boolean value that tells whether frames were repeated of late.
  var isExpected: Bool { usualCount > 0 }

  /// Takes the next frame, and returns whether it repeats the one before, as frames of the stream do of late; otherwise
  /// nothing moves.
  mutating func isRepetition(_ image: Plane<Float>) -> Bool {
    defer { previous = image }
    guard let previous, previous.size == image.size else { return false }
    let change = Self.change(from: previous, to: image)
    let alternates = alternates(to: change.sum)
    sums = sums.suffix(2 * Self.alternatingFrames) + [change.sum]
    if let last = self.change, alternates || change.isWithin(Self.maximumRatio, of: last) {
      count += 1
      return alternates || count <= usualCount
    }
    if let last = self.change {
      counts = counts.suffix(Self.memory - 1) + [count]
      spreads = spreads.suffix(Self.memory - 1) + [last.spread]
    }
    (self.change, count) = (change, 0)
    return false
  }

  /// Returns whether a frame with such a change is one of those, every other one, that change less than the others.
  private func alternates(to sum: Float) -> Bool {
    guard sums.count > 2 * Self.alternatingFrames, let last = sums.last, sum < Self.maximumAlternatingRatio * last
    else { return false }
    let weak = (1...Self.alternatingFrames).count {
      let index = sums.count - 2 * $0
      return sums[index] < Self.maximumAlternatingRatio * min(sums[index - 1], sums[index + 1])
    }
    return weak >= Self.minimumAlternatingFrames
  }

  private static func change(from previous: Plane<Float>, to image: Plane<Float>) -> Change {
    var (tally, groupCount) = (GroupTally(minimumChange: minimumGroupChange), 0)
    previous.withView { previous in
      image.withView { image in
        let wholeWidth = image.width / (4 * groupWidth) * (4 * groupWidth)
        for y in stride(from: 0, to: image.height, by: rowDistance) {
          let (before, now) = (UnsafeRawPointer(previous.row(y)), UnsafeRawPointer(image.row(y)))
          // Four groups at a time, then those that are left.
          for x in stride(from: 0, to: wholeWidth, by: 4 * groupWidth) {
            tally.note(squares(SIMD16<Float>.self, now, before, x).sumsOfFour)
          }
          for x in stride(from: wholeWidth, to: image.width - groupWidth + 1, by: groupWidth) {
            tally.note(SIMD4(squares(SIMD4<Float>.self, now, before, x).sum(), 0, 0, 0))
          }
          groupCount += image.width / groupWidth
        }
      }
    }
    let spread = Float(tally.changedCounts.wrappedSum()) / Float(max(groupCount, 1))
    return Change(sum: tally.sums.sum(), maximum: tally.maxima.max(), spread: spread)
  }

  /// Returns the squared differences of some neighbours in two rows.
  @inline(__always)
  private static func squares<Lanes: SIMD>(
    _: Lanes.Type, _ now: UnsafeRawPointer, _ before: UnsafeRawPointer, _ x: Int
  ) -> Lanes where Lanes.Scalar == Float {
    let offset = x * MemoryLayout<Float>.stride
    let difference =
      now.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
      - before.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
    return difference * difference
  }

  /// Forgets all, after a gap or a cut.
  mutating func reset() { self = FrameRepetition() }
}

/// The sums and the maxima of the squared changes of groups, four groups at a time.
private struct GroupTally {
  private(set) var (sums, maxima) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
  /// The numbers of the groups that changed.
  private(set) var changedCounts = SIMD4<Int32>.zero
  private let minimumChange: SIMD4<Float>

  init(minimumChange: Float) { self.minimumChange = SIMD4(repeating: minimumChange) }

  @inline(__always)
  mutating func note(_ groups: SIMD4<Float>) {
    sums += groups
    maxima.replace(with: groups, where: groups .> maxima)
    changedCounts.replace(with: changedCounts &+ SIMD4(repeating: 1), where: groups .> minimumChange)
  }
}

extension SIMD16<Float> {
  /// The sums of the first four values, the next four, and so on.
  @inline(__always)
  fileprivate var sumsOfFour: SIMD4<Float> {
    let pairs = evenHalf + oddHalf
    return pairs.evenHalf + pairs.oddHalf
  }
}
