import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing
import VideoIO

@Suite struct FlowImagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aPairComesBackWithinHalfAStep() throws {
    let flow = SampleFields.steps()
    let options = FlowWritingOptions(imageBound: 16)
    let report = try FlowFile.write(flow, to: folder.file("flow_01.json").path, options: options)
    #expect(folder.names == ["flow_01.json", "flow_x_01.png", "flow_y_01.png"])
    #expect(
      report.files.map { ($0 as NSString).lastPathComponent } == ["flow_x_01.png", "flow_y_01.png", "flow_01.json"])
    #expect(report.clampedVectorCount == 0)
    let unknown = flow.u.bits.filter { Float(bitPattern: $0).isNaN }.count
    #expect(report.lostUnknownCount == unknown && unknown > 0)
    for name in ["flow_01.json", "flow_x_01.png", "flow_y_01.png"] {
      let read = try FlowFile.read(contentsOf: folder.file(name).path, as: .images)
      for y in 0..<flow.height {
        for x in 0..<flow.width {
          let wanted = flow.isKnown(x: x, y: y) ? flow[x, y] : (0, 0)
          #expect(abs(read.u[x, y] - wanted.0) <= 16 / 255 + 1e-5 && abs(read.v[x, y] - wanted.1) <= 16 / 255 + 1e-5)
        }
      }
    }
  }

  @Test func levelsSpanTheBoundAndBeyondIsClamped() throws {
    #expect([-20, 20, 0, -25, 25, 0.08].map { FlowImages.level($0, bound: 20) } == [0, 255, 128, 0, 255, 128])
    let flow = FlowField(width: 3, height: 1) { x, _ in [(20, -20), (20.1, 0), (0, -99)][x] }
    let names = (folder.file("x.png").path, folder.file("y.png").path)
    let report = try FlowImages.write(flow, x: names.0, y: names.1, bound: 20)
    #expect(report.clampedVectorCount == 2 && report.lostUnknownCount == 0)
    let read = try FlowImages.read(x: names.0, y: names.1, bound: 20)
    #expect(read[0, 0] == (20, -20) && read.v[2, 0] == -20)
  }

  @Test func withoutABoundTheImagesMeanNothing() throws {
    let file = folder.file("flow_x.png").path
    try FlowFile.write(SampleFields.steps(), to: file, as: .images)
    try FileManager.default.removeItem(at: folder.file("flow.json"))
    let error = thrown(FlowFormatError.self) { try FlowFile.read(contentsOf: file, as: .images) }
    #expect(error?.code == .invalidOption && error?.message.contains("flow.json") == true)
    #expect(throws: FlowFormatError.self) {
      try FlowFile.read(contentsOf: file, as: .images, options: FlowReadingOptions(imageBound: -1))
    }
    let read = try FlowFile.read(contentsOf: file, as: .images, options: FlowReadingOptions(imageBound: 20))
    #expect(read.size == SampleFields.steps().size)
  }

  @Test func thePartsOfAPairMustAgree() throws {
    let file = folder.file("flow.json")
    try FlowFile.write(SampleFields.steps(), to: file.path)
    try StillImage.writePNG(Plane<UInt8>(width: 9, height: 7), to: folder.file("flow_y.png").path, overwrite: true)
    let sizes = thrown(FlowFormatError.self) { try FlowFile.read(contentsOf: file.path) }
    #expect(sizes?.code == .sizeMismatch)
    for text in [
      "{}", "no JSON", "{\"format\": \"x\", \"x\": \"\", \"y\": \"\", \"bound\": 1, \"width\": 1, \"height\": 1}",
    ] {
      try Data(text.utf8).write(to: file)
      let error = thrown(FlowFormatError.self) { try FlowFile.read(contentsOf: file.path) }
      #expect(error?.code == .wrongFormat && error?.message.contains("flow.json") == true)
    }
  }

  @Test func otherNamesAreRefused() {
    for name in ["a.json", "flow.png", "flow_x.jpg"] {
      let error = thrown(FlowFormatError.self) { try FlowImages.Names(path: "folder/\(name)") }
      #expect(error?.message.contains("folder/\(name)") == true)
    }
  }
}
