import Foundation

/// The address space of this process in bytes, as Linux counts it: memory that was asked for and never touched, too.
struct AddressSpace {
  /// The bytes that are mapped.
  var size: Int
  /// The maximum of `size` since the process began.
  var peak: Int

  /// The size that `/proc/self/status` tells now.
  static func current() throws -> AddressSpace {
    let count = pread(file.fileDescriptor, text, capacity - 1, 0)
    guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    text[count] = 0
    return try AddressSpace(size: bytes("VmSize:"), peak: bytes("VmPeak:"))
  }

  /// Maps without use what is missing to the peak, so that whatever is mapped from now on raises the peak.
  static func filledToPeak() throws -> AddressSpace {
    let now = try current()
    if now.peak > now.size {
      let filling = mmap(nil, now.peak - now.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard filling != MAP_FAILED else { throw POSIXError(.ENOMEM) }
    }
    return try current()
  }

  private static func bytes(_ key: String) throws -> Int {
    guard let line = strstr(text, key) else { throw CocoaError(.fileReadCorruptFile) }
    return strtol(line + key.utf8.count, nil, 10) << 10
  }

  private static let file = FileHandle(forReadingAtPath: "/proc/self/status") ?? .nullDevice
  private static let capacity = 4096
  // SAFETY: one thread.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
}
