import FlowFormats
import Foundation
import Imaging
import SceneSynthesis
import VideoIO

/// Draws a scene into a video and its truth into a folder.
public struct SceneRecorder: VideoJob {
  private let scene: Scene
  private let output: String
  private let truthFolder: String?
  private let encoding: EncoderOptions

  /// Makes a recorder.
  /// - Parameters:
  ///   - scene: The scene to draw.
  ///   - output: The video to write.
  ///   - truthFolder: The folder that gets `flow/000000.flo` …, `occlusion/000000.png` … and `truth.json`; of scenes
  ///     that try the detection or trackers, the last alone, and of the latter `gt.txt` as MOT Challenge has it. Nil:
  ///     no truth.
  ///   - encoding: The encoder, quality and container, and whether an existing file is replaced.
  public init(scene: Scene, output: String, truthFolder: String?, encoding: EncoderOptions = EncoderOptions()) {
    self.scene = scene
    self.output = output
    self.truthFolder = truthFolder
    self.encoding = encoding
  }

  /// Draws all frames, or up to an interruption.
  /// - Returns: The number of frames drawn, and whether these are all.
  /// - Throws: `MediaError`, `outputExists` when the video or the truth is there and is not to be replaced, or
  ///   `FlowFormatError`; then no video is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> (frames: Int, isComplete: Bool) {
    try truthFolder.map(requireNoTruth)
    let monitor = JobMonitor(interruption, progress)
    monitor.estimatedFrames = scene.frameCount
    let writer = try VideoWriter(output, options: encoding, size: scene.size, frameRate: scene.parameters.frameRate)
    let drawn = try writer.complete(interruption) { try draw(to: writer, monitor) }
    return (drawn, drawn == scene.frameCount)
  }

  /// Draws the frames and writes the truth; returns the number of frames.
  private func draw(to writer: VideoWriter, _ monitor: JobMonitor) throws -> Int {
    let maker = CanvasMaker(format: writer.canvasFormat)
    let folders = try truthFolder.flatMap { try makeFolders($0) }
    var drawn = 0
    for t in 0..<scene.frameCount where !monitor.interruption.isSet {
      let time = scene.presentationTime(t)
      let canvas = try maker.canvas(for: VideoFrame(image: scene.frame(t), number: t, presentationTime: time))
      try maker.pad(canvas)
      try writer.append(canvas)
      if let folders, t + 1 < scene.frameCount {
        let name = String(format: "%06d", t)
        try FlowFile.write(
          scene.flow(from: t), to: folders.flow + "/\(name).flo", as: .flo,
          options: FlowWritingOptions(overwrites: encoding.overwrites))
        try StillImage.writePNG(
          scene.occlusion(t), to: folders.occlusion + "/\(name).png", overwrite: encoding.overwrites)
      }
      drawn += 1
      try monitor.count(time)
    }
    if let truthFolder {
      let truth = SceneTruth(scene)
      try OutputFile(path: truthFolder + "/truth.json", overwrite: encoding.overwrites).write(truth.json())
      if let text = truth.motText {
        try OutputFile(path: truthFolder + "/gt.txt", overwrite: encoding.overwrites).write(Data(text.utf8))
      }
    }
    return drawn
  }

  /// - Throws: `MediaError` `outputExists` before anything is drawn, when another truth is there that stays.
  private func requireNoTruth(in folder: String) throws {
    guard !encoding.overwrites else { return }
    for name in ["truth.json", "gt.txt", "flow/000000.flo", "occlusion/000000.png"] {
      let path = folder + "/" + name
      if FileManager.default.fileExists(atPath: path) { try OutputFile.check(path: path, overwrite: false) }
    }
  }

  /// Makes the truth's folders; returns those for flow and occlusion if the scene's flow is known.
  private func makeFolders(_ path: String) throws -> (flow: String, occlusion: String)? {
    let folders = (flow: path + "/flow", occlusion: path + "/occlusion")
    let hasFlow = scene.parameters.name.hasExactFlow
    for folder in hasFlow ? [folders.flow, folders.occlusion] : [path] {
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw MediaError(.cannotWrite, "the folder cannot be made: \(error.localizedDescription)", file: folder)
      }
    }
    return hasFlow ? folders : nil
  }
}
