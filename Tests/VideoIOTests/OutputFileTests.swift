import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Outputs take the place of no file that may not be replaced, whenever it comes.
@Suite struct OutputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: folder.file(name)) }
  private func text(_ name: String) throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }

  @Test(arguments: [false, true]) func whatAppearsMeanwhileIsReplacedWhenItMayBe(overwrites: Bool) throws {
    let file = try OutputFile(path: folder.file("out").path, overwrite: overwrites)
    try Data("new".utf8).withUnsafeBytes(file.append)
    try write("other", to: "out")
    if overwrites {
      try file.commit()
    } else {
      #expect(thrown(MediaError.self) { try file.commit() }?.code == .outputExists)
      file.discard()
    }
    #expect(try text("out") == (overwrites ? "new" : "other"))
    #expect(folder.names == ["out"])
  }

  @Test(arguments: [false, true]) func unfinishedFilesDoTheSame(overwrites: Bool) throws {
    let (path, unfinished) = (folder.file("out").path, folder.file("out.partial").path)
    let descriptor = try OutputFile.openResumable(unfinished, anew: true)
    defer { close(descriptor) }
    try write("other", to: "out")
    func complete() throws {
      try OutputFile.complete(descriptor, unfinished, as: path, overwrites: overwrites)
    }
    if overwrites {
      try complete()
    } else {
      #expect(thrown(MediaError.self, performing: complete)?.code == .outputExists)
    }
    #expect(try text("out") == (overwrites ? "" : "other"))
    #expect(folder.names == (overwrites ? ["out"] : ["out", "out.partial"]))
  }

  /// At once, or by a second name where the file system cannot do that.
  @Test(arguments: [false, true]) func aNameIsGivenOnce(knowsFlag: Bool) throws {
    try write("a", to: "a")
    try write("b", to: "b")
    func move(_ name: String, _ other: String, overwrites: Bool) -> Bool {
      OutputFile.move(
        folder.file(name).path, to: folder.file(other).path, overwrites: overwrites, knowsFlag: knowsFlag)
    }
    #expect(move("a", "c", overwrites: false) && folder.names == ["b", "c"])
    #expect(!move("b", "c", overwrites: false) && folder.names == ["b", "c"])
    #expect(try text("c") == "a")
    #expect(move("b", "c", overwrites: true) && folder.names == ["c"])
    #expect(try text("c") == "b")
    #expect(!move("absent", "d", overwrites: false) && folder.names == ["c"])
  }

  @Test func aLinkToNothingIsThereAlready() throws {
    let link = folder.file("out")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("absent"))
    #expect(thrown(MediaError.self) { try OutputFile(path: link.path, overwrite: false) }?.code == .outputExists)
    try OutputFile(path: link.path, overwrite: true).write(Data("new".utf8))
    #expect(try text("out") == "new")
    #expect(folder.names == ["out"])
  }

  @Test(arguments: [false, true]) func imagesOfAPatternDoTheSame(overwrites: Bool) throws {
    let size = PixelSize(width: 48, height: 32)
    let writer = try VideoWriter(
      folder.file("i_%d.png").path, options: EncoderOptions(overwrites: overwrites), size: size,
      frameRate: Rational(25, 1))
    try write("other", to: "i_2.png")
    func finish() throws {
      let maker = CanvasMaker(format: writer.canvasFormat)
      for number in 0..<2 {
        let image = Plane<RGBA8>(width: size.width, height: size.height) { x, y in RGBA8(UInt8(x), UInt8(y), 7) }
        let time = MediaTime(value: Int64(number), timeBase: Rational(1, 25))
        try writer.append(maker.canvas(for: VideoFrame(image: image, number: number, presentationTime: time)))
      }
      try writer.finish()
    }
    if overwrites {
      try finish()
    } else {
      #expect(thrown(MediaError.self, performing: finish)?.code == .outputExists)
    }
    #expect(try Data(contentsOf: folder.file("i_2.png")).starts(with: Data("other".utf8)) == !overwrites)
    #expect(folder.names == ["i_1.png", "i_2.png"])
  }
}
