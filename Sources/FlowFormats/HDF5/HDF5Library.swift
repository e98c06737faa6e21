// The owners of HDF5's objects, and the one point where its statuses become errors.

#if RHEO_HDF5
  import CHDF5
  import Foundation
  import Synchronization

  /// Access to libhdf5.
  enum HDF5Library {
    /// libhdf5 is built with and without a lock of its own; one call into it at a time suits both.
    private static let lock = Mutex(())
    private static let prepared: Void = rheo_h5_prepare()

    /// Runs `body` alone.
    static func locked<Result>(_ body: () throws -> Result) throws -> Result {
      try lock.withLock { _ in
        prepared
        return try body()
      }
    }

    /// Throws when `status` is negative, with the library's own innermost message.
    static func check(
      _ status: some SignedInteger, _ path: String, _ code: FlowFormatError.Code, _ operation: String
    ) throws {
      guard status < 0 else { return }
      let message = withUnsafeBytes(of: rheo_h5_last_message().text) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw FlowFormatError(
        code: code, message: "\(path): \(operation)" + (message.isEmpty ? "" : " (HDF5: \(message))"))
    }
  }

  /// Owns one of the library's objects. Used while the library is locked.
  struct HDF5Object: ~Copyable {
    let id: hid_t
    private let close: @convention(c) (hid_t) -> herr_t

    /// Takes over what a call returned.
    /// - Throws: ``FlowFormatError`` when the call failed.
    init(
      _ id: hid_t, _ path: String, _ code: FlowFormatError.Code, _ operation: String,
      close: @convention(c) (hid_t) -> herr_t
    ) throws {
      try HDF5Library.check(id, path, code, operation)
      self.id = id
      self.close = close
    }

    /// Closes what was written, where failing matters.
    consuming func finish(_ path: String) throws {
      let status = close(id)
      discard self
      try HDF5Library.check(status, path, .unwritable, "finishing the file")
    }

    deinit { _ = close(id) }
  }
#endif
