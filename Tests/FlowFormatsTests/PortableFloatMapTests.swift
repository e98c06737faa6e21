import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct PortableFloatMapTests {
  private static func file(_ header: String, _ rows: [[Float]], bigEndian: Bool = false) -> Data {
    var data = Data(header.utf8)
    for number in rows.joined() {
      let word = bigEndian ? number.bitPattern.bigEndian : number.bitPattern.littleEndian
      Swift.withUnsafeBytes(of: word) { data.append(contentsOf: $0) }
    }
    return data
  }

  private static let rows: [[Float]] = [[1, 2, 0, 3, 4, 0], [5, 6, 0, .nan, 8, 0]]

  @Test(arguments: [("PF\n2 2\n-1.0\n", false), ("PF 2\t2 1\n", true), ("PF\n2\n2\n-0.5 ", false)])
  func rowsGoUpwardsAndTheScaleTellsTheByteOrder(header: String, bigEndian: Bool) throws {
    let flow = try Self.file(header, Self.rows, bigEndian: bigEndian).decoded(.pfm)
    #expect(flow[0, 1] == (1, 2) && flow[1, 1] == (3, 4) && flow[0, 0] == (5, 6))
    #expect(flow.u[1, 0].isNaN && flow.v[1, 0].isNaN)
  }

  @Test func theThirdChannelTellsWhatIsKnown() throws {
    let folder = try TemporaryFolder()
    let flow = FlowField(width: 2, height: 1) { x, _ in x == 0 ? (1, -2) : (.nan, .nan) }
    try FlowFile.write(flow, to: folder.file("a.pfm").path)
    let expected = Self.file("PF\n2 1\n-1.0\n", [[1, -2, 1, .nan, .nan, 0]])
    #expect(try Data(contentsOf: folder.file("a.pfm")) == expected)
  }

  @Test func otherFilesAreRefused() {
    let numbers = Self.rows
    expectRefusal(Self.file("Pf\n2 2\n-1.0\n", numbers), .pfm, .unsupported, "one channel")
    expectRefusal(Self.file("P6\n2 2\n255\n", numbers), .pfm, .wrongFormat)
    expectRefusal(Self.file("PF\n2 2\n0\n", numbers), .pfm, .wrongFormat, "scale")
    expectRefusal(Self.file("PF\n2 2\nnan\n", numbers), .pfm, .wrongFormat, "scale")
    expectRefusal(Self.file("PF\n2 x\n-1\n", numbers), .pfm, .absurdSize, "2×x")
    expectRefusal(Self.file("PF\n0 2\n-1\n", numbers), .pfm, .absurdSize)
    expectRefusal(Self.file("PF\n-2 2\n-1\n", numbers), .pfm, .absurdSize)
    expectRefusal(Self.file("PF\n2147483648 1\n-1\n", numbers), .pfm, .absurdSize)
    expectRefusal(Self.file("PF\n2147483647 2147483647\n-1\n", numbers), .pfm, .truncated)
    expectRefusal(Self.file("PF\n2 3\n-1\n", numbers), .pfm, .truncated)
    expectRefusal(Self.file("PF\n2 1\n-1\n", numbers), .pfm, .trailingData)
    expectRefusal(Data("PF\n2 2".utf8), .pfm, .truncated)
    expectRefusal(Data("PF\n".utf8) + Data(repeating: 0x20, count: 999), .pfm, .wrongFormat, "no end")
  }
}
