import Foundation
import Rheo
import TestSupport
import Testing

/// Tracks of whole videos.
@Suite struct MotionTrackingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: SceneName, size: PixelSize, frames: Int) throws -> (file: URL, scene: Scene) {
    let scene = try Scene(SceneParameters(name: name, size: size, frameCount: frames))
    let file = folder.file("\(name.rawValue).mkv")
    _ = try SceneRecorder(
      scene: scene, output: file.path, truthFolder: nil,
      encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p", overwrites: true)
    ).run()
    return (file, scene)
  }

  private func box(_ box: SceneEvent.Box) -> BoundingBox {
    BoundingBox(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
  }

  @Test func whoWalksByIsFoundAndFollowed() throws {
    let (file, scene) = try clip(.walkers, size: PixelSize(width: 480, height: 270), frames: 250)
    let task = MotionTracking(input: file.path, regionSearch: .init())
    let report = try task.run()
    let tracks = try report.tracks()
    #expect(report.frames == 250)
    let events = scene.events()
    // The second and the third walker meet: the numbers may change there.
    for event in events where event.object == "first" {
      // Frames in which the walker is whole.
      let whole = event.boxes.filter { $0.x > 0 && $0.x + $0.width < 480 }
      let best =
        tracks.map { track in
          whole.count { truth in
            track.positions.contains { $0.frame == truth.frame && $0.box.intersectionOverUnion(box(truth)) >= 0.6 }
          }
        }.max() ?? 0
      #expect(2 * best >= whole.count, "\(event.object): \(best) of \(whole.count)")
    }
    // Three people; the third rests on the way, and two meet.
    #expect((3...8).contains(tracks.count), "\(tracks.count)")
    #expect(tracks.map(\.id) == Array(1...tracks.count))
  }

  /// Whatever the flow would be, the tracks are the same.
  @Test func boxesAreFollowedWithoutFlowAtTheFastLevel() throws {
    let (file, scene) = try clip(.objects, size: PixelSize(width: 320, height: 180), frames: 14)
    let disc = try #require(scene.events().first { $0.object == "large disc" })
    var task = MotionTracking(input: file.path, targets: [.box(box(disc.boxes[0]))])
    task.level = .fast
    let report = try task.run()
    task.flow = OpticalFlowRequest(algorithm: .lucasKanade(LucasKanadeParameters(levels: 1, windowSize: 5)))
    #expect(try task.run().tracks() == report.tracks())
    let track = try #require(report.tracks().first)
    #expect(track.positions.count == 14)
    for (position, truth) in zip(track.positions, disc.boxes) {
      #expect(position.box.intersectionOverUnion(box(truth)) > 0.6, "\(position)")
    }
    task.patience = -1
    #expect(throws: MediaError.self) { try task.run() }
  }

  @Test func aMovingCameraIsNoMotion() throws {
    let (file, _) = try clip(.pan, size: PixelSize(width: 320, height: 180), frames: 15)
    // Nothing stands out from a background that is another one in each frame.
    let all = try MotionTracking(input: file.path, regionSearch: .init()).run()
    #expect(all.summaries.isEmpty)
    let steady = try MotionTracking(input: file.path, compensation: .homography, regionSearch: .init()).run()
    #expect(steady.summaries.isEmpty)
    // What moves otherwise than the camera is found all the same.
    let (moving, _) = try clip(.objectsPan, size: PixelSize(width: 320, height: 180), frames: 30)
    let objects = try MotionTracking(input: moving.path, compensation: .homography, regionSearch: .init()).run()
    #expect(!objects.summaries.isEmpty)
  }

  @Test func threadsChangeNeitherTracksNorImages() throws {
    let (file, scene) = try clip(.objectsPan, size: PixelSize(width: 320, height: 180), frames: 14)
    let first = try #require(scene.events().first?.boxes.first)
    let results = try [1, 2, 3, 7].map { threads in
      let output = folder.file("tracks\(threads).mkv")
      let task = MotionTracking(
        input: file.path, output: output.path, compensation: .homography,
        targets: [.box(box(first)), .point([100, 90])], regionSearch: .init(), texturedPointCount: 30,
        encoding: EncoderOptions(codec: "ffv1"), parallelism: Parallelism(threadCount: threads))
      let report = try task.run()
      #expect(report.frames == 14)
      return (text: try task.text(of: report), bytes: try Data(contentsOf: output))
    }
    #expect(results[0].text.contains("\"kind\": \"box\"") && results[0].text.contains("\"kind\": \"point\""))
    #expect(results.dropFirst().allSatisfy { $0 == results[0] })
  }

  @Test func theVideoShowsTheBoxAndKeepsTheTimes() throws {
    let (file, _) = try clip(.still, size: PixelSize(width: 160, height: 120), frames: 4)
    let output = folder.file("out.mkv")
    let task = MotionTracking(
      input: file.path, output: output.path, targets: [.box(BoundingBox(x: 60, y: 50, width: 40, height: 30))],
      encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p"))
    let report = try task.run()
    #expect(report.summaries.map(\.loss) == [nil] && report.summaries.map(\.count) == [4])
    let (before, after, luma) = (try VideoReader(file.path), try VideoReader(output.path), LumaExtractor())
    for _ in 0..<4 {
      let (a, b) = (try #require(try before.nextFrame()), try #require(try after.nextFrame()))
      #expect(a.presentationTime == b.presentationTime)
      let (plain, drawn) = (try luma.luma(of: a), try luma.luma(of: b))
      // The edges are drawn on, the box's inside and the corners of the image are not.
      #expect((50..<80).contains { abs(drawn[60, $0] - plain[60, $0]) > 20 })
      #expect(drawn[70, 58] == plain[70, 58] && drawn[5, 5] == plain[5, 5] && drawn[155, 115] == plain[155, 115])
    }
    #expect(try after.nextFrame() == nil)
  }

  @Test func theReportHoldsEveryTrack() throws {
    let (file, _) = try clip(.pan, size: PixelSize(width: 160, height: 120), frames: 8)
    let task = MotionTracking(input: file.path, targets: [.point([60, 60]), .point([158, 3])])
    let report = try task.run()
    let json = try JSONSerialization.jsonObject(with: Data(try task.text(of: report).utf8)) as? [String: Any]
    #expect(json?["version"] as? Int == 1 && (json?["generator"] as? String)?.hasPrefix("rheo ") == true)
    let input = try #require(json?["input"] as? [String: Any])
    #expect(input["frames"] as? Int == 8 && input["width"] as? Int == 160)
    let tracks = try #require(json?["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["id"] as? Int } == [1, 2])
    #expect(tracks[0]["lost"] is NSNull && tracks[1]["lost"] as? String == "left-picture")
    let positions = try #require(tracks[0]["positions"] as? [[String: Any]])
    #expect(positions.compactMap { $0["frame"] as? Int } == Array(0..<8))
    let base = try #require(report.timeBase)
    for position in positions {
      let ticks = try #require(position["ticks"] as? Int)
      let seconds = try #require(position["seconds"] as? Double)
      #expect(abs(Double(ticks) * base.doubleValue - seconds) < 1e-6)
    }
    let last = try #require(positions.last)
    #expect(abs((last["x"] as? Double ?? 0) - (60 + 7 * 2.25)) < 0.5)
    #expect(abs((last["y"] as? Double ?? 0) - (60 - 7 * 1.25)) < 0.5)
  }

  @Test func targetsOutsideTheImageAreRefused() throws {
    let (file, _) = try clip(.still, size: PixelSize(width: 64, height: 48), frames: 2)
    for target in [
      MotionTracking.Target.point([64, 10]), .box(BoundingBox(x: 60, y: 0, width: 40, height: 20)),
      .box(BoundingBox(x: 10, y: 10, width: 0, height: 5)),
    ] {
      let error = thrown(MediaError.self) { try MotionTracking(input: file.path, targets: [target]).run() }
      #expect(error?.code == .invalidOption && error?.message.contains("64×48") == true)
    }
    #expect(throws: MediaError.self) { try MotionTracking(input: file.path).run() }
  }
}
