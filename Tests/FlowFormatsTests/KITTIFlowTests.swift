import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing
import VideoIO

@Suite struct KITTIFlowTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func contents(_ flow: FlowField) throws -> Data {
    let file = folder.file("a.png")
    try FlowFile.write(flow, to: file.path, options: FlowWritingOptions(overwrites: true))
    return try Data(contentsOf: file)
  }

  @Test func theLevelsAreThoseOfTheDevelopmentKit() throws {
    _ = try contents(FlowField(width: 3, height: 1) { x, _ in [(0, 0), (1.5, -2), (.nan, .nan)][x] })
    let pixels = try StillImage.rgb16(contentsOf: folder.file("a.png").path)
    #expect(
      [pixels[0, 0], pixels[1, 0], pixels[2, 0]]
        == [RGB16(32768, 32768, 1), RGB16(32864, 32640, 1), RGB16(32768, 32768, 0)])
  }

  @Test func componentsAreRoundedToTheNearestStep() throws {
    let values: [Float] = [0.0078, 0.0079, -0.0078, -0.0079, 100.0078, 100.0079, 0.5 / 64, 1.5 / 64]
    let read = try contents(FlowField(width: values.count, height: 1) { x, _ in (values[x], 0) }).decoded(.kitti)
    #expect(read.u.bits == [0, 1, 0, -1, 6400, 6401, 0, 2].map { (Float($0) / 64).bitPattern })
  }

  @Test func whatDoesNotFitIsClampedAndCounted() throws {
    let vectors: [(Float, Float)] = [(511.99, 0), (512.1, 0), (0, -512), (0, -512.1), (1e6, -1e6), (.nan, .nan)]
    let flow = FlowField(width: vectors.count, height: 1) { x, _ in vectors[x] }
    let file = folder.file("a.png").path
    #expect(try FlowFile.write(flow, to: file).clampedVectorCount == 3)
    let read = try FlowFile.read(contentsOf: file)
    #expect(read[1, 0] == (511.984375, 0) && read[3, 0] == (0, -512) && read[4, 0] == (511.984375, -512))
  }

  @Test func otherImagesAreRefused() throws {
    let file = folder.file("b.png")
    try StillImage.writePNG(Plane<UInt8>(width: 9, height: 9), to: file.path)
    expectRefusal(try Data(contentsOf: file), .kitti, .unsupported, "8-bit grey", "16-bit RGB")
    try StillImage.writePNG(
      Plane<RGBA8>(width: 9, height: 9) { _, _ in .white }, to: file.path, overwrite: true)
    expectRefusal(try Data(contentsOf: file), .kitti, .unsupported, "8-bit RGB")
  }

  @Test func damagedFilesAreRefused() throws {
    let whole = try contents(SampleFields.steps())
    expectRefusal(whole.dropLast(1), .kitti, .truncated)
    expectRefusal(whole.dropLast(12), .kitti, .truncated)
    expectRefusal(whole + [0], .kitti, .trailingData)
    expectRefusal(whole.replacing(20, [9]), .kitti, .truncated, "cannot hold")
    expectRefusal(whole.replacing(whole.count - 14, [whole[whole.count - 14] ^ 1]), .kitti, .damaged, "checksum")
    expectRefusal(whole.replacing(16, [0x7F, 0xFF, 0xFF, 0xFF]).withRightCheckSums, .kitti, .absurdSize)
    expectRefusal(whole.replacing(16, [0, 0xFF, 0xFF, 0xFF]).withRightCheckSums, .kitti, .truncated, "16777215×7")
    expectRefusal(whole.replacing(16, [0x80, 0, 0, 0]).withRightCheckSums, .kitti, .absurdSize)
    expectRefusal(whole.replacing(28, [1]).withRightCheckSums, .kitti, .unsupported, "interlaced")
    expectRefusal(whole.replacing(26, [1]).withRightCheckSums, .kitti, .damaged)
  }

  /// Some decoders hand out the rows that they have.
  @Test func compressedDataThatEndTooEarlyAreNoticed() throws {
    let taller = try contents(SampleFields.steps(width: 40, height: 60)).replacing(23, [61]).withRightCheckSums
    expectRefusal(taller, .kitti, .truncated)
  }
}

extension Data {
  /// A PNG file whose chunks' check sums are right again.
  var withRightCheckSums: Data {
    var file = self
    var offset = 8
    while offset + 12 <= file.count {
      let end = offset + 8 + file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard end + 4 <= file.count else { break }
      var sum = UInt32.max
      for byte in file[offset + 4..<end] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
      }
      Swift.withUnsafeBytes(of: (~sum).bigEndian) { file.replaceSubrange(end..<end + 4, with: $0) }
      offset = end + 4
    }
    return file
  }
}
