// Where an annotated video is cut into groups that can be made anywhere.

import Imaging
import VideoIO

/// Groups of frames that are drawn and encoded by themselves, told apart by the frames' times.
///
/// A drawing depends on the frames before: the scale follows the stream. A group is prepared by the frames just
/// ahead of it, and by no others. A value; used by one thread.
struct FrameGroups: Sendable {
  /// A group of frames.
  struct Group: Sendable {
    /// The number of the group in the whole video, from 0.
    let number: Int
    /// The time of the first frame by which it is prepared.
    let preparation: MediaTime
    /// The time of its first frame.
    let begin: MediaTime
  }

  /// The groups, in order.
  let groups: [Group]
  /// The time of the first frame behind them; nil: they last to the end.
  let end: MediaTime?
  /// The index of the group that comes next.
  private var position = 0

  init(groups: [Group], end: MediaTime?) {
    (self.groups, self.end) = (groups, end)
  }

  /// Returns whether the next group is being prepared, or begins.
  func isPrepared(at time: MediaTime) -> Bool { position < groups.count && time >= groups[position].preparation }

  /// Returns whether a group begins with a frame.
  mutating func begin(at time: MediaTime) -> Bool {
    let before = position
    while position < groups.count, time >= groups[position].begin { position += 1 }
    return position > before
  }

  /// Returns whether a frame belongs to one of the groups.
  func isInside(_ time: MediaTime) -> Bool {
    guard let first = groups.first, time >= first.begin else { return false }
    return end.map { time < $0 } ?? true
  }
}

/// The groups of a video, or of a range of it: a function of its packets and the range alone.
struct GroupPlan {
  /// The number of frames of a group: that of x264 between two key frames.
  static let groupLength = 250
  /// The number of frames by which a group is prepared. A scale that falls has gone 87 % of its way then; two seconds
  /// hold the trails of one.
  static let preparationLength = 50

  private let list: FrameList
  private let reading: VideoReader.Options

  /// - Throws: `MediaError`: `invalidOption` for what is no file, and the errors of reading.
  init(of input: String, reading: VideoReader.Options) throws {
    list = try FrameList(of: input, options: reading)
    self.reading = reading
  }

  /// The number of frames.
  var frameCount: Int { list.frames.count }
  /// The number of groups.
  var groupCount: Int { (frameCount + Self.groupLength - 1) / Self.groupLength }
  /// The time of the first frame.
  var start: MediaTime { list.frames[0].time }
  /// The time of the frame that ends the range; nil: none does, or it is not known.
  var end: MediaTime? { list.endTime }

  /// The part of a video that a job reads and draws for a shard.
  struct Part {
    let cut: ShardCut
    let groups: FrameGroups
  }

  /// Returns what a job reads and draws for a shard: whole groups; nil: there is none left for it.
  func part(_ shard: Shard) -> Part? {
    func firstGroup(_ number: Int) -> Int { Int(Int128(number) * Int128(groupCount) / Int128(shard.count)) }
    let numbers = firstGroup(shard.number - 1)..<firstGroup(shard.number)
    guard let firstNumber = numbers.first else { return nil }
    let groups = numbers.map { number in
      let begin = number * Self.groupLength
      return FrameGroups.Group(
        number: number, preparation: list.frames[max(0, begin - Self.preparationLength)].time,
        begin: list.frames[begin].time)
    }
    let first = max(0, firstNumber * Self.groupLength - Self.preparationLength)
    let behind = numbers.upperBound * Self.groupLength
    let isLast = behind >= frameCount
    let cut = ShardPlan.cut(
      list, reading, shard: shard, from: first, to: isLast ? frameCount - 1 : behind)
    return Part(cut: cut, groups: FrameGroups(groups: groups, end: isLast ? nil : list.frames[behind].time))
  }

  /// The digest of all frames of the range.
  var digest: String { ShardPlan.digest(of: list.frames) }
}
