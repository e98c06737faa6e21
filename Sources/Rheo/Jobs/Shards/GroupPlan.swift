// Where a video is cut into groups of frames that are worked on by themselves.

import Imaging
import VideoIO

/// The groups of a video, or of a range of it: a function of its packets and the range alone.
struct GroupPlan {
  /// The length of groups, in frames.
  struct Lengths: Codable, Equatable {
    /// The number of frames of a group.
    var group: Int
    /// The number of frames by which a group is prepared.
    var preparation: Int

    /// The groups of a video that is drawn, as long as x264's between two key frames. A scale that falls has gone 87 %
    /// of its way in 50 frames; two seconds hold the trails of one.
    static let drawing = Lengths(group: 250, preparation: 50)
  }

  /// The length of the groups.
  let lengths: Lengths
  private let list: FrameList
  private let reading: VideoReader.Options

  /// Makes groups of a number of frames.
  /// - Throws: `MediaError`: `invalidOption` for what is no file, and the errors of reading.
  init(of input: String, reading: VideoReader.Options, lengths: Lengths) throws {
    list = try FrameList(of: input, options: reading)
    (self.reading, self.lengths) = (reading, lengths)
  }

  /// Makes groups of a duration.
  /// - Parameters:
  ///   - seconds: The duration of a group on average, in seconds; above 0.
  ///   - preparationSeconds: The time by which a group is prepared, in seconds.
  /// - Throws: The same errors.
  init(of input: String, reading: VideoReader.Options, seconds: Double, preparationSeconds: Double) throws {
    list = try FrameList(of: input, options: reading)
    self.reading = reading
    let frames = list.frames
    let duration = frames[frames.count - 1].time.seconds - frames[0].time.seconds
    func count(_ seconds: Double) -> Int {
      guard duration > 0 else { return frames.count }
      return max(1, Int(min(seconds / duration * Double(frames.count - 1), Double(frames.count)).rounded()))
    }
    lengths = Lengths(group: count(seconds), preparation: count(preparationSeconds))
  }

  /// The number of frames.
  var frameCount: Int { list.frames.count }
  /// The number of groups.
  var groupCount: Int { (frameCount + lengths.group - 1) / lengths.group }
  /// The time of the first frame.
  var start: MediaTime { list.frames[0].time }
  /// The time of the frame that ends the range; nil: none does, or it is not known.
  var end: MediaTime? { list.endTime }

  /// The part of a video that a job reads for groups of a shard.
  struct Part {
    let cut: ShardCut
    let groups: FrameGroups
  }

  /// Returns the numbers of the groups of a shard; none: there is none left for it.
  func groups(of shard: Shard) -> Range<Int> {
    func firstGroup(_ number: Int) -> Int { Int(Int128(number) * Int128(groupCount) / Int128(shard.count)) }
    return firstGroup(shard.number - 1)..<firstGroup(shard.number)
  }

  /// Returns what a job reads and works on for groups of a shard; nil for none.
  func part(_ numbers: Range<Int>, of shard: Shard) -> Part? {
    guard let firstNumber = numbers.first else { return nil }
    let groups = numbers.map { number in
      let begin = number * lengths.group
      return FrameGroups.Group(
        number: number, preparation: list.frames[max(0, begin - lengths.preparation)].time,
        begin: list.frames[begin].time)
    }
    let first = max(0, firstNumber * lengths.group - lengths.preparation)
    let behind = numbers.upperBound * lengths.group
    let isLast = behind >= frameCount
    let cut = ShardPlan.cut(
      list, reading, shard: shard, from: first, to: isLast ? frameCount - 1 : behind)
    return Part(cut: cut, groups: FrameGroups(groups: groups, end: isLast ? nil : list.frames[behind].time))
  }

  /// Returns the number of frames of a shard.
  func frameCount(of shard: Shard) -> Int {
    let groups = groups(of: shard)
    return min(frameCount, groups.upperBound * lengths.group) - min(frameCount, groups.lowerBound * lengths.group)
  }

  /// The digest of all frames of the range.
  var digest: String { ShardPlan.digest(of: list.frames) }
}
