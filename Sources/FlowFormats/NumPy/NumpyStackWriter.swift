// The flow of a whole video in one `.npy` file of shape (fields, height, width, 2), written field by field.

import Imaging
import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Streams flow fields into one `.npy` file, of any length: memory is bounded by one field.
///
/// The header has room for any count; `finish` writes the count into it and gives the file its name. Until then the
/// fields lie under another name. `numpy.load(path, mmap_mode="r")` opens the result without reading it.
/// Used by one thread at a time.
public final class NumpyStackWriter {
  /// The outcome of writing the fields so far: counts over all of them.
  public private(set) var report: FlowWritingReport
  /// The number of fields that have been written, those before a resumption included.
  public private(set) var fieldCount = 0

  private let path: String
  private let size: PixelSize
  private let halfPrecision: Bool
  private let output: OutputFile?
  private let workingPath: String
  private let overwrites: Bool
  /// The file that is written; nil when it is finished.
  private var file: Int32?

  private var header: NumpyHeader {
    NumpyHeader(
      element: halfPrecision ? .half : .float, isFortranOrder: false,
      shape: [fieldCount, size.height, size.width, 2])
  }

  private var bytesPerField: Int { size.area * 2 * (halfPrecision ? 2 : 4) }

  /// Begins a new file. What has been written is deleted when the writer goes away without `finish`.
  ///
  /// - Parameters:
  ///   - path: The final name. It must be a file that can be written at any offset, no pipe.
  ///   - size: The size of every field.
  ///   - options: `halfPrecision` and `overwrites`.
  /// - Throws: ``FlowFormatError`` `outputExists`, `unwritable` or `absurdSize`.
  public init(path: String, size: PixelSize, options: FlowWritingOptions = FlowWritingOptions()) throws {
    self.path = path
    self.size = size
    halfPrecision = options.halfPrecision
    overwrites = options.overwrites
    report = FlowWritingReport(files: [path])
    let output = try FileBytes.namingOutput(path) {
      try Self.checkDestination(path, size)
      return try OutputFile(path: path, overwrite: options.overwrites)
    }
    self.output = output
    workingPath = output.workingPath
    try begin()
  }

  /// Begins a file that survives the end of the program, or goes on with one: it lies at ``partialPath(for:)`` until
  /// `finish`, and is never deleted.
  ///
  /// - Parameters:
  ///   - path: The `.npy` file, as it is called when it is complete.
  ///   - kept: The number of fields to keep of the file that is there. Fields after these are dropped. 0 begins anew.
  ///   - size: The size of every field, in pixels.
  ///   - options: `halfPrecision` and `overwrites`.
  /// - Throws: ``FlowFormatError`` as above; `sizeMismatch` when the partial file is of another size or precision, and
  ///   `truncated` when it holds fewer fields.
  public init(
    resumablePath path: String, resumingAt kept: Int, size: PixelSize,
    options: FlowWritingOptions = FlowWritingOptions()
  ) throws {
    self.path = path
    self.size = size
    halfPrecision = options.halfPrecision
    overwrites = options.overwrites
    report = FlowWritingReport(files: [path])
    output = nil
    workingPath = Self.partialPath(for: path)
    try FileBytes.namingOutput(path) {
      try Self.checkDestination(path, size)
      // Only the checks: the name, the folder, whether a file is there already.
      _ = try OutputFile(path: path, overwrite: options.overwrites)
    }
    if kept == 0 { try begin() } else { try resume(at: kept) }
  }

  /// Returns the path at which a resumable file lies until it is complete.
  public static func partialPath(for path: String) -> String { path + ".partial" }

  /// Returns the number of whole fields of this size and precision in the partial file for `path`; 0 when there is
  /// none.
  /// - Throws: ``FlowFormatError`` `sizeMismatch` when it is of another size or precision, `wrongFormat` when it is
  ///   none.
  public static func partialFieldCount(
    for path: String, size: PixelSize, options: FlowWritingOptions = FlowWritingOptions()
  ) throws -> Int {
    try checkDestination(path, size)
    let partial = partialPath(for: path)
    guard FileManager.default.fileExists(atPath: partial) else { return 0 }
    return try FileBytes.withParts(of: partial) { file in
      let (header, offset) = try file.withBytes(0..<min(file.length, NumpyHeader.maximumLength)) {
        try NumpyHeader.read($0, name: partial)
      }
      let element: NumpyHeader.Element = options.halfPrecision ? .half : .float
      guard header.shape.count == 4, header.shape[1...].elementsEqual([size.height, size.width, 2]),
        header.element == element, !header.isFortranOrder, offset == NumpyHeader.encodedLength
      else {
        throw FlowFormatError(
          code: .sizeMismatch,
          message: "\(partial): holds fields of \(header.shape.dropFirst()), \(header.element.size) bytes a number; "
            + "to go on, they have to be [\(size.height), \(size.width), 2], \(element.size) bytes")
      }
      return (file.length - offset) / (size.area * 2 * element.size)
    }
  }

