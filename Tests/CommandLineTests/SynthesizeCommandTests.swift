import Foundation
import Rheo
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct SynthesizeCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func draw(_ scene: String, _ options: [String]) throws -> SceneTruth {
    let truth = folder.file("\(scene)-truth")
    let result = try Program.run(
      ["synthesize", folder.file("\(scene).mp4").path, "--scene", scene, "--size", "64x48", "--truth", truth.path]
        + options)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(SceneTruth.self, from: Data(contentsOf: truth.appendingPathComponent("truth.json")))
  }

  @Test func scenesForDetectionHaveEventsAndPresenceAlone() throws {
    let truth = try draw("standing-visitor", ["--preset", "ultrafast"])
    #expect(truth.presence.count == 1 && truth.events.count > 1)
    #expect(truth.presence.first?.boxes.count == truth.presence.first.map { $0.end.frame - $0.start.frame + 1 })
    #expect(truth.frames.count == 380 && truth.parameters.frameRate == "25/1")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("standing-visitor-truth").path)
    #expect(names == ["truth.json"])
  }

  @Test func theSlowCameraHasItsOwnRate() throws {
    #expect(try draw("slow-camera", []).parameters.frameRate == "2/1")
    let times = try FFmpegTools.frameTimes(folder.file("slow-camera.mp4"))
    #expect(times.count == 60)
  }

  @Test(arguments: ["objects", "crossing-walkers"])
  func theTruthThatIsThereIsReplacedOnRequestAlone(scene: String) throws {
    let options = ["--frames", "3", "--preset", "ultrafast"]
    let truth = try draw(scene, options)
    try FileManager.default.removeItem(at: folder.file("\(scene).mp4"))
    let arguments =
      [
        "synthesize", folder.file("\(scene).mp4").path, "--scene", scene, "--size", "64x48", "--seed", "2", "--truth",
        folder.file("\(scene)-truth").path,
      ] + options
    let refused = try Program.run(arguments)
    #expect(refused.status == 1 && refused.errors.contains("is there already"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("\(scene).mp4").path))
    let kept = folder.file("\(scene)-truth/truth.json")
    #expect(try JSONDecoder().decode(SceneTruth.self, from: Data(contentsOf: kept)) == truth)
    let replaced = try Program.run(arguments + ["-y"])
    #expect(replaced.status == 0, "\(replaced)")
    #expect(try JSONDecoder().decode(SceneTruth.self, from: Data(contentsOf: kept)).parameters.seed == 2)
  }

  @Test func otherScenesHaveTheirFlow() throws {
    #expect(try draw("objects", ["--frames", "3"]).parameters.frameRate == "25/1")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("objects-truth").path)
    #expect(Set(names) == ["flow", "occlusion", "truth.json"])
  }
}
