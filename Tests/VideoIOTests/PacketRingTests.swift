import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct PacketRingTests {
  private let folder: TemporaryFolder
  private let clip: URL

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("in.mkv")
    let encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "10", "-sc_threshold", "0"]
    try Clips.moving(clip, frames: 40, encoding: encoding)
  }

  private func packets(from start: Int = 0) throws -> [SourcePacket] {
    var options = VideoReader.Options(range: MediaRange(start: .frame(start)), threadCount: 1)
    options.keepsPackets = true
    let reader = try VideoReader(clip.path, options: options)
    var packets: [SourcePacket] = []
    while try reader.nextFrame() != nil { packets += reader.takePackets() }
    return packets + reader.takePackets()
  }

  @Test func aReaderHandsOutAllPacketsInOrder() throws {
    let packets = try packets()
    #expect(try packets.map(\.dataSize) == FFmpegTools.packetSizes(clip, streams: "v"))
    #expect(packets.allSatisfy { $0.byteCount >= $0.dataSize + MediaPacket.overhead })
    #expect(packets.indices.filter { packets[$0].isKeyFrame } == [0, 10, 20, 30])
    #expect(packets.allSatisfy { $0.isVideo })
  }

  @Test func aRangeBeginsWithTheKeyFrameThatItNeeds() throws {
    let first = try #require(try packets(from: 25).first)
    #expect(
      first.isKeyFrame && first.time.map { abs($0.seconds - 0.8) < 0.001 } == true, "\(String(describing: first.time))")
  }

  @Test func numbersStayWhenPacketsGo() throws {
    let packets = try packets()
    var ring = PacketRing(byteLimit: packets.reduce(0) { $0 + $1.byteCount } - 1)
    for packet in packets.dropLast() { ring.append(packet) }
    #expect(!ring.isFull)
    ring.append(packets[39])
    #expect(ring.isFull && ring.startIndex == 0 && ring.endIndex == 40)
    func at(_ seconds: Double) -> MediaTime { MediaTime(value: Int64(seconds * 1000), timeBase: Rational(1, 1000)) }
    #expect(ring.keyFrame(atOrBefore: at(0.79)) == 10 && ring.keyFrame(atOrBefore: at(0.8)) == 20)
    #expect(ring.keyFrame(atOrBefore: at(-1)) == nil && ring.firstKeyFrame == 0)
    for _ in 0..<15 { ring.dropFirst() }
    #expect(!ring.isFull && ring.startIndex == 15 && ring.endIndex == 40)
    #expect(ring.keyFrame(atOrBefore: at(0.7)) == nil && ring.firstKeyFrame == 20)
    #expect((15..<40).allSatisfy { ring[$0].time == packets[$0].time })
    let shown = (0..<40).filter { packets[$0].time.map { $0 <= at(1) } ?? false }
    #expect(ring.lastPacket(atOrBefore: at(1), from: 20) == shown.last)
    #expect(ring.lastPacket(atOrBefore: at(1), from: 35) == nil)
    for _ in 15..<40 { ring.dropFirst() }
    #expect(ring.firstKeyFrame == nil && ring.startIndex == 40 && ring.endIndex == 40)
  }
}
