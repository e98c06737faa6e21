// Between the decoders, which see bytes, and the file system.

import Foundation
import VideoIO

/// Whole files as bytes. Every failure is a ``FlowFormatError`` that names the file.
enum FileBytes {
  /// Calls `body` with the contents of a file: mapped, not read, so that a field out of a file of hundreds of gigabytes
  /// costs one field. Standard input (`-`), pipes and devices are read to their end.
  static func withContents<Result>(
    of path: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    if path == "-" { return try withEverything(in: 0, path: "standard input", body) }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path, systemMessage()) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(path, systemMessage()) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw unreadable(path, "is a folder")
    case S_IFREG where status.st_size > 0:
      guard let address = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, file, 0), address != MAP_FAILED
      else { throw unreadable(path, systemMessage()) }
      defer { munmap(address, Int(status.st_size)) }
      return try body(UnsafeRawBufferPointer(start: address, count: Int(status.st_size)))
    case S_IFREG: return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    default: return try withEverything(in: file, path: path, body)
    }
  }

  private static func withEverything<Result>(
    in file: Int32, path: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let contents: Data
    do {
      contents = try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
    } catch {
      throw unreadable(path, reason(error))
    }
    return try contents.withUnsafeBytes(body)
  }

  private static func unreadable(_ path: String, _ reason: String) -> FlowFormatError {
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
      throw FlowFormatError(
        code: error.code == .outputExists ? .outputExists : .unwritable,
        message: error.file == nil ? "\(path): \(error)" : "\(error)")
    } catch {
      throw FlowFormatError(code: .unwritable, message: "\(path): cannot be written: \(reason(error))")
    }
  }

  /// The system's words for the last failed call.
  static func systemMessage() -> String { String(cString: strerror(errno)) }
}

/// The system's own words for an error.
func reason(_ error: any Error) -> String {
  let error = error as NSError
  if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError { return underlying.localizedDescription }
  return error.localizedDescription
}
