import FlowFormats
import Foundation
import HDF5Samples
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: HDF5Sample.isPartOfBuild, "this build has no HDF5"), .serialized) struct HDF5FlowTests {
  private static let flow = SampleFields.steps()

  private static func file(_ sample: HDF5Sample) -> Data {
    let values = (0..<flow.height).flatMap { y in (0..<flow.width).flatMap { [flow[$0, y].u, flow[$0, y].v] } }
    return sample.file(width: flow.width, height: flow.height, values: values)
  }

  @Test(arguments: HDF5Sample.readable.indices) func layoutsOfOtherProgramsAreRead(index: Int) throws {
    #expect(try Self.file(HDF5Sample.readable[index]).decoded(.flo5).bits == Self.flow.bits)
  }

  @Test func otherLayoutsAreRefused() {
    expectRefusal(Self.file(HDF5Sample { $0.name = "flows" }), .flo5, .unsupported, "'flow'")
    expectRefusal(Self.file(HDF5Sample { $0.usesLatestFormat = true }), .flo5, .unsupported, "superblock")
    let sum = HDF5Sample {
      $0.chunk = [4, 5, 2]
      $0.hasCheckSum = true
    }
    expectRefusal(Self.file(sum), .flo5, .unsupported, "gzip")
  }

  @Test(arguments: [0, 4]) func damagedFilesAreRefused(index: Int) throws {
    let whole = Self.file(HDF5Sample.readable[index])
    expectRefusal(whole.dropLast(1), .flo5, .truncated)
    expectRefusal(whole.prefix(60), .flo5, .truncated)
    expectRefusal(whole + [0], .flo5, .trailingData)
    expectRefusal(whole.replacing(0, [0]), .flo5, .wrongFormat)
    expectRefusal(whole.replacing(64, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]), .flo5, .truncated)
  }

  /// libhdf5 1.10 takes a chunk that decompresses to too little for a whole one, and reads what lies behind it in
  /// memory.
  @Test func aChunkThatDecompressesToTooLittleIsNoticed() throws {
    let sample = HDF5Sample {
      $0.chunk = [7, 13, 2]
      $0.compression = 5
    }
    let whole = Self.file(sample)
    // gzip's stream of the one chunk begins with this header at level 5; stored bytes of nothing take its place.
    let start = try #require(whole.range(of: Data([0x78, 0x5E]))?.lowerBound)
    let empty: [UInt8] = [0x78, 0x5E, 0x01, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1]
    expectRefusal(whole.replacing(start, empty), .flo5, .damaged, "decompress")
    expectRefusal(whole.replacing(start + 20, [0, 0, 0]), .flo5, .damaged, "decompress")
  }

  @Test func thePackagesOwnFilesAreCompressed() throws {
    let folder = try TemporaryFolder()
    let still = FlowField(size: PixelSize(width: 640, height: 480))
    try FlowFile.write(still, to: folder.file("a.flo5").path)
    #expect(try Data(contentsOf: folder.file("a.flo5")).count < 640 * 480 * 8 / 50)
    #expect(try FlowFile.read(contentsOf: folder.file("a.flo5").path).bits == still.bits)
  }
}
