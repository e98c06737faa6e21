// Between the decoders, which see bytes, and the file system.

import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// The parts of a file, read when they are asked for, so that a field out of a file of hundreds of gigabytes costs one
/// field. They are not mapped: a file that is cut off meanwhile would end the program with SIGBUS.
struct FileParts {
  private enum Source {
    case memory(UnsafeRawBufferPointer)
    case file(Int32)
  }

  /// The length of the whole, in bytes.
  let length: Int
  private let name: String
  private let source: Source

  /// - Parameter name: The name by which errors call the file.
  init(_ bytes: UnsafeRawBufferPointer, name: String) {
    (length, self.name, source) = (bytes.count, name, .memory(bytes))
  }

  fileprivate init(file: Int32, length: Int, name: String) {
    (self.length, self.name, source) = (length, name, .file(file))
  }

  /// Calls `body` with bytes of the file.
  /// - Parameter range: A range within `length`. `body` gets fewer bytes where the file has become shorter.
  func withBytes<Result>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    switch source {
    case .memory(let bytes): return try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    case .file(let file):
      guard let memory = malloc(max(range.count, 1)) else {
        throw FileBytes.unreadable(name, "there is no memory for \(range.count) bytes")
      }
      defer { free(memory) }
      var count = 0
      while count < range.count {
        let step = pread(file, memory + count, range.count - count, off_t(range.lowerBound + count))
        if step < 0, errno == EINTR { continue }
        guard step >= 0 else { throw FileBytes.unreadable(name, FileBytes.systemMessage()) }
        if step == 0 { break }
        count += step
      }
      return try body(UnsafeRawBufferPointer(start: memory, count: count))
    }
  }
}

/// Files as bytes. Every failure is a ``FlowFormatError`` that names the file.
enum FileBytes {
  /// Calls `body` with the contents of a file.
  static func withContents<Result>(
    of path: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try withParts(of: path) { file in try file.withBytes(0..<file.length, body) }
  }

  /// Calls `body` with a file to read parts of. Standard input (`-`), pipes and devices are read to their end.
  static func withParts<Result>(of path: String, _ body: (FileParts) throws -> Result) throws -> Result {
    if path == "-" { return try withEverything(in: 0, path: "standard input", body) }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path, systemMessage()) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(path, systemMessage()) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw unreadable(path, "is a folder")
    case S_IFREG: return try body(FileParts(file: file, length: Int(status.st_size), name: path))
    default: return try withEverything(in: file, path: path, body)
    }
  }

  private static func withEverything<Result>(
    in file: Int32, path: String, _ body: (FileParts) throws -> Result
  ) throws -> Result {
    let contents: Data
    do {
      contents = try FileContents.read(from: file, name: path)
    } catch {
      throw FlowFormatError(code: .unreadable, message: "\(error)")
    }
    return try contents.withUnsafeBytes { try body(FileParts($0, name: path)) }
  }

  fileprivate static func unreadable(_ path: String, _ reason: String) -> FlowFormatError {
    FlowFormatError(code: .unreadable, message: "\(path): cannot be read: \(reason)")
  }

  /// Writes a file, which appears under its name only when it is complete; `-` is standard output.
  static func write(_ contents: Data, to path: String, _ options: FlowWritingOptions) throws {
    try namingOutput(path) {
      try OutputFile(path: path, overwrite: options.overwrites, durability: options.durability).write(contents)
    }
  }

  /// Turns what goes wrong in writing `path` into this module's error.
  static func namingOutput<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FlowFormatError {
      throw error
    } catch let error as MediaError {
      let code: FlowFormatError.Code =
        switch error.code {
        case .outputExists: .outputExists
        case .invalidOption: .invalidOption
        default: .unwritable
        }
      throw FlowFormatError(code: code, message: error.file == nil ? "\(path): \(error)" : "\(error)")
    } catch {
      throw FlowFormatError(code: .unwritable, message: "\(path): cannot be written: \(error)")
    }
  }

  /// The system's words for the last failed call.
  static func systemMessage() -> String { String(cString: strerror(errno)) }
}
