// Where a video is cut into parts that can be worked on anywhere.

import Foundation
import Imaging
import VideoIO

/// The cuts of a video, or of a range of it, into a number of shards.
///
/// The pairs of frames are shared out: a shard has those that lead from its frames, and reads one frame more, with
/// which the next shard begins. Cuts lie at equal numbers of pairs, moved to the nearest key frame where there is one
/// within half a shard. They are a function of the video's packets, the range and the number of shards alone, so each
/// machine finds the same ones; any number of shards will do, some of them are empty when there are more than pairs.
public struct ShardPlan: Sendable {
  /// A frame at which a shard begins or ends.
  public struct Frame: Sendable, Hashable {
    /// The index among all frames of the stream, from 0.
    public let number: Int
    /// The time at which the frame shows.
    public let time: MediaTime
    /// A Boolean value that tells whether decoding can begin with the frame.
    public let isKeyFrame: Bool
  }

  /// The frames of a shard.
  public struct Part: Sendable, Hashable {
    /// The number of the shard, and of all shards.
    public let shard: Shard
    /// The first frame.
    public let first: Frame
    /// The last frame: the first one of the next shard, or the last one of the range.
    public let last: Frame
    /// The number of pairs of frames.
    public let pairCount: Int
  }

  /// The parts in their order; together they have all pairs of the range.
  public let parts: [Part]
  /// The number of frames of the range.
  public let frameCount: Int
  /// The reason for which the frames had to be decoded to be counted; nil: their packets were counted.
  public let decodingReason: String?
  private let reading: VideoReader.Options
  private let list: FrameList
  /// The indices of the first frames of all shards, and of the last frame.
  private let cuts: [Int]

  /// Cuts a video into `count` shards.
  /// - Parameters:
  ///   - input: A file.
  ///   - reading: The stream, the filter and the range.
  ///   - count: The number of shards.
  /// - Throws: `MediaError`: `invalidOption` for what is no file or a wrong number, and the errors of reading.
  public init(of input: String, reading: VideoReader.Options = .init(), count: Int) throws {
    _ = try Shard(number: 1, of: count)
    try self.init(FrameList(of: input, options: reading), reading, count: count)
  }

  /// Cuts a video into as few shards as have no more than `shardDuration` on average.
  /// - Parameters:
  ///   - input: A file.
  ///   - reading: The stream, the filter and the range.
  ///   - shardDuration: The length of a shard, in seconds; above 0.
  /// - Throws: `MediaError`: `invalidOption` for what is no file, or would be more than ``Shard/maximumCount`` shards.
  public init(of input: String, reading: VideoReader.Options = .init(), shardDuration: Double) throws {
    let list = try FrameList(of: input, options: reading)
    let duration = list.frames[list.frames.count - 1].time.seconds - list.frames[0].time.seconds
    let count = (duration / shardDuration).rounded(.up)
    guard shardDuration > 0, count <= Double(Shard.maximumCount) else {
      throw MediaError(
        .invalidOption, "\(shardDuration) s are no length of a shard: there would be more than \(Shard.maximumCount)",
        file: input)
    }
    try self.init(list, reading, count: max(1, Int(count)))
  }

  private init(_ list: FrameList, _ reading: VideoReader.Options, count: Int) throws {
    let frames = list.frames
    let cuts = Self.cuts(of: frames, count: count)
    (self.list, self.cuts) = (list, cuts)
    func frame(_ index: Int) -> Frame {
      Frame(number: frames[index].number, time: frames[index].time, isKeyFrame: frames[index].isKeyFrame)
    }
    parts = try (0..<count).map { part in
      Part(
        shard: try Shard(number: part + 1, of: count), first: frame(cuts[part]), last: frame(cuts[part + 1]),
        pairCount: cuts[part + 1] - cuts[part])
    }
    frameCount = frames.count
    decodingReason = list.decodingReason
    self.reading = reading
  }

