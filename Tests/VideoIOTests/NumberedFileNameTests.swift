import Foundation
import TestSupport
import Testing

@testable import VideoIO

@Suite struct NumberedFileNameTests {
  @Test(arguments: [
    ("a_%d.flo", "a_7.flo"), ("a_%03d.png", "a_007.png"), ("50%%/%02d%%", "50%/07%"), ("100%_%1d", "100%_7"),
    ("%d/%d.flo", "7/%d.flo"),
  ])
  func aNumberFillsItsField(name: String, expected: String) throws {
    #expect(try #require(NumberedFileName(name))[7] == expected)
  }

  @Test(arguments: ["a.flo", "a%%d.flo", "a%x.flo", "%", "a%3", "d"])
  func otherNamesHaveNoField(name: String) { #expect(NumberedFileName(name) == nil) }

  @Test func widthsAreBounded() throws {
    #expect(try #require(NumberedFileName("%99999999999999999999d"))[12].count == 255)
  }

  @Test func filesAreFoundByTheirNumbers() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("x_3"), withIntermediateDirectories: true)
    for name in ["x_3/f", "s_010.flo", "s_002.flo", "s_1.flo", "s_.flo", "s_12.flo.bak", "s_1e.flo", "as_011.flo"] {
      try Data().write(to: folder.file(name))
    }
    func numbers(_ name: String) throws -> [Int] {
      try #require(NumberedFileName(folder.file("").path + "/" + name)).existingNumbers()
    }
    #expect(try numbers("s_%03d.flo") == [2, 10])
    #expect(try numbers("s_%d.flo") == [1])
    #expect(try numbers("x_%d/f") == [3] && numbers("x_%d/g").isEmpty)
    #expect(throws: CocoaError.self) { try numbers("none/%d") }
  }

  @Test func whatIsThereIsNotReplacedUnasked() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file("i_2.png"))
    let name = try #require(NumberedFileName(folder.file("i_%03d.png").path))
    #expect(throws: MediaError.self) { try name.requireUnused(overwrite: false, inputs: []) }
    #expect(throws: MediaError.self) { try name.requireUnused(overwrite: true, inputs: [folder.file("i_2.png").path]) }
    try name.requireUnused(overwrite: true, inputs: [])
    try #require(NumberedFileName(folder.file("j_%d.png").path)).requireUnused(overwrite: false, inputs: [])
  }
}
