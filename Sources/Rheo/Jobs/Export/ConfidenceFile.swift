// Planes of confidence, 0…1, as files: one-channel .pfm (header `Pf`, rows from the bottom up) or .npy.

import Foundation
import Imaging
import VideoIO

enum ConfidenceFile {
  /// Returns the contents of a portable float map of one channel: little endian, which the negative scale says.
  static func pfm(_ plane: Plane<Float>) -> Data {
    requireMemory(for: plane)
    var data = Data("Pf\n\(plane.width) \(plane.height)\n-1.0\n".utf8)
    plane.withView { view in
      for y in (0..<view.height).reversed() { append(view.row(y), view.width, to: &data) }
    }
    return data
  }

  /// Returns the contents of a `.npy` file of shape (height, width).
  static func numpy(_ plane: Plane<Float>) -> Data {
    numpyHeader(shape: [plane.height, plane.width]) + numbers(plane)
  }

  /// Returns the numbers row by row from the top, 32 bits, little endian.
  static func numbers(_ plane: Plane<Float>) -> Data {
    requireMemory(for: plane)
    var data = Data(capacity: 4 * plane.size.area)
    plane.withView { view in
      for y in 0..<view.height { append(view.row(y), view.width, to: &data) }
    }
    return data
  }

  /// Asks for the memory of the bytes and of a copy: `Data` would trap without a word.
  private static func requireMemory(for plane: Plane<Float>) {
    free(FrameMemory.allocate(byteCount: 8 * plane.size.area))
  }

  /// Returns a header of `.npy` (NumPy Enhancement Proposal 1), always 128 bytes.
  static func numpyHeader(shape: [Int]) -> Data {
    let shape = shape.map { "\($0)" }.joined(separator: ", ")
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(shape)), }"
    let room = 118
    return Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(room), 0] + Array(text.utf8))
      + Data(repeating: 0x20, count: room - text.utf8.count - 1) + Data([0x0A])
  }

  private static func append(_ row: UnsafePointer<Float>, _ count: Int, to data: inout Data) {
    #if _endian(little)
      data.append(UnsafeRawPointer(row).assumingMemoryBound(to: UInt8.self), count: 4 * count)
    #else
      for x in 0..<count { withUnsafeBytes(of: row[x].bitPattern.littleEndian) { data.append(contentsOf: $0) } }
    #endif
  }
}

/// Planes of one size in a `.npy` file of shape (pairs, height, width), written like the flow beside it: under another
/// name until it is complete, with the count last. Used by one thread.
final class PlaneStackWriter {
  private let path: String
  private let partialPath: String
  private let size: PixelSize
  private let overwrites: Bool
  private let file: FileHandle
  private var count: Int

  init(path: String, partialPath: String, resumingAt kept: Int, size: PixelSize, overwrites: Bool) throws {
    self.path = path
    self.partialPath = partialPath
    self.size = size
    self.overwrites = overwrites
    count = kept
    file = FileHandle(
      fileDescriptor: try OutputFile.openResumable(partialPath, anew: kept == 0), closeOnDealloc: true)
    do {
      if kept == 0 {
        try file.write(contentsOf: ConfidenceFile.numpyHeader(shape: [0, size.height, size.width]))
      }
      try file.truncate(atOffset: UInt64(128 + kept * 4 * size.area))
      try file.seekToEnd()
    } catch {
      throw Self.failure(path, error)
    }
  }

  func append(_ plane: Plane<Float>) throws { try append(encoded: ConfidenceFile.numbers(plane)) }

  /// Appends a plane as it stands in another file of this size.
  func append(encoded bytes: Data) throws {
    do { try file.write(contentsOf: bytes) } catch { throw Self.failure(path, error) }
    count += 1
  }

  /// Completes the header, and gives the file its name.
  func finish() throws {
    do {
      try file.seek(toOffset: 0)
      try file.write(contentsOf: ConfidenceFile.numpyHeader(shape: [count, size.height, size.width]))
    } catch {
      throw Self.failure(path, error)
    }
    try OutputFile.complete(file.fileDescriptor, partialPath, as: path, overwrites: overwrites)
    do { try file.close() } catch { throw Self.failure(path, error) }
  }

  private static func failure(_ path: String, _ error: any Error) -> MediaError {
    MediaError(.cannotWrite, "cannot be written: \(error.localizedDescription)", file: path)
  }
}