  /// Returns the indices of the first frames of all shards, and of the last frame.
  private static func cuts(of frames: [FrameList.Frame], count: Int) -> [Int] {
    let pairCount = frames.count - 1
    let keyFrames = frames.indices.filter { frames[$0].isKeyFrame }
    var cuts = [0]
    for number in 1..<max(1, count) {
      let target = Int((Int128(number) * Int128(pairCount)) / Int128(count))
      let behind = keyFrames.partitioningIndex { $0 >= target }
      let near = keyFrames[max(0, behind - 1)..<min(keyFrames.count, behind + 1)]
      let nearest = near.min { abs($0 - target) < abs($1 - target) }
      // Within half a shard.
      let cut = nearest.flatMap { 2 * abs($0 - target) * count < pairCount ? $0 : nil } ?? target
      cuts.append(max(cut, cuts[number - 1]))
    }
    return cuts + [pairCount]
  }

  /// Returns what tells one list of frames from another.
  static func digest(of frames: [FrameList.Frame]) -> String {
    var numbers: [Int64] = []
    numbers.reserveCapacity(2 * frames.count)
    for frame in frames { numbers += [Int64(frame.number).littleEndian, frame.time.value.littleEndian] }
    return numbers.withUnsafeBytes { FileDigest.text(of: $0) }
  }

  /// Returns what a job reads for a shard.
  func cut(_ shard: Shard) -> ShardCut {
    Self.cut(list, reading, shard: shard, from: cuts[shard.number - 1], to: cuts[shard.number])
  }

  /// Returns what a job reads to have the frames from the index `first` up to `last`.
  static func cut(
    _ list: FrameList, _ reading: VideoReader.Options, shard: Shard, from first: Int, to last: Int
  ) -> ShardCut {
    var options = reading
    // Times are those of the frames, whatever number they turn out to have where others cannot be decoded. Where
    // decoding has told the number, times may be anything.
    let isDecoded = list.decodingReason != nil
    let (begin, end) = (list.frames[first], list.frames[last])
    if first > 0 || shard.number > 1 {
      options.range.start = isDecoded ? .frame(begin.number) : .seconds(begin.time.seconds - list.origin.seconds)
    }
    let isLimited = reading.range.duration != nil || reading.range.frameCount != nil
    options.range.duration = nil
    options.range.frameCount = nil
    // The last shard takes all that comes, unless the range counts from its beginning.
    let isOpen = last == list.frames.count - 1 && shard.number == shard.count && !isLimited
    return ShardCut(
      shard: shard, reading: options, end: isOpen ? nil : isDecoded ? .frame(end.number) : .time(end.time),
      pairCount: last - first, plan: digest(of: list.frames))
  }
}

/// The frames that a job reads for a shard.
struct ShardCut {
  /// The point at or after which the last frame is.
  enum End {
    case time(MediaTime)
    case frame(Int)

    func isReached(by frame: VideoFrame) -> Bool {
      switch self {
      case .time(let time): frame.presentationTime >= time
      case .frame(let number): frame.number >= number
      }
    }
  }

  let shard: Shard
  let reading: VideoReader.Options
  /// The end of the shard; nil: that of the range.
  let end: End?
  let pairCount: Int
  /// The digest of all frames of the range.
  let plan: String

  var json: JSONText {
    .object([("number", .integer(shard.number)), ("count", .integer(shard.count)), ("plan", .string(plan))])
  }
}

/// Reads frames up to the first one at or after the end, that one included: also where the frame that is expected there
/// cannot be decoded, the next shard begins with the last one here. Used by one thread.
final class ShardReader: FrameReader {
  private let reader: any FrameReader
  private let end: ShardCut.End?
  private var isOver = false

  /// - Parameter end: The end; nil: that of the reader.
  init(_ reader: any FrameReader, until end: ShardCut.End?) {
    self.reader = reader
    self.end = end
  }

  func nextFrame() throws -> VideoFrame? {
    guard !isOver, let frame = try reader.nextFrame() else { return nil }
    isOver = end?.isReached(by: frame) ?? false
    return frame
  }
}

extension Array {
  /// Returns the first index at which a condition holds that, once it does, holds for all that follow.
  fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
