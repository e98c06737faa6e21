import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Rules that hold for all kinds of files.
@Suite struct FlowFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let lossless = FlowFormat.allCases.filter { $0 != .images && $0.isSupported }

  @Test(arguments: lossless, [(1, 1), (1, 9), (13, 7), (70, 3)])
  func aFieldComesBackBitForBit(format: FlowFormat, size: (Int, Int)) throws {
    let flow = SampleFields.steps(width: size.0, height: size.1)
    let file = folder.file("a.\(format.fileExtension)").path
    let report = try FlowFile.write(flow, to: file)
    #expect(report == FlowWritingReport(files: [file]))
    #expect(try FlowFile.read(contentsOf: file).bits == flow.bits)
    #expect(folder.names == ["a.\(format.fileExtension)"])
  }

  @Test(arguments: lossless) func theSameFieldMakesTheSameBytes(format: FlowFormat) throws {
    let flow = SampleFields.steps()
    let contents = try ["a", "b"].map { name in
      let file = folder.file(name)
      try FlowFile.write(flow, to: file.path, as: format)
      return try Data(contentsOf: file)
    }
    #expect(contents[0] == contents[1])
  }

  @Test(arguments: FlowFormat.allCases.filter(\.isSupported))
  func anExistingFileIsReplacedOnlyOnRequest(format: FlowFormat) throws {
    let file = folder.file("flow.\(format.fileExtension)")
    try Data("precious".utf8).write(to: file)
    let flow = SampleFields.steps()
    let error = thrown(FlowFormatError.self) { try FlowFile.write(flow, to: file.path) }
    #expect(error?.code == .outputExists && error?.message.contains(file.path) == true)
    #expect(try Data(contentsOf: file) == Data("precious".utf8))
    try FlowFile.write(flow, to: file.path, options: FlowWritingOptions(overwrites: true))
    #expect(try FlowFile.read(contentsOf: file.path).size == flow.size)
  }

  @Test(arguments: lossless) func aSingleFieldIsTheFirst(format: FlowFormat) throws {
    let file = folder.file("a.\(format.fileExtension)").path
    try FlowFile.write(SampleFields.steps(), to: file)
    _ = try FlowFile.read(contentsOf: file, options: FlowReadingOptions(field: 0))
    for field in [-1, 3] {
      let error = thrown(FlowFormatError.self) {
        try FlowFile.read(contentsOf: file, options: FlowReadingOptions(field: field))
      }
      #expect(error?.code == .invalidOption && error?.message.contains("no field \(field)") == true)
    }
  }

  @Test(arguments: FlowFormat.allCases) func filesOutOfReachAreNamed(format: FlowFormat) {
    let path = "/nowhere/flow.\(format.fileExtension)"
    let read = thrown(FlowFormatError.self) {
      try FlowFile.read(contentsOf: path, options: FlowReadingOptions(imageBound: 20))
    }
    #expect(read?.code == .unreadable && read?.message.contains("/nowhere/flow") == true, "\(String(describing: read))")
    let write = thrown(FlowFormatError.self) { try FlowFile.write(SampleFields.steps(), to: path) }
    #expect(write?.message.contains("/nowhere/flow") == true, "\(String(describing: write))")
  }

  @Test func theEndingTellsTheKind() throws {
    #expect(try FlowFile.format(ofPath: "a/b.FLO") == .flo)
    #expect(try FlowFile.format(ofPath: "flow_x.png") == .kitti)
    for path in ["a", "a.txt", "flo", "a.flo/b"] {
      let error = thrown(FlowFormatError.self) { try FlowFile.format(ofPath: path) }
      #expect(error?.code == .unsupported && error?.message.contains(".flo, .png") == true)
    }
  }

  @Test(arguments: FlowFormat.allCases.filter(\.isSupported)) func anEmptyFieldIsRefused(format: FlowFormat) {
    for size in [PixelSize(width: 0, height: 4), PixelSize(width: 4, height: 0), PixelSize(width: 0, height: 0)] {
      let error = thrown(FlowFormatError.self, "\(size)") {
        try FlowFile.write(FlowField(size: size), to: folder.file("a.\(format.fileExtension)").path, as: format)
      }
      #expect(error?.code == .absurdSize && folder.names.isEmpty, "\(size)")
    }
  }

  private static let formatsOfOneFile = FlowFormat.allCases.filter { $0 != .images }

  @Test(arguments: formatsOfOneFile.filter(\.isSupported))
  func emptyAndForeignFilesAreRefused(format: FlowFormat) throws {
    expectRefusal(Data(), format, .truncated)
    expectRefusal(Data("hello, world, this is no flow at all".utf8), format, .wrongFormat)
  }

  @Test(.enabled(if: !FlowFormat.flo5.isSupported))
  func withoutHDF5TheMessageSaysWhatToInstall() throws {
    let error = thrown(FlowFormatError.self) {
      try FlowFile.write(SampleFields.steps(), to: folder.file("a.flo5").path)
    }
    #expect(error?.message.contains("libhdf5-dev") == true)
  }

  @Test func infiniteComponentsAreUnknown() throws {
    var flow = SampleFields.steps()
    flow[0, 0] = (.infinity, 1)
    flow[1, 0] = (2, .nan)
    for format in Self.lossless {
      let file = folder.file("a.\(format.fileExtension)").path
      #expect(try FlowFile.write(flow, to: file).clampedVectorCount == 0)
      let read = try FlowFile.read(contentsOf: file)
      for x in 0...1 { #expect(read.u[x, 0].isNaN && read.v[x, 0].isNaN, "\(format)") }
    }
  }

  @Test(.enabled(if: TestData.has("flow", "formats/mmflow_occ_weights_01.pfm"), "needs the test data"))
  func publishedFilesAreRead() throws {
    let known = [
      ("flow/sintel/alley_1/flow_0002.flo", 1024, 436), ("flow/chairs/00000_flow.flo", 512, 384),
      ("flow/kitti/kitti_occ_000010_10.png", 1242, 375), ("formats/mmflow_chairs3d_flow_01_50x50.flo", 50, 50),
    ]
    for (path, width, height) in known {
      let url = try TestData.url(path)
      #expect(try FlowFile.read(contentsOf: url.path).size == PixelSize(width: width, height: height))
    }
    let disparity = try TestData.url("formats/mmflow_occ_weights_01.pfm")
    let error = thrown(FlowFormatError.self) { try FlowFile.read(contentsOf: disparity.path) }
    #expect(error?.code == .unsupported && error?.message.contains("one channel") == true)
  }

  /// A field one pixel wide would take 32 times its file in memory.
  @Test func tallAndNarrowFieldsAreRefusedBeforeTheyAreAllocated() throws {
    var data = MiddleburyFlow.encode(FlowField(size: PixelSize(width: 1, height: 1))).prefix(12)
    data.replaceSubrange(8..<12, with: [0x40, 0x42, 0x0F, 0])  // a million
    expectRefusal(data + Data(count: 8_000_000), .flo, .absurdSize, "1×1000000")
  }
}
