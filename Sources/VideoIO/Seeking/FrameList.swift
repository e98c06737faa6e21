// The frames of a range without their pixels: all that cutting a video into parts asks for.

import CFFmpeg
import Imaging

/// The frames that a reader delivers, as the packets of the video say, or as decoding does where they cannot be
/// counted.
package struct FrameList: Sendable {
  /// A frame without its pixels.
  package struct Frame: Sendable, Hashable {
    /// The index among all frames of the stream, from 0.
    package let number: Int
    /// The time at which the frame shows.
    package let time: MediaTime
    /// A Boolean value that tells whether decoding can begin with the frame.
    package let isKeyFrame: Bool
  }

  /// The frames of the range, in their order.
  package private(set) var frames: [Frame] = []
  /// The time of the first frame of the stream, from which the seconds of a range are counted.
  package let origin: MediaTime
  /// The time of the frame that ends the range; nil: the range lasts to the end of the video, or it is not known.
  package private(set) var endTime: MediaTime?
  /// The reason for which the frames were counted by decoding; nil: their packets were counted.
  package private(set) var decodingReason: String?

  /// Lists the frames of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: The stream, the filter and the range. With `keepsPacketIndex` the packets are read once, and their
  ///     index is kept beside the video.
  /// - Throws: ``MediaError`` `invalidOption` for what is no file, `noVideo` when no frame lies in the range, and the
  ///   errors of reading.
  package init(of path: String, options: VideoReader.Options) throws {
    var whole = options
    whole.range = .all
    let reader = try VideoReader(path, options: whole)
    guard reader.demuxer.isFile else {
      throw MediaError(.invalidOption, "is no file: only files are cut into shards", file: reader.path)
    }
    _ = try reader.videoFormat()
    guard let first = try reader.nextFrame() else { preconditionFailure("a video with a format has no frame") }
    origin = first.presentationTime
    do {
      try countPackets(of: reader, path, options.range)
    } catch let refusal as SeekRefusal {
      FFmpegLog.note("\(reader.path): decoding all frames to count them: \(refusal.reason)")
      decodingReason = refusal.reason
      try countDecoded(path, options)
    }
    guard !frames.isEmpty else { throw MediaError(.noVideo, "no frame lies in the asked range", file: reader.path) }
  }

  private mutating func countPackets(of reader: VideoReader, _ path: String, _ range: MediaRange) throws {
    try reader.requireCountableFrames()
    let stream = reader.stream
    let scan = try PacketScan(stream, isInMP4: reader.demuxer.isMP4)
    let index = try reader.packetIndex(of: path, upTo: nil, scan)
    let times = try index.frameTimes()
    let base = stream.pointee.time_base.rational
    // Frames ahead of the first one that was decoded have no key frame.
    guard origin.timeBase == base, let first = times.firstIndex(of: origin.value) else {
      throw SeekRefusal("the first frame is none of the packets")
    }
    var keyTimes = index.keyFrameTimes[...]
    var selection = RangeSelection(range)
    for (number, ticks) in times[first...].enumerated() {
      while let key = keyTimes.first, key < ticks { keyTimes.removeFirst() }
      let time = MediaTime(value: ticks, timeBase: base)
      switch selection.decide(time) {
      case .skip: continue
      case .stop:
        endTime = time
        return
      case .deliver: frames.append(Frame(number: number, time: time, isKeyFrame: keyTimes.first == ticks))
      }
    }
  }

  private mutating func countDecoded(_ path: String, _ options: VideoReader.Options) throws {
    let reader = try VideoReader(path, options: options)
    while let frame = try reader.nextFrame() {
      frames.append(Frame(number: frame.number, time: frame.presentationTime, isKeyFrame: false))
    }
  }
}

extension PacketIndex {
  /// The times of the key frames that are shown after all packets ahead of them, in their order.
  fileprivate var keyFrameTimes: [Int64] {
    var latest = Int64.min
    var times: [Int64] = []
    for packet in packets {
      if packet.isKeyFrame, !packet.isDiscarded, packet.time > latest { times.append(packet.time) }
      latest = max(latest, packet.time)
    }
    return times
  }
}
