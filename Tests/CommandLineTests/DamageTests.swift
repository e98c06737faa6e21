import Foundation
import TestSupport
import Testing

/// Damaged inputs: every frame that can be decoded is kept, the gaps are listed, and the status is 2.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DamageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: String, _ more: [String] = []) throws -> URL {
    let file = folder.file(name)
    try Clips.moving(
      file, size: "192x144", frames: 50,
      encoding: ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-crf", "10"] + more)
    return file
  }

  /// Random bytes in a stretch of the file; the same in every run.
  private func damage(_ file: URL, from: Double, to: Double) throws {
    var data = try Data(contentsOf: file)
    var random = FixedRandom(seed: 7)
    let (first, last) = (Int(from * Double(data.count)), Int(to * Double(data.count)))
    for index in first..<last { data[index] = UInt8.random(in: 0...255, using: &random) }
    try data.write(to: file)
  }

  private func cut(_ file: URL, at share: Double) throws {
    let data = try Data(contentsOf: file)
    try data.prefix(Int(share * Double(data.count))).write(to: file)
  }

  private func annotate(_ input: URL) throws -> (result: ChildProcess.Result, frames: Int) {
    let output = folder.file("out.mkv")
    let result = try Program.run(["annotate", input.path, output.path, "--accuracy", "low", "--preset", "ultrafast"])
    let frames = result.status == 1 ? 0 : try FFmpegTools.frameTimes(output).count
    return (result, frames)
  }

  private func decodable(_ file: URL) throws -> Int {
    try FFmpegTools.probe(file, "stream=nb_read_frames", ["-count_frames", "-select_streams", "v:0"])
      .first?.first.flatMap { Int($0) } ?? 0
  }

  @Test(arguments: ["mp4", "mkv", "ts", "avi"]) func aDamagedMiddle(ending: String) throws {
    let input = try clip("in.\(ending)", ending == "mp4" ? ["-movflags", "+faststart"] : [])
    try damage(input, from: 0.45, to: 0.5)
    let (result, frames) = try annotate(input)
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("damaged at"), "\(result.errors)")
    #expect(result.errors.contains("the input is damaged in"), "\(result.errors)")
    let whole = try decodable(input)
    #expect(frames >= min(whole, 40), "\(frames) of \(whole)")
    #expect(frames <= 50)
    #expect(result.errors.contains("\(frames) frames"))
  }

  @Test func aCutOffFileWithItsIndexAtTheFront() throws {
    let input = try clip("in.mp4", ["-movflags", "+faststart"])
    try cut(input, at: 0.6)
    let (result, frames) = try annotate(input)
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("of 50 frames"), "\(result.errors)")
    #expect(frames >= 25 && frames < 35)
  }

  @Test func aCutOffTransportStream() throws {
    let input = try clip("in.ts")
    try cut(input, at: 0.6)
    let (result, frames) = try annotate(input)
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("damaged at"), "\(result.errors)")
    #expect(frames >= 25 && frames < 35)
  }

  @Test(arguments: ["mkv", "avi", "flv"]) func otherCutOffFilesKeepTheirBeginning(ending: String) throws {
    let input = try clip("in.\(ending)")
    try cut(input, at: 0.6)
    let (result, frames) = try annotate(input)
    #expect(result.status == 2, "\(result.errors)")
    #expect(frames >= 25 && frames < 35)
  }

  @Test func aWholeFileIsNotCalledDamaged() throws {
    for name in ["in.mp4", "in.mkv", "in.ts", "in.avi", "in.flv"] {
      let input = try clip(name)
      let (result, frames) = try annotate(input)
      #expect(result.status == 0, "\(name): \(result.errors)")
      #expect(frames == 50)
      try FileManager.default.removeItem(at: folder.file("out.mkv"))
    }
  }

  @Test func aRangeOfAWholeFileIsNotCalledDamaged() throws {
    let input = try clip("in.mp4", ["-bf", "2"])
    let result = try Program.run([
      "annotate", input.path, folder.file("out.mp4").path, "--frames", "5", "--start", "12f",
    ])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func anIndexThatIsCutOffIsAnError() throws {
    let input = try clip("in.mp4")
    try cut(input, at: 0.6)
    let (result, _) = try annotate(input)
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("in.mp4") && result.errors.contains("moov atom not found"), "\(result.errors)")
    #expect(folder.names == ["in.mp4"])
  }
}
