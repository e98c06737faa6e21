import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// A range that begins late gives the frames that decoding from the beginning gives, from wherever it is reached.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct SeekingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Clip: Sendable, CustomTestStringConvertible {
    var name: String
    var encoding: [String]
    /// A Boolean value that tells whether the last frames are reached from a key frame.
    var seeks = true
    var testDescription: String { name + " " + encoding.joined(separator: " ") }
  }

  private static let x264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "10"]
  private static let x265 = ["-c:v", "libx265", "-preset", "ultrafast", "-bf", "3"]

  private static let clips = [
    Clip(name: "closed.mp4", encoding: x264 + ["-x264-params", "open-gop=0:b-adapt=0"]),
    Clip(name: "open.mp4", encoding: x264 + ["-x264-params", "open-gop=1:b-adapt=0:b-pyramid=normal"]),
    Clip(name: "open.mkv", encoding: x264 + ["-x264-params", "open-gop=1:b-adapt=0"]),
    Clip(name: "open.ts", encoding: x264 + ["-x264-params", "open-gop=1:b-adapt=0"]),
    Clip(name: "refresh.mp4", encoding: x264 + ["-bf", "0", "-x264-params", "intra-refresh=1"], seeks: false),
    Clip(name: "refresh.ts", encoding: x264 + ["-bf", "0", "-x264-params", "intra-refresh=1"], seeks: false),
    Clip(name: "fields.ts", encoding: x264 + ["-flags", "+ildct+ilme", "-x264-params", "tff=1"], seeks: false),
    Clip(name: "fields.mp4", encoding: x264 + ["-flags", "+ildct+ilme", "-x264-params", "tff=1"]),
    Clip(
      name: "fragments.mp4", encoding: x264 + ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
    Clip(name: "hybrid.mp4", encoding: x264 + ["-movflags", "frag_keyframe"]),
    Clip(name: "clip.flv", encoding: x264),
    Clip(name: "late.mp4", encoding: x264 + ["-output_ts_offset", "5"]),
    Clip(
      name: "early.mkv", encoding: x264 + ["-output_ts_offset", "-0.5", "-avoid_negative_ts", "disabled"],
      seeks: false),
    Clip(name: "early.mp4", encoding: x264 + ["-output_ts_offset", "-0.5", "-avoid_negative_ts", "disabled"]),
    Clip(name: "variable.mp4", encoding: x264 + ["-vf", "select='not(eq(mod(n,7),3))'", "-fps_mode", "vfr"]),
    Clip(name: "variable.mkv", encoding: x264 + ["-vf", "select='not(eq(mod(n,7),3))'", "-fps_mode", "vfr"]),
    Clip(name: "hevc.mp4", encoding: x265 + ["-x265-params", "keyint=10:min-keyint=10:open-gop=1:log-level=none"]),
    Clip(name: "hevc.ts", encoding: x265 + ["-x265-params", "keyint=10:min-keyint=10:open-gop=1:log-level=none"]),
    Clip(name: "mpeg2.ts", encoding: ["-c:v", "mpeg2video", "-bf", "2", "-g", "9"]),
    Clip(name: "mpeg2.mpg", encoding: ["-c:v", "mpeg2video", "-bf", "2", "-g", "9"], seeks: false),
    Clip(name: "mpeg4.mp4", encoding: ["-c:v", "mpeg4", "-bf", "2", "-g", "9"]),
    Clip(name: "mpeg4.mkv", encoding: ["-c:v", "mpeg4", "-bf", "0", "-g", "9"]),
    Clip(
      name: "packed.avi",
      encoding: ["-c:v", "libxvid", "-bf", "2", "-g", "9", "-flags", "+mv4", "-b:v", "100k"], seeks: false),
    Clip(name: "vp8.webm", encoding: ["-c:v", "libvpx", "-g", "9", "-auto-alt-ref", "0"]),
    Clip(name: "vp9.webm", encoding: ["-c:v", "libvpx-vp9", "-g", "9", "-auto-alt-ref", "1", "-lag-in-frames", "8"]),
    Clip(name: "av1.mkv", encoding: ["-c:v", "libsvtav1", "-preset", "10", "-g", "9"]),
    Clip(name: "mpeg4.avi", encoding: ["-c:v", "msmpeg4", "-g", "9"]),
    Clip(name: "h263.3gp", encoding: ["-c:v", "h263", "-s", "128x96", "-g", "9"]),
    Clip(name: "sorenson.flv", encoding: ["-c:v", "flv1", "-g", "9"], seeks: false),
    Clip(name: "ffv1.mkv", encoding: ["-c:v", "ffv1", "-level", "1", "-g", "9"]),
    Clip(name: "jpeg.avi", encoding: ["-c:v", "mjpeg"]),
    Clip(name: "prores.mov", encoding: ["-c:v", "prores"]),
    Clip(name: "theora.ogv", encoding: ["-c:v", "libtheora", "-g", "9"], seeks: false),
    Clip(name: "raw.h264", encoding: x264, seeks: false),
  ]

  private func make(_ clip: Clip, frames: Int = 70) throws -> URL {
    let file = folder.file(clip.name)
    try Clips.moving(file, size: "96x64", frames: frames, encoding: clip.encoding)
    return file
  }

  private func check(_ file: URL, step: Int = 7, seeks: Bool, _ options: VideoReader.Options? = nil) throws {
    let comparison = try SeekComparison(file.path, options: options ?? VideoReader.Options(threadCount: 2))
    #expect(comparison.frames.count > 20)
    var last = SeekApproach.beginning(reason: nil)
    for number in stride(from: 0, to: comparison.frames.count, by: step) {
      for start in comparison.starts(of: number) {
        let (text, approach) = try comparison.differences(at: number, start)
        #expect(text.isEmpty, "\(file.lastPathComponent): \(text)")
        last = approach
      }
    }
    switch last {
    case .keyFrame: #expect(seeks, "\(file.lastPathComponent): \(last)")
    case .beginning: #expect(!seeks, "\(file.lastPathComponent): \(last)")
    }
  }

  @Test(arguments: clips) func framesAreThoseOfDecodingFromTheBeginning(clip: Clip) throws {
    try check(make(clip), step: 3, seeks: clip.seeks)
  }

  @Test func framesThatAnEditListLeavesOutAreNotCounted() throws {
    let whole = try make(Clip(name: "whole.mp4", encoding: Self.x264))
    let cut = folder.file("cut.mp4")
    // Copied from between two key frames: an edit list begins behind the first one.
    try FFmpegTools.ffmpeg(["-ss", "0.7", "-i", whole.path, "-c", "copy", cut.path])
    try check(cut, step: 1, seeks: true)
  }

  @Test func aRecordingThatBeginsBetweenKeyFrames() throws {
    let whole = try make(Clip(name: "whole.ts", encoding: Self.x264 + ["-x264-params", "open-gop=1"]), frames: 120)
    var data = try Data(contentsOf: whole)
    data.removeFirst(data.count / 5 / 188 * 188)
    let cut = folder.file("cut.ts")
    try data.write(to: cut)
    let comparison = try SeekComparison(cut.path)
    for number in stride(from: 0, to: comparison.frames.count, by: 3) {
      for start in comparison.starts(of: number) {
        let (text, _) = try comparison.differences(at: number, start)
        #expect(text.isEmpty, "\(text)")
      }
    }
  }

  /// The time of frame 20 becomes that of frame 21, or one between those of frames 22 and 23.
  @Test(arguments: [("2*PTS-PREV_INPTS", false), ("PTS+2.5*(PTS-PREV_INPTS)", true)])
  func repeatedAndFallingTimesAreRepairedAsFromTheBeginning(time: String, seeks: Bool) throws {
    let whole = try make(Clip(name: "whole.mkv", encoding: Self.x264 + ["-bf", "0", "-g", "7"]))
    let changed = folder.file("changed.mkv")
    try FFmpegTools.ffmpeg([
      "-i", whole.path, "-c", "copy", "-bsf:v", "setts=pts='if(eq(N,20),\(time),PTS)'", changed.path,
    ])
    try check(changed, step: 1, seeks: seeks)
  }

  @Test func aChangeOfSizeIsScaledToTheFirstOne() throws {
    let (list, both) = (folder.file("list.ffconcat"), folder.file("both.ts"))
    try Clips.moving(folder.file("one.mp4"), size: "96x64", frames: 40, encoding: Self.x264)
    try Clips.moving(folder.file("two.mp4"), size: "64x48", frames: 40, encoding: Self.x264)
    try Data("ffconcat version 1.0\nfile one.mp4\nfile two.mp4\n".utf8).write(to: list)
    try FFmpegTools.ffmpeg(["-i", list.path, "-c", "copy", both.path])
    try check(both, step: 3, seeks: true)
  }

  /// Parameters that come once cannot be known to be those of a later key frame.
  @Test func keyFramesWithoutParametersAreNone() {
    func holds(_ units: [[UInt8]], isHEVC: Bool = false) -> Bool {
      units.flatMap { [0, 0, 0, 1] + $0 }.withUnsafeBufferPointer {
        ByteStream.holdsSequenceParameters($0, isHEVC: isHEVC)
      }
    }
    #expect(holds([[0x09, 0xf0], [0x67, 1, 2], [0x68, 1], [0x65, 3]]))
    #expect(!holds([[0x09, 0xf0], [0x68, 1], [0x65, 3], [0x67, 1]]) && !holds([[0x65, 0, 0, 1, 0x67]]))
    #expect(!holds([]) && !holds([[0x06, 0x67]]) && holds([[0x06, 5], [0x27, 1]]))
    #expect(holds([[0x46, 1], [0x40, 1], [0x42, 1], [0x26, 1]], isHEVC: true))
    #expect(!holds([[0x46, 1], [0x40, 1], [0x26, 1], [0x42, 1]], isHEVC: true))
  }

  /// Frames that others are predicted from, and that are not shown, have packets of their own.
  @Test func packetsThatAreNotShownAreNotCounted() throws {
    let file = folder.file("hidden.webm")
    for (pass, output) in [("1", ["-f", "null", "-"]), ("2", [file.path])] {
      try FFmpegTools.ffmpeg(
        [
          "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25", "-frames:v", "70", "-c:v", "libvpx", "-g", "20", "-b:v", "200k",
          "-auto-alt-ref", "1", "-lag-in-frames", "16", "-pass", pass, "-passlogfile", folder.file("log").path,
        ] + output)
    }
    #expect(try FFmpegTools.probe(file, "packet=size").count > 70)
    try check(file, seeks: false)
  }

  private func isTurned(_ file: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: file.path) else { return false }
    return try FFmpegTools.probe(file, "stream_side_data=rotation").joined().contains { !$0.isEmpty }
  }

  @Test func turnedImagesAreTurned() throws {
    let whole = try make(Clip(name: "whole.mp4", encoding: Self.x264))
    let turned = folder.file("turned.mp4")
    // FFmpeg up to 6 takes the rotation from the metadata, later ones from an option of the input.
    let ways = [([], ["-metadata:s:v:0", "rotate=90"]), (["-display_rotation", "-90"], [])]
    for (before, behind) in ways where try !isTurned(turned) {
      try FFmpegTools.ffmpeg(before + ["-i", whole.path, "-c", "copy"] + behind + [turned.path])
    }
    #expect(try VideoReader(turned.path).videoFormat().size == PixelSize(width: 64, height: 96))
    try check(turned, seeks: true)
  }

  @Test func filtersAreRunFromTheBeginning() throws {
    let file = try make(Clip(name: "whole.mp4", encoding: Self.x264))
    try check(file, step: 13, seeks: false, VideoReader.Options(filter: "tmix=frames=3", threadCount: 1))
  }

  @Test func damageOnTheWayIsMetByDecodingFromTheBeginning() throws {
    let whole = try make(Clip(name: "whole.ts", encoding: Self.x264))
    var data = try Data(contentsOf: whole)
    let middle = data.count * 2 / 3
    data.replaceSubrange(middle..<middle + 2000, with: Data(repeating: 0x55, count: 2000))
    let damaged = folder.file("damaged.ts")
    try data.write(to: damaged)
    let comparison = try SeekComparison(damaged.path)
    #expect(!comparison.gaps.isEmpty)
    for number in stride(from: 0, to: comparison.frames.count, by: 3) {
      let (text, _) = try comparison.differences(at: number, .frame(number))
      #expect(text.isEmpty, "\(text)")
    }
  }

  @Test func aStartBehindTheEndHasNoFrames() throws {
    for name in ["whole.mp4", "whole.mkv", "whole.ts"] {
      let file = try make(Clip(name: name, encoding: Self.x264))
      for start in [MediaRange.Position.frame(70), .seconds(2.8), .seconds(1e12), .frame(.max)] {
        let reader = try VideoReader(file.path, options: VideoReader.Options(range: MediaRange(start: start)))
        #expect(throws: MediaError.self) { try reader.videoFormat() }
        #expect(try reader.nextFrame() == nil)
      }
    }
  }

  // MARK: Other streams

  @Test(arguments: ["mp4", "mkv", "ts", "mov"]) func clipsGetThePacketsOfDecodingFromTheBeginning(ending: String) throws
  {
    let file = folder.file("in.\(ending)")
    try FFmpegTools.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=20", "-f", "lavfi", "-i", "sine=d=20", "-c:a", "aac",
      ] + Self.x264 + ["-x264-params", "open-gop=1", "-g", "30", file.path])
    let comparison = try SeekComparison(file.path)
    for number in [31, 200, 333, 360, 361, 480] {
      #expect(try comparison.packetDifferences(at: .frame(number)) == "", "\(ending) \(number)")
      #expect(try comparison.differences(at: number, .frame(number)).1 != .beginning(reason: nil))
    }
  }

  @Test(arguments: ["mp4", "mkv", "ts"]) func soundComesAlongAsFromTheBeginning(ending: String) throws {
    let file = folder.file("in.\(ending)")
    try FFmpegTools.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=20", "-f", "lavfi", "-i", "sine=d=20", "-c:a", "aac",
      ] + Self.x264 + [file.path])
    for start in [MediaRange.Position.seconds(13.3), .frame(400), .seconds(12.8)] {
      let copies = try [true, false].map { seeks in
        var options = VideoReader.Options(range: MediaRange(start: start, frameCount: 30), threadCount: 1)
        options.seeks = seeks
        let reader = try VideoReader(file.path, options: options)
        let output = folder.file("out.mkv")
        let writer = try VideoWriter(
          output.path, options: EncoderOptions(codec: "ffv1", overwrites: true), source: reader)
        while let frame = try reader.nextFrame() {
          try writer.append(CanvasMaker(format: writer.canvasFormat).canvas(for: frame))
        }
        try writer.finish()
        return try FFmpegTools.probe(output, "packet=stream_index,pts,dts,size,flags")
      }
      #expect(copies[0] == copies[1])
    }
  }

  // MARK: The packet index

  private func options(start: Int) -> VideoReader.Options {
    var options = VideoReader.Options(range: MediaRange(start: .frame(start), frameCount: 1), threadCount: 1)
    options.keepsPacketIndex = true
    return options
  }

  @Test func theIndexIsKeptAndUsed() throws {
    let file = try make(Clip(name: "in.mkv", encoding: Self.x264))
    let kept = folder.file("in.mkv.rheo-index")
    let first = try VideoReader(file.path, options: options(start: 50))
    #expect(first.approach == .keyFrame(number: 50))
    let index = try Data(contentsOf: kept)
    // An index that says that one frame fewer comes before: whoever reads it counts wrongly, or finds that it is wrong.
    let indexFile = try #require(PacketIndexFile(of: file.path, stream: first.stream))
    let read = try #require(indexFile.read())
    #expect(read.packets.count == 70 && read.isComplete)
    #expect(Data(indexFile.encode(read)) == index)
    var shortened = PacketIndex()
    for packet in read.packets where packet != read.packets[30] { shortened.append(packet) }
    try indexFile.write(shortened)
    #expect(try VideoReader(file.path, options: options(start: 50)).approach != .keyFrame(number: 50))
  }

  @Test func anIndexOfAnotherVideoIsMadeAnew() throws {
    let file = try make(Clip(name: "in.mkv", encoding: Self.x264))
    let kept = folder.file("in.mkv.rheo-index")
    _ = try VideoReader(file.path, options: options(start: 50))
    let index = try Data(contentsOf: kept)
    for damage in [Data(), index.prefix(30), index.dropLast(9) + Data([9]), Data(repeating: 0xff, count: 5000)] {
      try damage.write(to: kept)
      #expect(try VideoReader(file.path, options: options(start: 50)).approach == .keyFrame(number: 50))
      #expect(try Data(contentsOf: kept) == index)
    }
    _ = try make(Clip(name: "in.mkv", encoding: Self.x264 + ["-crf", "40"]))
    let reader = try VideoReader(file.path, options: options(start: 50))
    #expect(reader.approach == .keyFrame(number: 50))
    #expect(try Data(contentsOf: kept) != index)
  }

  @Test func damagedIndicesAreNoIndices() throws {
    let file = try make(Clip(name: "in.mkv", encoding: Self.x264), frames: 20)
    let stream = try VideoReader(file.path)
    let indexFile = try #require(PacketIndexFile(of: file.path, stream: stream.stream))
    var index = PacketIndex()
    for number in 0..<20 {
      index.append(
        IndexedPacket(
          time: number % 2 == 0 ? .max - Int64(number) : .min + Int64(number), duration: Int64(number % 3),
          position: -1,
          size: .max, isKeyFrame: number % 3 == 0, isDiscarded: number % 4 == 0))
    }
    index.isComplete = true
    let bytes = indexFile.encode(index)
    #expect(indexFile.decode(bytes) == index)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 0x41
      #expect(indexFile.decode(damaged) == nil)
      #expect(indexFile.decode(Array(bytes.prefix(offset))) == nil)
    }
  }

  @Test(arguments: [true, false]) func anIndexThatCannotBeKeptIsNoError(isPipe: Bool) throws {
    let file = try make(Clip(name: "in.mkv", encoding: Self.x264))
    let blocked = folder.file("in.mkv.rheo-index")
    if isPipe {
      try #require(mkfifo(blocked.path, 0o600) == 0)
    } else {
      try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
    }
    #expect(try VideoReader(file.path, options: options(start: 50)).approach == .keyFrame(number: 50))
  }
}

