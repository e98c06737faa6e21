import Foundation
import Imaging
import TestSupport
import Testing

@testable import FlowFormats

@Suite struct FileBytesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Bytes that were mapped would end the program with SIGBUS.
  @Test func aFileThatIsCutOffWhileItIsInUseIsNoCrash() throws {
    let file = folder.file("a")
    try Data(repeating: 7, count: 100_000).write(to: file)
    let sum = try FileBytes.withContents(of: file.path) { bytes in
      #expect(truncate(file.path, 0) == 0)
      return bytes.reduce(0) { $0 + Int($1) }
    }
    #expect(sum == 700_000)
  }

  @Test func whatIsCutOffBeforeItIsReadIsMissing() throws {
    let file = folder.file("a")
    try Data(repeating: 7, count: 100_000).write(to: file)
    try FileBytes.withParts(of: file.path) { parts in
      #expect(truncate(file.path, 60_000) == 0)
      #expect(parts.length == 100_000)
      let counts = try [0..<100, 50_000..<90_000].map { range in try parts.withBytes(range) { $0.count } }
      #expect(counts == [100, 10_000])
    }
  }

  @Test(arguments: [false, true]) func aFieldThatIsCutOffIsAnError(isFortranOrder: Bool) throws {
    let file = folder.file("a.npy")
    let header = NumpyHeader(element: .float, isFortranOrder: isFortranOrder, shape: [3, 4, 5, 2])
    try (header.encoded + Data(count: 3 * 4 * 5 * 2 * 4)).write(to: file)
    let error = thrown(FlowFormatError.self) {
      try FileBytes.withParts(of: file.path) { parts in
        let layout = try NumpyLayout(parts, name: file.path)
        #expect(truncate(file.path, 200) == 0)
        try layout.withField(2, of: parts, name: file.path) { _ in }
      }
    }
    #expect(error?.code == .truncated)
  }

  /// 64 GB, of which next to nothing is on the disk.
  @Test func aFieldOfAHugeFileCostsOneField() throws {
    let file = folder.file("a.npy")
    let count = 8_000_000
    let header = NumpyHeader(element: .float, isFortranOrder: false, shape: [count, 20, 50, 2])
    try header.encoded.write(to: file)
    #expect(truncate(file.path, off_t(NumpyHeader.encodedLength + count * 8000)) == 0)
    #expect(try FlowFile.fieldCount(ofPath: file.path) == count)
    let flow = try FlowFile.read(contentsOf: file.path, options: FlowReadingOptions(field: count - 1))
    #expect(flow.size == PixelSize(width: 50, height: 20))
  }

  @Test func aFieldBetweenOthersIsThatOfTheSameNumbersAlone() throws {
    // In Fortran's order the numbers of a field lie apart: those of a pixel are 3, 12 and 60 numbers from its
    // neighbours'.
    let (fields, height, width) = (3, 4, 5)
    var numbers = Data()
    for index in 0..<fields * height * width * 2 {
      withUnsafeBytes(of: Float(index).bitPattern.littleEndian) { numbers.append(contentsOf: $0) }
    }
    let header = NumpyHeader(element: .float, isFortranOrder: true, shape: [fields, height, width, 2])
    let file = folder.file("a.npy")
    try (header.encoded + numbers).write(to: file)
    for field in 0..<fields {
      let flow = try FlowFile.read(contentsOf: file.path, options: FlowReadingOptions(field: field))
      flow.forEachRow { y, u, v in
        for x in 0..<width {
          let index = field + fields * (y + height * x)
          #expect(u[x] == Float(index) && v[x] == Float(index + fields * height * width))
        }
      }
    }
  }
}
