import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct NumpyStackWriterTests {
  private let folder: TemporaryFolder
  private let fields = (0..<4).map { SampleFields.steps(seed: UInt64($0)) }
  private let size = PixelSize(width: 13, height: 7)

  init() throws { folder = try TemporaryFolder() }

  private func expectFields(_ expected: [FlowField], in path: String) throws {
    #expect(try FlowFile.fieldCount(ofPath: path) == expected.count)
    for (number, field) in expected.enumerated() {
      #expect(try FlowFile.read(contentsOf: path, options: FlowReadingOptions(field: number)).bits == field.bits)
    }
  }

  @Test func fieldsBecomeOneFile() throws {
    let path = folder.file("video.npy").path
    let writer = try NumpyStackWriter(path: path, size: size)
    for field in fields {
      try writer.append(field)
      #expect(!folder.names.contains("video.npy"))
    }
    #expect(try writer.finish().files == [path])
    #expect(folder.names == ["video.npy"])
    try expectFields(fields, in: path)
  }

  @Test func clampedVectorsOfAllFieldsAreCounted() throws {
    let writer = try NumpyStackWriter(
      path: folder.file("a.npy").path, size: size, options: FlowWritingOptions(halfPrecision: true))
    for _ in 0..<2 { try writer.append(FlowField(width: 13, height: 7) { x, y in x + y == 0 ? (1e5, 0) : (0, 0) }) }
    #expect(try writer.finish().clampedVectorCount == 2)
  }

  @Test func anAbandonedFileDisappears() throws {
    do {
      let writer = try NumpyStackWriter(path: folder.file("a.npy").path, size: size)
      try writer.append(fields[0])
      #expect(folder.names.count == 1)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func fieldsOfAnotherSizeAreRefused() throws {
    let writer = try NumpyStackWriter(path: folder.file("a.npy").path, size: size)
    let error = thrown(FlowFormatError.self) { try writer.append(SampleFields.steps(width: 12)) }
    #expect(error?.code == .sizeMismatch && error?.message.contains("12×7") == true)
  }

  @Test func anInterruptedFileGoesOn() throws {
    let path = folder.file("video.npy").path
    do {
      let writer = try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size)
      for field in fields.prefix(3) { try writer.append(field) }
    }
    let partial = NumpyStackWriter.partialPath(for: path)
    // Half a field more, as a program that was killed may leave it.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 99))
    try handle.close()
    #expect(try NumpyStackWriter.partialFieldCount(for: path, size: size) == 3)

    let writer = try NumpyStackWriter(resumablePath: path, resumingAt: 2, size: size)
    #expect(writer.fieldCount == 2)
    try writer.append(fields[3])
    try writer.finish()
    #expect(folder.names == ["video.npy"])
    try expectFields([fields[0], fields[1], fields[3]], in: path)
  }

  @Test func onlyTheSameKindOfFileGoesOn() throws {
    let path = folder.file("video.npy").path
    #expect(try NumpyStackWriter.partialFieldCount(for: path, size: size) == 0)
    try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size).append(fields[0])
    let half = FlowWritingOptions(halfPrecision: true)
    for (size, options, kept, code) in [
      (PixelSize(width: 12, height: 7), FlowWritingOptions(), 1, FlowFormatError.Code.sizeMismatch),
      (size, half, 1, .sizeMismatch), (size, FlowWritingOptions(), 2, .truncated),
    ] {
      let error = thrown(FlowFormatError.self) {
        try NumpyStackWriter(resumablePath: path, resumingAt: kept, size: size, options: options)
      }
      #expect(error?.code == code && error?.message.contains("video.npy") == true)
    }
  }

  @Test(arguments: [false, true]) func aFinishedWriterTakesNothingMore(isResumable: Bool) throws {
    let path = folder.file("a.npy").path
    let writer =
      isResumable
      ? try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size)
      : try NumpyStackWriter(path: path, size: size)
    try writer.append(fields[0])
    try writer.finish()
    for attempt in [{ try writer.append(fields[1]) }, { _ = try writer.finish() }] {
      let error = thrown(FlowFormatError.self, performing: attempt)
      #expect(error?.code == .unwritable && error?.message.contains("is finished") == true)
    }
    try expectFields([fields[0]], in: path)
  }

  @Test func sizesAndCountsThatAreNoneAreRefused() throws {
    let path = folder.file("a.npy").path
    for size in [
      PixelSize(width: 0, height: 7), PixelSize(width: 7, height: -1), PixelSize(width: .max, height: .max),
      PixelSize(width: .min, height: 1), PixelSize(width: 1 << 62, height: 1),
    ] {
      for attempt in [
        { _ = try NumpyStackWriter(path: path, size: size) },
        { _ = try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size) },
        { _ = try NumpyStackWriter.partialFieldCount(for: path, size: size) },
      ] {
        #expect(thrown(FlowFormatError.self, performing: attempt)?.code == .absurdSize)
      }
    }
    #expect(folder.names.isEmpty)
    try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size).append(fields[0])
    let error = thrown(FlowFormatError.self) {
      try NumpyStackWriter(resumablePath: path, resumingAt: -1, size: size)
    }
    #expect(error?.code == .truncated)
  }

  @Test func aPipeIsRefused() throws {
    for path in ["-", "/dev/null"] {
      #expect(throws: FlowFormatError.self) {
        try NumpyStackWriter(path: path, size: size, options: FlowWritingOptions(overwrites: true))
      }
    }
  }

  @Test func anExistingFileIsReplacedOnlyOnRequest() throws {
    let file = folder.file("a.npy")
    try Data("precious".utf8).write(to: file)
    let error = thrown(FlowFormatError.self) { try NumpyStackWriter(path: file.path, size: size) }
    #expect(error?.code == .outputExists)
    #expect(throws: FlowFormatError.self) {
      try NumpyStackWriter(resumablePath: file.path, resumingAt: 0, size: size)
    }
    let writer = try NumpyStackWriter(path: file.path, size: size, options: FlowWritingOptions(overwrites: true))
    try writer.append(fields[0])
    try writer.finish()
    try expectFields([fields[0]], in: file.path)
  }

  // MARK: A name that others know beforehand

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func anUnfinishedFileFollowsNoLinkAndIsItsOwnersAlone() throws {
    let (path, victim) = (folder.file("a.npy").path, folder.file("victim"))
    let partial = NumpyStackWriter.partialPath(for: path)
    try Data("precious".utf8).write(to: victim)
    try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: victim.path)
    let writer = try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size)
    try writer.append(fields[0])
    #expect(try permissions(partial) == 0o600)
    try writer.finish()
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    #expect(try permissions(path) == permissions(victim.path))
    try expectFields([fields[0]], in: path)
  }

  @Test func aLinkIsNotGoneOnWith() throws {
    let path = folder.file("a.npy").path
    let partial = NumpyStackWriter.partialPath(for: path)
    try NumpyStackWriter(resumablePath: path, resumingAt: 0, size: size).append(fields[0])
    let elsewhere = folder.file("elsewhere").path
    try FileManager.default.moveItem(atPath: partial, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: elsewhere)
    let before = try Data(contentsOf: URL(fileURLWithPath: elsewhere))
    let error = thrown(FlowFormatError.self) {
      try NumpyStackWriter(resumablePath: path, resumingAt: 1, size: size)
    }
    #expect(error?.code == .unwritable)
    #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere)) == before)
  }
}
