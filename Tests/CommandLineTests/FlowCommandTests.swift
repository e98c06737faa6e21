import Foundation
import Rheo
import TestSupport
import Testing

@Suite struct FlowCommandTests {
  private let folder: TemporaryFolder
  private let previous: URL
  private let current: URL

  init() throws {
    folder = try TemporaryFolder()
    previous = folder.file("1.png")
    current = folder.file("2.png")
    let scene = try Scene(SceneParameters(name: .pan, size: PixelSize(width: 96, height: 64), frameCount: 2))
    try StillImage.writePNG(scene.frame(0), to: previous.path)
    try StillImage.writePNG(scene.frame(1), to: current.path)
  }

  @Test func theFlowOfTwoImagesIsWrittenAndJudged() throws {
    let (flow, truth) = (folder.file("flow.flo"), folder.file("truth.flo"))
    let made = try Program.run(["flow", previous.path, current.path, "--output", flow.path, "--accuracy", "high"])
    #expect(made.status == 0, "\(made.errors)")
    let scene = try Scene(SceneParameters(name: .pan, size: PixelSize(width: 96, height: 64), frameCount: 2))
    try MiddleburyFlow.write(scene.flow(from: 0), to: truth.path)
    let judged = try Program.run(["evaluate", flow.path, truth.path, "--json"])
    #expect(judged.status == 0, "\(judged.errors)")
    let object = try JSONSerialization.jsonObject(with: judged.output) as? [String: [String: Any]]
    let figures = try #require(object?["all"])
    #expect((figures["epe"] as? Double ?? 99) < 0.5, "\(figures)")
    #expect(figures["pixels"] as? Int == 96 * 64)
    let table = try Program.run(["evaluate", flow.path, truth.path])
    #expect(table.text.contains("epe"))
  }

  @Test func repetitionsAreTimed() throws {
    let result = try Program.run(["flow", previous.path, current.path, "--repeat", "3", "--threads", "1"])
    #expect(result.status == 0, "\(result.errors)")
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect((object["milliseconds"] as? [Double])?.count == 3)
    #expect(object["threads"] as? Int == 1)
    #expect(["baseline", "v3", "v4"].contains(object["cpu"] as? String))
  }

  @Test func anExistingFlowFileIsNotTouched() throws {
    let flow = folder.file("flow.flo")
    try Data("precious".utf8).write(to: flow)
    let result = try Program.run(["flow", previous.path, current.path, "--output", flow.path])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("flow.flo") && result.errors.contains("--overwrite"))
    #expect(try Data(contentsOf: flow) == Data("precious".utf8))
    #expect(try Program.run(["flow", previous.path, current.path, "--output", flow.path, "-y"]).status == 0)
  }

  @Test func imagesOfDifferentSizesAreRefused() throws {
    let small = folder.file("small.png")
    try StillImage.writePNG(Plane<UInt8>(width: 32, height: 20), to: small.path)
    let result = try Program.run(["flow", previous.path, small.path, "--output", folder.file("flow.flo").path])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("96×64") && result.errors.contains("32×20"), "\(result.errors)")
    #expect(folder.names == ["1.png", "2.png", "small.png"])
  }

  @Test func missingFilesAreNamed() throws {
    let absent = folder.file("absent.png").path
    let flow = try Program.run(["flow", previous.path, absent, "--output", folder.file("flow.flo").path])
    #expect(flow.status == 1)
    #expect(flow.errorLines.count == 1 && flow.errors.contains("absent.png"), "\(flow.errors)")
    let nowhere = try Program.run(["flow", previous.path, current.path, "--output", folder.file("a/flow.flo").path])
    #expect(nowhere.status == 1)
    #expect(nowhere.errorLines.count == 1 && nowhere.errors.contains("flow.flo"), "\(nowhere.errors)")
    let evaluate = try Program.run(["evaluate", folder.file("absent.flo").path, previous.path])
    #expect(evaluate.status == 1)
    #expect(evaluate.errorLines.count == 1 && evaluate.errors.contains("absent.flo"), "\(evaluate.errors)")
  }

  @Test(arguments: [
    [], ["--repeat", "0"], ["--output", "flow.txt"], ["--output", "a.flo", "--direction", "sideways"],
  ])
  func wrongOptionsAreUsageErrors(options: [String]) throws {
    #expect(try Program.run(["flow", previous.path, current.path] + options).status == 64)
  }
}
