import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct MiddleburyFlowTests {
  private static let sample = FlowField(width: 5, height: 3) { x, y in
    (x, y) == (2, 1) ? (.nan, .nan) : (Float(x) * 0.25 - 1, Float(y) * -3.5)
  }

  @Test func aFieldComesBackBitForBit() throws {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.flo").path
    try MiddleburyFlow.write(Self.sample, to: path)
    let read = try MiddleburyFlow.read(contentsOf: path)
    #expect(read.bits == Self.sample.bits)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.flo"])
  }

  @Test func theBytesAreThoseOfTheFormat() {
    let data = MiddleburyFlow.encode(FlowField(width: 2, height: 1) { x, _ in x == 0 ? (1, -2) : (.nan, 3) })
    let unknown: [UInt8] = [0xF9, 0x02, 0x15, 0x50]  // 1e10
    let size: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0]
    let vector: [UInt8] = [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0]
    let parts = [Array("PIEH".utf8), size, vector, unknown, unknown]
    #expect([UInt8](data) == parts.flatMap { $0 })
  }

  @Test(arguments: [Float(1.1e9), -1e10, .infinity, .nan])
  func hugeComponentsAreUnknown(value: Float) throws {
    var data = MiddleburyFlow.encode(FlowField(width: 2, height: 1) { _, _ in (1, 2) })
    data.replaceSubrange(16..<20, with: withUnsafeBytes(of: value.bitPattern.littleEndian) { Data($0) })
    let flow = try MiddleburyFlow.decode(data, name: "x.flo")
    #expect(!flow.isKnown(x: 0, y: 0) && flow.u[0, 0].isNaN && flow.v[0, 0].isNaN)
    #expect(flow.isKnown(x: 1, y: 0))
  }

  private static let damaged: [(String, FlowFormatError.Code, @Sendable (inout Data) -> Void)] = [
    ("another magic number", .wrongFormat, { $0[0] = 0 }),
    ("text", .wrongFormat, { $0 = Data("hello".utf8) }),
    ("nothing", .truncated, { $0 = Data() }),
    ("a header cut short", .truncated, { $0 = $0.prefix(10) }),
    ("a byte too few", .truncated, { $0.removeLast() }),
    ("a byte too many", .trailingData, { $0.append(0) }),
    ("width 0", .absurdSize, { $0[4] = 0 }),
    ("negative height", .absurdSize, { $0[11] = 0xFF }),
    (
      "2147483647 by 2147483647", .truncated,
      { $0.replaceSubrange(4..<12, with: [255, 255, 255, 127, 255, 255, 255, 127]) }
    ),
  ]

  @Test(arguments: damaged.indices)
  func damagedFilesAreRefused(index: Int) {
    let (what, code, damage) = Self.damaged[index]
    var data = MiddleburyFlow.encode(Self.sample)
    damage(&data)
    let error = thrown(FlowFormatError.self, "\(what)") {
      try MiddleburyFlow.decode(Data(data), name: "folder/name.flo")
    }
    #expect(error?.code == code, "\(what): \(error?.message ?? "")")
    #expect(error?.message.contains("folder/name.flo") == true)
  }

  @Test func filesOutOfReachAreNamed() {
    let read = thrown(FlowFormatError.self) { try MiddleburyFlow.read(contentsOf: "/nowhere/a.flo") }
    #expect(read?.code == .unreadable && read?.message.contains("/nowhere/a.flo") == true)
    let write = thrown(FlowFormatError.self) {
      try MiddleburyFlow.write(Self.sample, to: "/nowhere/b.flo")
    }
    #expect(write?.code == .unwritable && write?.message.contains("/nowhere/b.flo") == true)
  }

  @Test(.enabled(if: TestData.has("flow/middlebury"), "needs the test data")) func aPublishedFileIsRead() throws {
    let path = "flow/middlebury/RubberWhale/flow10.flo"
    let url = try TestData.url(path)
    let flow = try MiddleburyFlow.read(contentsOf: url.path)
    #expect(flow.size == PixelSize(width: 584, height: 388))
    #expect(!flow.isKnown(x: 0, y: 0))
    let known = flow.u.bits.map(Float.init(bitPattern:)).filter { !$0.isNaN }
    #expect(known.count > 200_000 && known.allSatisfy { abs($0) < 20 })
  }
}
