import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Detections that run at the same time write into one joined video.
@Suite struct SharedJoinedVideoTests {
  private let folder: TemporaryFolder
  private let input: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv").path
    let scene = try Scene(
      SceneParameters(name: .walkers, size: PixelSize(width: 320, height: 180), frameCount: 120))
    _ = try SceneRecorder(
      scene: scene, output: input, truthFolder: nil, encoding: EncoderOptions(preset: "ultrafast")
    ).run()
  }

  /// Returns the number of frames in the joined video of `count` detections on as many threads.
  private func joinedFrames(count: Int) throws -> Int {
    let path = folder.file("joined\(count).mkv").path
    let joined = try JoinedVideo(path)
    var detection = Detection(input: input)
    detection.outputs.joined = joined
    let (task, failures) = (detection, SharedValue<[String]>([]))
    DispatchQueue.concurrentPerform(iterations: count) { _ in
      do { _ = try task.run() } catch { failures.value.append("\(error)") }
    }
    #expect(failures.value.isEmpty, "\(failures.value)")
    try #require(try joined.finish())
    let reader = try VideoReader(path)
    var frames = 0
    while try reader.nextFrame() != nil { frames += 1 }
    return frames
  }

  @Test func noFrameIsLostOnTwoThreads() throws {
    let alone = try joinedFrames(count: 1)
    #expect(alone > 10)
    #expect(try joinedFrames(count: 2) >= 2 * alone)
  }
}
