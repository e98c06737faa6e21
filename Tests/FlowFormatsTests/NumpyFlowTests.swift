import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct NumpyFlowTests {
  /// A file with a header of the given version and dictionary, and `count` numbers 0, 1, 2 …
  private static func file(
    _ dictionary: String, version: UInt8 = 1, count: Int, number: (Float) -> [UInt8] = { bytes($0.bitPattern) }
  ) -> Data {
    var data = Data([0x93] + Array("NUMPY".utf8) + [version, 0])
    let length = dictionary.utf8.count
    data.append(contentsOf: [UInt8(length & 0xFF), UInt8(length >> 8)] + (version == 1 ? [] : [0, 0]))
    data.append(contentsOf: Array(dictionary.utf8))
    for index in 0..<count { data.append(contentsOf: number(Float(index))) }
    return data
  }

  private static func bytes<Word: FixedWidthInteger>(_ word: Word, bigEndian: Bool = false) -> [UInt8] {
    withUnsafeBytes(of: bigEndian ? word.bigEndian : word.littleEndian) { Array($0) }
  }

  private static func dictionary(_ type: String = "<f4", fortran: String = "False", shape: String = "(2, 3, 2)")
    -> String
  {
    "{'descr': '\(type)', 'fortran_order': \(fortran), 'shape': \(shape), }\n"
  }

  private static let types: [(String, @Sendable (Float) -> [UInt8])] = [
    ("<f2", { bytes(Float16($0).bitPattern) }), (">f2", { bytes(Float16($0).bitPattern, bigEndian: true) }),
    ("<f4", { bytes($0.bitPattern) }), (">f4", { bytes($0.bitPattern, bigEndian: true) }),
    ("<f8", { bytes(Double($0).bitPattern) }), (">f8", { bytes(Double($0).bitPattern, bigEndian: true) }),
  ]

  @Test(arguments: types.indices, [UInt8(1), 2, 3]) func typesAndVersionsAreRead(index: Int, version: UInt8) throws {
    let (type, number) = Self.types[index]
    let flow = try Self.file(Self.dictionary(type), version: version, count: 12, number: number).decoded(.npy)
    #expect(flow.size == PixelSize(width: 3, height: 2))
    #expect(flow[0, 0] == (0, 1) && flow[2, 0] == (4, 5) && flow[1, 1] == (8, 9))
  }

  @Test func theFirstIndexMayRunFastest() throws {
    let flow = try Self.file(Self.dictionary(fortran: "True"), count: 12).decoded(.npy)
    #expect(flow[0, 0] == (0, 6) && flow[0, 1] == (1, 7) && flow[2, 1] == (5, 11))
  }

  @Test(arguments: ["False", "True"]) func oneOfSeveralFieldsIsRead(fortran: String) throws {
    let file = Self.file(Self.dictionary(fortran: fortran, shape: "(2, 1, 3, 2)"), count: 12)
    let second = try file.decoded(.npy, field: 1)
    #expect(second[1, 0] == (fortran == "True" ? (3, 9) : (8, 9)))
    let unsaid = thrown(FlowFormatError.self) { try file.decoded(.npy) }
    #expect(unsaid?.code == .invalidOption && unsaid?.message.contains("2 fields") == true)
    let beyond = thrown(FlowFormatError.self) { try file.decoded(.npy, field: 2) }
    #expect(beyond?.code == .invalidOption)
  }

  @Test func theDictionaryMayLookDifferent() throws {
    for text in [
      "{\"shape\":(2,3,2),\"fortran_order\":False,\"descr\":\"<f4\"}",
      "{ 'shape' : ( 2 , 3 , 2 , ) , 'descr' : '<f4', 'fortran_order':False } \n",
    ] { #expect(try Self.file(text, count: 12).decoded(.npy)[1, 1] == (8, 9)) }
  }

  @Test func otherFilesAreRefused() {
    func refused(
      _ text: String, _ code: FlowFormatError.Code, _ word: String, count: Int = 12,
      line: SourceLocation = #_sourceLocation
    ) {
      expectRefusal(Self.file(text, count: count), .npy, code, word, sourceLocation: line)
    }
    refused(Self.dictionary("<i4"), .unsupported, "<i4")
    refused(Self.dictionary("|O"), .unsupported, "|O")
    refused("{'descr': [('u', '<f4')], 'fortran_order': False, 'shape': (2, 3, 2)}", .unsupported, "records")
    refused(Self.dictionary(shape: "(12,)"), .unsupported, "(12)")
    refused(Self.dictionary(shape: "(2, 2, 3)"), .unsupported, "(2, 2, 3)")
    refused(Self.dictionary(shape: "(0, 3, 2)"), .absurdSize, "3×0")
    refused(Self.dictionary(shape: "(2147483648, 1, 2)"), .absurdSize, "2147483648")
    refused(Self.dictionary(shape: "(99999999999999999999, 1, 2)"), .absurdSize, "beyond")
    refused(Self.dictionary(shape: "(2147483647, 2147483647, 2)"), .truncated, "2147483647")
    refused(Self.dictionary(shape: "(9223372036854775807, 2, 3, 2)"), .truncated, "too few")
    refused(Self.dictionary(), .truncated, "too few", count: 11)
    refused(Self.dictionary(), .trailingData, "an array of", count: 13)
    refused(Self.dictionary(fortran: "Maybe"), .wrongFormat, "True nor False")
    refused("{'descr': '<f4', 'shape': (2, 3, 2)}", .wrongFormat, "missing")
    refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2)}", .wrongFormat, "descr")
    refused(Self.dictionary() + "x", .wrongFormat, "after")
    refused("{'descr': '<f4", .wrongFormat, "end")
    expectRefusal(Self.file(Self.dictionary(), version: 4, count: 12), .npy, .unsupported, "version 4.0")
    expectRefusal(Self.file(Self.dictionary(), count: 0).prefix(40), .npy, .truncated)
    expectRefusal(
      Self.file(Self.dictionary(), version: 2, count: 12).replacing(8, [255, 255, 255, 255]), .npy, .absurdSize)
  }

  @Test func halfPrecisionIsRoundedAndClamped() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.npy")
    let vectors: [(Float, Float)] = [(0.1, -1), (70000, 0), (.nan, .nan), (0, -65519)]
    let flow = FlowField(width: 4, height: 1) { x, _ in vectors[x] }
    let report = try FlowFile.write(flow, to: file.path, options: FlowWritingOptions(halfPrecision: true))
    #expect(report.clampedVectorCount == 2)
    #expect(try Data(contentsOf: file).count == 128 + 4 * 2 * 2)
    let read = try FlowFile.read(contentsOf: file.path)
    #expect(read[0, 0] == (Float(Float16(0.1)), -1) && read[1, 0] == (65504, 0) && read[3, 0] == (0, -65504))
    #expect(!read.isKnown(x: 2, y: 0))
  }
}
