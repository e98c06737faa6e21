import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct PacketRouterTests {
  private let folder: TemporaryFolder
  private let clip: URL

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("in.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "ffv1", "-c:a",
      "pcm_s16le", clip.path,
    ])
  }

  /// The packets of the sound, as an output gets them.
  private final class Sink {
    private(set) var packets: [(size: Int, seconds: Double)] = []

    func write(_ media: MediaPacket) {
      let packet = media.packet.pointer.pointee
      packets.append((Int(packet.size), Double(packet.pts) / 1000))
    }
  }

  private func router(rangeEndsEarly: Bool = false, heldByteLimit: Int = 1 << 20) throws -> PacketRouter {
    let demuxer = try Demuxer(path: clip.path, format: nil)
    return try PacketRouter(
      demuxer, video: demuxer.streams[0], keepsPackets: false, rangeEndsEarly: rangeEndsEarly,
      heldByteLimit: heldByteLimit)
  }

  /// Reads `count` packets of the video, or up to the end.
  private func read(_ router: inout PacketRouter, count: Int = .max) throws {
    for _ in 0..<count {
      guard case .video = try router.next() else { return }
    }
  }

  private func time(_ seconds: Double) -> MediaTime {
    MediaTime(value: Int64(seconds * 1000), timeBase: Rational(1, 1000))
  }

  @Test func whatCameBeforeTheFirstFrameIsCopied() throws {
    var router = try self.router()
    let sink = Sink()
    try read(&router, count: 10)
    #expect(router.videoPacketCount == 10)
    try router.copy(streams: [1], to: sink.write)
    let early = sink.packets.count
    #expect(early > 0)
    try read(&router)
    #expect(router.videoPacketCount == 50 && sink.packets.count > early)
    #expect(try sink.packets.map(\.size) == FFmpegTools.packetSizes(clip, streams: "a"))
  }

  @Test func aRangeThatEndsEarlyHoldsPacketsUntilItsFramesCome() throws {
    var router = try self.router(rangeEndsEarly: true)
    let sink = Sink()
    try router.copy(streams: [1], to: sink.write)
    try read(&router)
    #expect(sink.packets.isEmpty)
    try router.deliver(time(0.5))
    #expect(!sink.packets.isEmpty && sink.packets.allSatisfy { $0.seconds < 0.5 })
    try router.stop(at: time(1))
    #expect(sink.packets.contains { $0.seconds > 0.9 } && sink.packets.allSatisfy { $0.seconds < 1 })
    let count = sink.packets.count
    try router.release()
    #expect(sink.packets.count == count)
  }

  @Test func aLateStartLeavesOutWhatIsLongBefore() throws {
    var router = try self.router()
    let sink = Sink()
    try read(&router)
    try router.skip(time(1.5))
    try router.copy(streams: [1], to: sink.write)
    let first = try #require(sink.packets.first)
    #expect(abs(first.seconds - 0.5) < 0.1, "\(first.seconds)")
  }

  /// Two seconds of sound are 176 kB.
  @Test(arguments: [false, true]) func whatIsHeldIsBounded(rangeEndsEarly: Bool) throws {
    let limit = 40_000
    var router = try self.router(rangeEndsEarly: rangeEndsEarly, heldByteLimit: limit)
    let sink = Sink()
    if rangeEndsEarly { try router.copy(streams: [1], to: sink.write) }
    try read(&router)
    #expect(router.takeLoss() && !router.takeLoss())
    if rangeEndsEarly { try router.deliver(time(10)) } else { try router.copy(streams: [1], to: sink.write) }
    let byteCount = sink.packets.reduce(0) { $0 + $1.size + MediaPacket.overhead }
    #expect(byteCount <= limit && byteCount >= limit / 4)
    // What came last is there, without a hole.
    let sizes = try FFmpegTools.packetSizes(clip, streams: "a")
    #expect(sink.packets.map(\.size) == Array(sizes.suffix(sink.packets.count)))
    #expect(try #require(sink.packets.last).seconds > 1.9)
  }

  /// Ten thousand packets of a byte ahead of the first image: they took 300 bytes each, and counted as one.
  @Test func packetsOfAByteCountForAllThatTheyTake() throws {
    let file = folder.file("laced.mkv")
    var details = MatroskaFile.Details()
    details.sound = (0..<40).map { _ in
      MatroskaFile.Sound(beforeImage: 0, time: 0, packetCount: 256, packetSize: 1)
    }
    try MatroskaFile.write(
      try MatroskaFile.images(1), times: [0], nanosecondsPerTick: 1_000_000, details: details, to: file)
    let limit = 1 << 20
    let demuxer = try Demuxer(path: file.path, format: nil)
    var router = try PacketRouter(
      demuxer, video: demuxer.streams[0], keepsPackets: true, rangeEndsEarly: false, heldByteLimit: limit)
    try read(&router)
    let losses = [router.takeLoss(), router.takeTapLoss()]
    #expect(losses == [true, true])
    let sink = Sink()
    try router.copy(streams: [1], to: sink.write)
    let counts = [sink.packets.count, router.takePackets().count]
    #expect(
      counts.allSatisfy { $0 <= limit / MediaPacket.overhead && $0 >= limit / MediaPacket.overhead / 4 }, "\(counts)")
  }

  /// The packets for clips, of which no frame is delivered: two seconds of sound and 50 images.
  @Test func whatWaitsForClipsIsBounded() throws {
    let limit = 60_000
    let demuxer = try Demuxer(path: clip.path, format: nil)
    var router = try PacketRouter(
      demuxer, video: demuxer.streams[0], keepsPackets: true, rangeEndsEarly: false, heldByteLimit: limit)
    try read(&router)
    let losses = [router.takeTapLoss(), router.takeTapLoss()]
    #expect(losses == [true, false])
    let packets = router.takePackets()
    let byteCount = packets.reduce(0) { $0 + $1.byteCount }
    #expect(byteCount <= limit && byteCount >= limit / 4, "\(byteCount)")
    // What came last is there, without a hole.
    let sizes = try FFmpegTools.packetSizes(clip, streams: "v")
    let kept = packets.filter(\.isVideo).map(\.dataSize)
    #expect(!kept.isEmpty && kept == Array(sizes.suffix(kept.count)))
    let rest = router.takePackets()
    #expect(rest.isEmpty)
  }

  @Test func nothingIsHeldForNobody() throws {
    for isUnclaimed in [true, false] {
      var router = try self.router()
      let sink = Sink()
      if isUnclaimed {
        try read(&router, count: 10)
        router.dropUnclaimed()
      } else {
        try router.deliver(time(0))
        try read(&router, count: 10)
      }
      try router.copy(streams: [1], to: sink.write)
      #expect(sink.packets.isEmpty)
    }
  }
}
