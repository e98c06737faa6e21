// SHA-256 of files, by OpenSSL: 0.9 GB a second with the processor's instructions; FFmpeg's own makes 0.3.

import CCrypto
import Foundation
import Imaging

/// The SHA-256 digest (FIPS 180-4) of a file, of a part of it, or of bytes, as `sha256sum` prints it.
struct FileDigest {
  /// The digest as 64 hexadecimal digits.
  let text: String
  /// The number of bytes that it is of.
  let byteCount: Int

  /// The number of bytes that are read at a time.
  private static let blockSize = 1 << 18

  /// Reads a file; nil when it cannot be read, or is too short. It is not mapped: a file that is cut off meanwhile
  /// would end the program with SIGBUS.
  /// - Parameter range: The part of the file, in bytes; nil: the whole file.
  init?(of path: String, range: Range<Int>? = nil) {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let length = Int(status.st_size)
    let range = range ?? 0..<length
    guard range.upperBound <= length, range.lowerBound >= 0, let block = malloc(Self.blockSize) else { return nil }
    defer { free(block) }
    let digest = Self.digest { add in
      var position = range.lowerBound
      while position < range.upperBound {
        let count = pread(descriptor, block, min(Self.blockSize, range.upperBound - position), off_t(position))
        if count < 0, errno == EINTR { continue }
        guard count > 0, add(UnsafeRawBufferPointer(start: block, count: count)) else { return false }
        position += count
      }
      return true
    }
    guard let digest else { return nil }
    (text, byteCount) = (digest, range.count)
  }

  /// Returns the digest of bytes as 64 hexadecimal digits; empty when this OpenSSL has no SHA-256.
  static func text(of bytes: UnsafeRawBufferPointer) -> String { FileDigest(bytes)?.text ?? "" }

  /// Computes the digest of bytes; nil when this OpenSSL has no SHA-256.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let digest = Self.digest({ $0(bytes) }) else { return nil }
    (text, byteCount) = (digest, bytes.count)
  }

  /// Computes the digest of the pixels of an image, row by row, as 32-bit numbers, little endian; nil when this OpenSSL
  /// has no SHA-256. A copy of a whole image would be one that no ``FrameMemory`` watches.
  init?(_ image: Plane<Float>) {
    var row = [UInt32](repeating: 0, count: image.width)
    let digest = Self.digest { add in
      image.withView { view in
        (0..<view.height).allSatisfy { y in
          for x in row.indices { row[x] = view.row(y)[x].bitPattern.littleEndian }
          return row.withUnsafeBytes(add)
        }
      }
    }
    guard let digest else { return nil }
    (text, byteCount) = (digest, 4 * image.size.area)
  }

  /// Returns the digest of the bytes that `update` hands over; nil when it, or this OpenSSL, cannot.
  private static func digest(_ update: ((UnsafeRawBufferPointer) -> Bool) -> Bool) -> String? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1,
      update({ EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 })
    else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return nil }
    return hexadecimal(digest.prefix(Int(count)))
  }

  private static func hexadecimal(_ digest: ArraySlice<UInt8>) -> String {
    digest.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }
}
