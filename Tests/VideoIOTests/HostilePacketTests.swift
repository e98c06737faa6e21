import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Packets with times and durations that no muxer writes, on their way into clips.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct HostilePacketTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The streams of a file, and the packets of all of them.
  private func read(_ file: URL) throws -> (streams: CopiedStreams, packets: [SourcePacket]) {
    var options = VideoReader.Options(threadCount: 1)
    options.keepsPackets = true
    let reader = try VideoReader(file.path, options: options)
    let streams = try CopiedStreams(reader)
    var packets: [SourcePacket] = []
    while try reader.nextFrame() != nil { packets += reader.takePackets() }
    return (streams, packets + reader.takePackets())
  }

  /// Writes a file of H.264 with frames that are stored in another order than they show in, each with a duration.
  private func reordered(imageDuration: UInt64) throws -> URL {
    let (plain, file) = (folder.file("plain.mkv"), folder.file("in.mkv"))
    try Clips.moving(plain, frames: 25, encoding: ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2"])
    let demuxer = try Demuxer(path: plain.path, format: nil)
    let parameters = demuxer.streams[0].pointee.codecpar.pointee
    var details = MatroskaFile.Details()
    (details.rate, details.imageDuration) = (nil, imageDuration)
    details.codec = "V_MPEG4/ISO/AVC"
    details.codecData = Data(bytes: try #require(parameters.extradata), count: Int(parameters.extradata_size))
    var (images, times): ([Data], [UInt64]) = ([], [])
    let packet = try OwnedPacket()
    while try demuxer.read(packet.pointer) {
      let raw = packet.pointer.pointee
      if raw.flags & Int32(AV_PKT_FLAG_KEY) == 0 { details.dependentImages.insert(images.count) }
      images.append(Data(bytes: try #require(raw.data), count: Int(raw.size)))
      times.append(UInt64(bitPattern: raw.pts))
      av_packet_unref(packet.pointer)
    }
    try MatroskaFile.write(images, times: times, nanosecondsPerTick: 1_000_000, details: details, to: file)
    return file
  }

  /// The decoding time of the first packets is missing: it is told by the durations, twice of which was a trap.
  @Test func framesThatSayToShowForMillionsOfYearsAreCopied() throws {
    let (streams, packets) = try read(try reordered(imageDuration: 1 << 62))
    try #require(packets.count == 25 && packets[0].pointer.pointee.dts == RHEO_NO_TIME)
    let output = folder.file("out.mkv")
    let writer = try ClipWriter(
      output.path, streams: streams, start: try #require(packets[0].time), overwrite: false)
    for packet in packets { try writer.append(packet) }
    try writer.finish()
    #expect(try FFmpegTools.packetSizes(output, streams: "v") == packets.map { Int($0.pointer.pointee.size) })
    #expect(try FFmpegTools.frameTimes(output).count == 25)
  }

  @Test(arguments: [40, 86_399_999, 86_400_001, 1 << 60] as [UInt64])
  func durationsOfMoreThanADayAreUnknown(duration: UInt64) throws {
    let file = folder.file("in.mkv")
    var details = MatroskaFile.Details()
    (details.rate, details.imageDuration) = (nil, duration)
    try MatroskaFile.write(
      try MatroskaFile.images(3), times: [0, 40, 80], nanosecondsPerTick: 1_000_000, details: details, to: file)
    let packets = try read(file).packets
    let expected = duration < 86_400_000 ? Double(duration) / 1000 : 0
    #expect(packets.count == 3 && packets.allSatisfy { $0.duration == expected }, "\(packets.map(\.duration))")
  }

  /// Nanoseconds, then seconds from before the beginning of time, which nanoseconds cannot count.
  @Test(arguments: [false, true]) func partsWithOtherTicksAreJoined(encodes: Bool) throws {
    let images = try MatroskaFile.images(12)
    let ticks = [(1, 0, 40_000_000), (1_000_000_000, -(1 << 60), 1)]
    let inputs = try ticks.map {
      (unit, first, step) -> (streams: CopiedStreams, packets: [SourcePacket]) in
      let times = (0..<12).map { UInt64(bitPattern: Int64(first + step * $0)) }
      var details = MatroskaFile.Details()
      details.sound = [MatroskaFile.Sound(beforeImage: 0, time: times[0], packetSize: 80)]
      let file = folder.file("\(unit).mkv")
      try MatroskaFile.write(images, times: times, nanosecondsPerTick: UInt64(unit), details: details, to: file)
      return try read(file)
    }
    let output = folder.file("out.mkv")
    let writer = try JoinedWriter(
      output.path, streams: inputs[0].streams, encodes: encodes, options: EncoderOptions(preset: "ultrafast"),
      inputs: [])
    for (streams, packets) in inputs {
      let start = try #require(packets.first(where: \.isVideo)?.time)
      let part = try writer.part(of: streams, from: start, reading: .init(threadCount: 1)) { _ in }
      for packet in packets {
        try part.append(packet)
        if packet.isVideo, let time = packet.time { try part.advance(to: time) }
      }
      try part.finishVideo()
      try part.finish()
    }
    try writer.finish()
    // Encoded, the second part has one image: the first one's ticks cannot tell its times apart.
    let count = try FFmpegTools.packetSizes(output, streams: "v").count
    #expect(count == (encodes ? 13 : 24), "\(count)")
  }

  /// Two inputs are read at the same time, and the event of the first does not end.
  @Test func waitingForAnotherInputHasALimit() throws {
    let (plain, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try Clips.moving(plain, frames: 25, encoding: ["-c:v", "libx264", "-preset", "ultrafast"])
    let (first, second) = (try read(plain), try read(plain))
    let writer = try JoinedWriter(
      output.path, streams: first.streams, encodes: false, options: EncoderOptions(), inputs: [])
    writer.waitingByteLimit = second.packets.prefix(10).reduce(0) { $0 + $1.byteCount }
    let time = try #require(first.packets[0].time)
    let parts = try [first.streams, second.streams].map {
      try writer.part(of: $0, from: time, reading: .init(threadCount: 1)) { _ in }
    }
    for packet in second.packets.prefix(10) { try parts[1].append(packet) }
    let error = thrown(MediaError.self) { try parts[1].append(second.packets[10]) }
    #expect(error?.code == .cannotWrite && error?.message.contains("one input after the other") == true)
    // What waited until then is written, and so is what follows its turn.
    for packet in first.packets { try parts[0].append(packet) }
    try parts[0].finishVideo()
    try parts[0].finish()
    for packet in second.packets.dropFirst(10) { try parts[1].append(packet) }
    try parts[1].finishVideo()
    try parts[1].finish()
    try writer.finish()
    #expect(try FFmpegTools.packetSizes(output, streams: "v").count == 50)
  }

  @Test func framesAtTheEndOfNumbersAreWrittenOrRefused() throws {
    let times: [Int64] = [.max - 1, .max, .max, .max]
    do {
      let writer = try VideoWriter(
        folder.file("out.mkv").path, options: EncoderOptions(codec: "ffv1"), size: PixelSize(width: 32, height: 32),
        frameRate: Rational(25, 1))
      let maker = CanvasMaker(format: writer.canvasFormat)
      for (number, ticks) in times.enumerated() {
        let time = MediaTime(value: ticks, timeBase: Rational(1, 25))
        let image = Plane<RGBA8>(width: 32, height: 32) { _, _ in RGBA8(9, 9, 9) }
        try writer.append(try maker.canvas(for: VideoFrame(image: image, number: number, presentationTime: time)))
      }
      try writer.finish()
    } catch let error as MediaError {
      #expect(!error.description.isEmpty)
    }
  }
}