/// Every seventh frame of the clips that cameras and editors made.
@Suite(.enabled(if: TestData.folder != nil)) struct SeekingInClipsTests {
  /// The clips in the folder `broken` that hold no video, or no frame that can be decoded.
  private static let clipsWithoutFrames: Set = [
    "chunk_out_of_range.mp4", "corrupted.mp4", "invalid_userdata.mp4", "sample_audio_only.mp4",
    "test_case_1185230.mp4", "valid.flv", "valid.m4v",
  ]
  private static let clips: [URL] = {
    let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Samples/clip.mp4").standardizedFileURL
    guard let folder = TestData.folder else { return [] }
    let endings: Set = ["mp4", "mkv", "ts", "avi", "webm", "mov", "flv", "3gp", "gif", "m4v"]
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return [samples]
      + (files ?? []).filter { endings.contains($0.pathExtension.lowercased()) && !isWithoutFrames($0) }
      .sorted { $0.path < $1.path }
  }()

  private static func isWithoutFrames(_ clip: URL) -> Bool {
    clip.deletingLastPathComponent().lastPathComponent == "broken"
      && clipsWithoutFrames.contains(clip.lastPathComponent)
  }

  @Test(arguments: clips) func everySeventhFrameIsThatOfDecodingFromTheBeginning(clip: URL) throws {
    let comparison = try SeekComparison(clip.path)
    for number in stride(from: 0, to: comparison.frames.count, by: 7) {
      // Seconds as floating-point numbers cannot tell frames apart that come after millions of years.
      let areTold = comparison.frames[number].time.seconds < 1e9
      let start = comparison.starts(of: number)[areTold ? number / 7 % 2 : 0]
      let (text, _) = try comparison.differences(at: number, start)
      #expect(text.isEmpty, "\(clip.lastPathComponent): \(text)")
    }
  }
}
