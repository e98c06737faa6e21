// One door to all formats.

import Imaging
import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Flow files of every kind that this package knows.
public enum FlowFile {
  /// The kind of file that the ending of `path` names; a `.png` is always KITTI's.
  /// - Throws: ``FlowFormatError`` `unsupported`, with the endings there are.
  public static func format(ofPath path: String) throws -> FlowFormat {
    guard let format = FlowFormat(path: path) else {
      throw FlowFormatError(
        code: .unsupported, message: "\(path): no ending of a flow file; these are \(FlowFormat.endings)")
    }
    return format
  }

  /// Reads a flow field. Memory is allocated only after the size in the header has been checked against the file's
  /// length.
  ///
  /// - Parameters:
  ///   - path: The file, or `-` for standard input (then `format` must be given; not for `images`).
  ///   - format: The kind of file; nil: by the ending.
  ///   - options: The facts that the file alone does not tell.
  /// - Returns: The field, in pixels; unknown vectors are NaN in both components.
  /// - Throws: ``FlowFormatError`` that names the file: unreadable, of another kind, of an absurd size, too short or
  ///   too long for its header.
  public static func read(
    contentsOf path: String, as format: FlowFormat? = nil, options: FlowReadingOptions = FlowReadingOptions()
  ) throws -> FlowField {
    let format = try format ?? self.format(ofPath: path)
    try require(options.field, of: format, name: path)
    switch format {
    case .images: return try FlowImages.read(contentsOf: path, bound: options.imageBound)
    case .npy:
      return try FileBytes.withParts(of: path) { try NumpyFlow.decode($0, name: path, field: options.field) }
    default:
      return try FileBytes.withContents(of: path) { try decode($0, as: format, name: path, options: options) }
    }
  }

  /// Decodes the contents of a file that is one run of bytes: all kinds but `images`.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - format: The kind of file.
  ///   - name: The name by which errors call the file.
  ///   - options: The facts that the file alone does not tell.
  /// - Throws: ``FlowFormatError``; with code `unsupported` for those.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, as format: FlowFormat, name: String,
    options: FlowReadingOptions = FlowReadingOptions()
  ) throws -> FlowField {
    try require(options.field, of: format, name: name)
    switch format {
    case .flo: return try MiddleburyFlow.decode(bytes, name: name)
    case .kitti: return try KITTIFlow.decode(bytes, name: name)
    case .npy: return try NumpyFlow.decode(FileParts(bytes, name: name), name: name, field: options.field)
    case .pfm: return try PortableFloatMap.decode(bytes, name: name)
    case .flo5: return try HDF5Flow.decode(bytes, name: name)
    case .images:
      throw FlowFormatError(code: .unsupported, message: "\(name): a pair of images is two runs of bytes")
    }
  }

  /// Refuses another field than the first where a file holds one; a `.npy` tells how many it holds.
  private static func require(_ field: Int?, of format: FlowFormat, name: String) throws {
    guard let field, field != 0, format != .npy else { return }
    throw FlowFormatError(code: .invalidOption, message: "\(name): there is no field \(field); it holds 1, from 0")
  }

  /// Returns the number of fields that a file holds: 1, but for a `.npy` of a whole video.
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func fieldCount(ofPath path: String, as format: FlowFormat? = nil) throws -> Int {
    guard try format ?? self.format(ofPath: path) == .npy else { return 1 }
    return try FileBytes.withParts(of: path) { try NumpyLayout($0, name: path).fieldCount }
  }

  /// Writes a flow field. The file appears under its name only when it is complete.
  ///
  /// - Parameters:
  ///   - flow: The field, in pixels; 1×1 or larger.
  ///   - path: The file, or `-` for standard output (then `format` must be given; not for `images`).
  ///   - format: The kind of file; nil: by the ending.
  ///   - options: Precision, bound, and whether an existing file is replaced.
  /// - Returns: The number of vectors that did not fit, and the files written.
  /// - Throws: ``FlowFormatError`` `unwritable`, `outputExists` or `unsupported`, which names the file.
  @discardableResult
  public static func write(
    _ flow: FlowField, to path: String, as format: FlowFormat? = nil,
    options: FlowWritingOptions = FlowWritingOptions()
  ) throws -> FlowWritingReport {
    let format = try format ?? self.format(ofPath: path)
    guard !flow.size.isEmpty else {
      throw FlowFormatError(code: .absurdSize, message: "\(path): a field of \(flow.size) cannot be stored")
    }
    var report = FlowWritingReport(files: [path])
    let contents: Data
    switch format {
    case .flo: contents = MiddleburyFlow.encode(flow)
    case .kitti: (contents, report.clampedVectorCount) = try KITTIFlow.encode(flow, name: path)
    case .npy:
      (contents, report.clampedVectorCount) = NumpyFlow.encode(flow, halfPrecision: options.halfPrecision)
    case .pfm: contents = PortableFloatMap.encode(flow)
    case .flo5: contents = try HDF5Flow.encode(flow, name: path)
    case .images: return try FlowImages.write(flow, to: path, options: options)
    }
    try FileBytes.write(contents, to: path, options)
    return report
  }
}