  /// The longest side of a field, in pixels: the bytes of one can be counted.
  private static let sideLimit = 1 << 28

  private static func checkDestination(_ path: String, _ size: PixelSize) throws {
    guard !size.isEmpty, size.width <= sideLimit, size.height <= sideLimit else {
      throw FlowFormatError(code: .absurdSize, message: "\(path): a field of \(size) cannot be stored")
    }
    var status = stat()
    guard path != "-", stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw FlowFormatError(
        code: .unwritable, message: "\(path): the header is completed at the end, so it cannot be a pipe or a device")
    }
  }

  private func begin() throws {
    try FileBytes.namingOutput(path) {
      if let output {
        file = try output.opened()
      } else {
        file = try OutputFile.openResumable(workingPath, anew: true)
      }
      try append(header.encoded)
    }
  }

  private func resume(at kept: Int) throws {
    let options = FlowWritingOptions(halfPrecision: halfPrecision)
    let present = try Self.partialFieldCount(for: path, size: size, options: options)
    guard (0...present).contains(kept) else {
      throw FlowFormatError(
        code: .truncated, message: "\(workingPath): holds \(present) whole fields; \(kept) are to be kept")
    }
    try FileBytes.namingOutput(path) {
      let file = try OutputFile.openResumable(workingPath, anew: false)
      self.file = file
      guard ftruncate(file, off_t(NumpyHeader.encodedLength + kept * bytesPerField)) == 0, lseek(file, 0, SEEK_END) >= 0
      else { throw unwritable() }
    }
    fieldCount = kept
  }

  /// Appends a field.
  /// - Throws: ``FlowFormatError`` `sizeMismatch` or `unwritable`.
  public func append(_ flow: FlowField) throws {
    guard flow.size == size else {
      throw FlowFormatError(
        code: .sizeMismatch, message: "\(path): a field of \(flow.size) among fields of \(size)")
    }
    let (numbers, clamped) = NumpyFlow.numbers(of: flow, halfPrecision: halfPrecision)
    try FileBytes.namingOutput(path) { try append(numbers) }
    report.clampedVectorCount += clamped
    fieldCount += 1
  }

  /// Appends a field as it stands in another file of this size and precision.
  /// - Parameter bytes: The numbers of the field, row by row, as many as a field has.
  /// - Throws: ``FlowFormatError`` `sizeMismatch` or `unwritable`.
  package func append(encoded bytes: Data) throws {
    guard bytes.count == bytesPerField else {
      throw FlowFormatError(
        code: .sizeMismatch, message: "\(path): \(bytes.count) bytes among fields of \(bytesPerField)")
    }
    try FileBytes.namingOutput(path) { try append(bytes) }
    fieldCount += 1
  }

  /// Completes the header and gives the file its name. Nothing can be appended afterwards.
  /// - Throws: ``FlowFormatError`` `unwritable`.
  @discardableResult
  public func finish() throws -> FlowWritingReport {
    try FileBytes.namingOutput(path) {
      let file = try openFile()
      guard lseek(file, 0, SEEK_SET) == 0 else { throw unwritable() }
      try append(header.encoded)
      if let output {
        guard fsync(file) == 0 else { throw unwritable() }
        self.file = nil
        try output.commit()
      } else {
        try OutputFile.complete(file, workingPath, as: path, overwrites: overwrites)
        self.file = nil
        guard close(file) == 0 else { throw unwritable() }
      }
    }
    return report
  }

  deinit {
    // The descriptor of `output` is its own.
    if output == nil, let file { _ = close(file) }
  }

  private func openFile() throws -> Int32 {
    guard let file else { throw FlowFormatError(code: .unwritable, message: "\(path): is finished") }
    return file
  }

  /// Writes bytes where the file stands.
  private func append(_ data: Data) throws {
    let file = try openFile()
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw unwritable() }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The error for the last call of the system.
  private func unwritable() -> FlowFormatError {
    FlowFormatError(code: .unwritable, message: "\(path): cannot be written: \(FileBytes.systemMessage())")
  }
}
