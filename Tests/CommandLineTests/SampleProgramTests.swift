import Foundation
import Rheo
import TestSupport
import Testing

/// The programs in Samples, run as their first lines say.
@Suite struct SampleProgramTests {
  private static let samples = URL(fileURLWithPath: #filePath)  // Tests/CommandLineTests/SampleProgramTests.swift
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Samples")
  private static let clip = samples.appendingPathComponent("clip.mp4").path

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a sample, which lies beside the program, to its end.
  private func run(_ sample: String, _ arguments: [String]) throws -> ChildProcess.Result {
    let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent(sample).path
    let result = try ChildProcess.run(program, arguments)
    #expect(result.status == 0, "\(sample): \(result.text) \(result.errors)")
    return result
  }

  private func lines(_ result: ChildProcess.Result) -> [Substring] { result.text.split(separator: "\n") }

  /// The numbers in a line of text, in order.
  private func numbers(_ line: Substring) -> [Double] { line.split(separator: " ").compactMap { Double($0) } }

  /// Frames `first` and `first + 1` of the clip as image files.
  private func images(from first: Int) throws -> [String] {
    let range = MediaRange(start: .frame(first), frameCount: 2)
    let reader = try VideoReader(Self.clip, options: VideoReader.Options(range: range))
    return try (0..<2).map { index in
      let frame = try #require(try reader.nextFrame())
      let file = folder.file("frame\(first + index).png")
      try StillImage.writePNG(StillImage.rgb(of: frame), to: file.path)
      return file.path
    }
  }

  private func format(of path: String) throws -> VideoFormat { try VideoReader(path).videoFormat() }

  private func times(of path: String) throws -> [MediaTime] {
    let reader = try VideoReader(path)
    var times: [MediaTime] = []
    while let frame = try reader.nextFrame() { times.append(frame.presentationTime) }
    return times
  }

  @Test func theFlowOfTwoImagesIsDrawn() throws {
    let output = folder.file("flow.png").path
    let result = try run("ImageFlow", try images(from: 40) + [output])
    let image = try StillImage.rgb(contentsOf: output)
    #expect(try image.size == format(of: Self.clip).size)
    // What stands still is white in the wheel; the clip moves.
    #expect(image != Plane<RGBA8>(size: image.size, repeating: RGBA8(255, 255, 255)))
    let confirmed = try #require(numbers(lines(result)[0]).last)
    #expect(confirmed > 80 && confirmed <= 100, "\(result.text)")
  }

  @Test func theFlowOfAVideoIsAVideo() throws {
    let output = folder.file("flow.mp4").path
    let result = try run("FlowVideo", [Self.clip, output])
    let times = try times(of: output)
    #expect(try times == self.times(of: Self.clip))
    #expect(lines(result).last == "\(times.count) frames, the motion of \(times.count - 1) pairs")
  }

  @Test func aVideoIsSteadied() throws {
    let output = folder.file("steady.mp4").path
    let result = try run("SteadyVideo", [Self.clip, output])
    #expect(try times(of: output) == times(of: Self.clip))
    #expect(try format(of: output).size == format(of: Self.clip).size)
    let zoom = try #require(numbers(lines(result)[0]).dropFirst().first)
    #expect(zoom >= 1 && zoom <= Stabilization.maximumZoom, "\(result.text)")
  }

  @Test func aCameraLoopFindsItsMotion() throws {
    let result = try run("CameraLoop", ["6"])
    #expect(lines(result).count == 5, "\(result.text)")
    for line in lines(result) {
      let found = numbers(line)
      #expect(found.count == 4)
      for (value, truth) in zip(found, [3.0, 1, 3, 1]) { #expect(abs(value - truth) < 0.25, "\(line)") }
    }
  }

  @Test func aPanBecomesAPanorama() throws {
    let output = folder.file("panorama.png").path
    _ = try run("Panorama", [output, Self.clip])
    let (size, frame) = (try StillImage.rgb(contentsOf: output).size, try format(of: Self.clip).size)
    #expect(size.width > frame.width && size.height > frame.height, "\(size) of \(frame)")
  }

  @Test func aContactSheetHasNineFrames() throws {
    let output = folder.file("sheet.png").path
    _ = try run("ContactSheet", [Self.clip, output])
    // Three columns of 480 pixels with 4 around and between them.
    #expect(try StillImage.rgb(contentsOf: output).width == 3 * 480 + 4 * 4)
  }

  @Test func theMeanMotionOfEachPairIsPrinted() throws {
    let result = try run("MeanMotion", [Self.clip])
    #expect(try lines(result).count == times(of: Self.clip).count - 1)
  }

  /// 4 s at 25 fps: a textured box slides through a still image from the frame 30 on, and is gone at the frame 90.
  private func passage() throws -> String {
    let file = folder.file("passage.mkv")
    let ground = FFmpegTools.texture(width: 192, seconds: 4)
    let box = "testsrc2=s=40x40:r=25:d=4,select=1,loop=100:1"
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", ground, "-f", "lavfi", "-i", box, "-filter_complex",
      "[0:v][1:v]overlay=x='if(lt(n,30),-60,4*(n-30)-40)':y=80:shortest=1", "-t", "4", "-r", "25", "-c:v", "ffv1",
      file.path,
    ])
    return file.path
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func aMotionTriggerPrintsEventsAsTheyEnd() throws {
    let clip = try passage()
    let found = lines(try run("MotionTrigger", [clip]))
    let events = found.filter { $0.contains(" to 00:00:0") }
    #expect(events.count == 1 && found.last == "1 event in 100 frames", "\(found)")
    #expect(events.first?.hasPrefix("1  00:00:01.") == true, "\(found)")
    // Where nothing moves, nothing is found.
    #expect(lines(try run("MotionTrigger", [clip, "0,0,1,0.2"])).last == "0 events in 100 frames")
    let wrong = try ChildProcess.run(
      URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent("MotionTrigger").path,
      [clip, "0.5"])
    #expect(wrong.status == 1 && wrong.text.contains("X,Y,WIDTH,HEIGHT"))
  }

  /// The box moves at 4 px a frame, its upper edge at row 80.
  @Test(.enabled(if: FFmpegTools.areInstalled)) func whatStandsOutIsFollowed() throws {
    let found = lines(try run("SalientTracks", [try passage()]))
    #expect(!found.isEmpty)
    let tracks = found.map { line in line.split { !"0123456789.-".contains($0) }.compactMap { Double($0) } }
    // Number, first and last frame, positions of both.
    let longest = try #require(tracks.max { $0[2] - $0[1] < $1[2] - $1[1] })
    #expect(longest.count == 7 && longest[1] >= 30 && longest[2] <= 90 && longest[2] - longest[1] > 25, "\(found)")
    // At its first frame the box has just come in; at its last one its middle lies at 4 · (n − 30) − 20.
    #expect(longest[3] < 15 && abs(longest[5] - (4 * (longest[2] - 30) - 20)) < 12, "\(found)")
    #expect(abs(longest[4] - 100) < 15 && abs(longest[6] - 100) < 15, "\(found)")
  }

  /// A program with frames of its own finds what the command finds in the file.
  @Test(.enabled(if: FFmpegTools.areInstalled)) func framesOfOnesOwnGiveTheEventsOfTheCommand() throws {
    struct Report: Decodable {
      struct Point: Decodable { var frame: Int }
      struct Event: Decodable {
        var number: Int
        var start: Point
        var end: Point
      }
      var events: [Event]
    }
    for clip in [try passage(), Self.clip] {
      let text = try Program.run(["detect", clip, "--report", "-", "-q"]).text
      let events = try JSONDecoder().decode(Report.self, from: Data(text.utf8)).events
      let ends = lines(try run("OwnFrames", [clip])).filter { $0.contains("peak") }
      let expected = events.map { "\($0.number)  frames \($0.start.frame) to \($0.end.frame), peak" }
      #expect(!events.isEmpty && ends.map { String($0.prefix { $0 != "k" }) + "k" } == expected, "\(ends)")
    }
  }

  @Test(arguments: [
    "ContactSheet", "FlowVideo", "ImageFlow", "MotionTrigger", "OwnFrames", "Panorama", "SalientTracks",
    "SteadyVideo",
  ])
  func withoutArgumentsTheUseIsPrinted(sample: String) throws {
    let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent(sample).path
    let result = try ChildProcess.run(program, [])
    #expect(result.status == 64 && result.text.hasPrefix("usage: \(sample) "))
  }
}
