import Foundation
import Rheo
import TestSupport
import Testing

@Suite struct ConvertCommandTests {
  private let folder: TemporaryFolder
  private let source: String
  private let flow = FlowField(width: 20, height: 12) { x, y in
    (x, y) == (3, 4) ? (.nan, .nan) : (Float(x * 7 - 60) / 64, Float(y * 5 - 30) / 64)
  }

  init() throws {
    folder = try TemporaryFolder()
    source = folder.file("a.flo").path
    try FlowFile.write(flow, to: source)
  }

  private func path(_ name: String) -> String { folder.file(name).path }

  private func expectFailure(
    _ arguments: [String], status: Int32, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try Program.run(["convert"] + arguments)
    #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    for word in words { #expect(result.errors.contains(word), "\(result.errors)", sourceLocation: sourceLocation) }
  }

  @Test func oneKindBecomesAnother() throws {
    var last = source
    for format in FlowFormat.allCases where format.isSupported && format != .images {
      let next = path("b.\(format.fileExtension)")
      let result = try Program.run(["convert", last, next])
      #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
      last = next
    }
    let read = try FlowFile.read(contentsOf: last)
    #expect(read[0, 0] == flow[0, 0] && read[19, 11] == flow[19, 11] && !read.isKnown(x: 3, y: 4))
  }

  @Test func clampedVectorsAreTold() throws {
    try FlowFile.write(FlowField(width: 2, height: 1) { x, _ in x == 0 ? (900, 0) : (.nan, .nan) }, to: path("far.flo"))
    let kitti = try Program.run(["convert", path("far.flo"), path("far.png")])
    #expect(
      kitti.status == 0 && kitti.errors.contains("1 vector") && kitti.errors.contains("far.png"), "\(kitti.errors)")
    let images = try Program.run(["convert", path("far.flo"), path("flow.json"), "--bound", "15"])
    #expect(images.status == 0 && images.errors.contains("1 unknown vector"), "\(images.errors)")
    let quiet = try Program.run(["convert", path("far.flo"), path("far.png"), "-y", "--quiet"])
    #expect(quiet.status == 0 && quiet.errors.isEmpty)
  }

  @Test func standardStreamsWork() throws {
    let written = try Program.run(["convert", source, "-", "--to", "npy", "--half"])
    #expect(written.status == 0 && written.output.count == 128 + 20 * 12 * 4, "\(written.errors)")
    try written.output.write(to: folder.file("pipe"))
    let read = try Program.run(["convert", "-", path("b.flo"), "--from", "npy"], input: path("pipe"))
    #expect(read.status == 0, "\(read.errors)")
    #expect(try FlowFile.read(contentsOf: path("b.flo"))[5, 5] == flow[5, 5])
  }

  @Test func fieldsOfAVideoArePickedOrWrittenAll() throws {
    let writer = try NumpyStackWriter(path: path("v.npy"), size: flow.size)
    for number in 0..<3 { try writer.append(FlowField(width: 20, height: 12) { _, _ in (Float(number), 1) }) }
    try writer.finish()
    try expectFailure([path("v.npy"), path("b.flo")], status: 64, "3 fields")
    try expectFailure([path("v.npy"), path("b.flo"), "--field", "3"], status: 64, "no field 3")
    #expect(try Program.run(["convert", path("v.npy"), path("b.flo"), "--field", "2"]).status == 0)
    #expect(try FlowFile.read(contentsOf: path("b.flo"))[0, 0] == (2, 1))
    #expect(try Program.run(["convert", path("v.npy"), path("f_%02d.flo")]).status == 0)
    #expect(try FlowFile.read(contentsOf: path("f_01.flo"))[0, 0] == (1, 1))
    #expect(folder.names.filter { $0.hasPrefix("f_") } == ["f_00.flo", "f_01.flo", "f_02.flo"])
  }

  @Test func severalFilesBecomeOneArrayOrAsManyAgain() throws {
    for number in 1...3 {
      try FlowFile.write(
        FlowField(width: 6, height: 5) { x, _ in (Float(number), Float(x)) }, to: path("s_\(number).flo"))
    }
    let stacked = try Program.run(["convert", path("s_%d.flo"), path("s.npy"), "--half"])
    #expect(stacked.status == 0, "\(stacked.errors)")
    #expect(try FlowFile.fieldCount(ofPath: path("s.npy")) == 3)
    #expect(try FlowFile.read(contentsOf: path("s.npy"), options: FlowReadingOptions(field: 2))[4, 0] == (3, 4))
    #expect(try Program.run(["convert", path("s_%d.flo"), path("t_%03d.pfm")]).status == 0)
    #expect(folder.names.filter { $0.hasPrefix("t_") } == ["t_001.pfm", "t_002.pfm", "t_003.pfm"])
    try expectFailure([path("s_%d.flo"), path("t.flo")], status: 64, ".npy")
    try expectFailure([path("u_%d.flo"), path("u.npy")], status: 1, "u_0.flo", "u_1.flo")
    try FlowFile.write(FlowField(size: PixelSize(width: 2, height: 2)), to: path("s_4.flo"))
    try expectFailure([path("s_%d.flo"), path("v.npy")], status: 1, "2×2", "6×5")
    #expect(!folder.names.contains { $0.contains("v.npy") })
  }

  @Test func anExistingOutputIsNotTouched() throws {
    try Data("precious".utf8).write(to: folder.file("b.npy"))
    try expectFailure([source, path("b.npy")], status: 1, "b.npy", "--overwrite")
    #expect(try Data(contentsOf: folder.file("b.npy")) == Data("precious".utf8))
    #expect(try Program.run(["convert", source, path("b.npy"), "-y"]).status == 0)
  }

  @Test func wrongUseIsExplained() throws {
    try expectFailure([source, path("b.txt")], status: 64, "b.txt", "--to", "pfm")
    try expectFailure([path("a.txt"), path("b.flo")], status: 64, "a.txt", "--from")
    try expectFailure([source, "-"], status: 64, "--to")
    try expectFailure([source, path("b.npy"), "--bound", "0"], status: 64, "--bound")
    try expectFailure([source, path("b.npy"), "--to", "sparkle"], status: 64, "sparkle")
    try expectFailure([path("absent.flo"), path("b.npy")], status: 1, "absent.flo", "No such file")
    try expectFailure([source, path("nowhere/b.npy")], status: 1, "nowhere")
    try expectFailure([source, path("b.npy"), "--from", "npy"], status: 1, "a.flo", "not a .npy file")
    #expect(folder.names == ["a.flo"])
  }

  @Test func flowIsWrittenInTheFormatOfItsEnding() throws {
    let image = path("p.png")
    try StillImage.writePNG(Plane<UInt8>(width: 48, height: 40) { x, y in UInt8((x * x + 3 * y) % 251) }, to: image)
    #expect(try Program.run(["flow", image, image, "--output", path("f.npy"), "--half"]).status == 0)
    #expect(try Data(contentsOf: folder.file("f.npy")).count == 128 + 48 * 40 * 4)
    #expect(try Program.run(["flow", image, image, "--output", path("f.bin"), "--format", "pfm"]).status == 0)
    let judged = try Program.run(["evaluate", path("f.npy"), path("f.npy"), "--json"])
    #expect(judged.status == 0 && judged.text.contains("\"epe\": 0.0"), "\(judged.errors)")
    #expect(try FlowFile.read(contentsOf: path("f.bin"), as: .pfm).size == PixelSize(width: 48, height: 40))
  }
}
