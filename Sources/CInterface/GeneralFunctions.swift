// Version and memory.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A text that lives as long as the process.
private struct ConstantText: @unchecked Sendable {
  // SAFETY: nobody writes to it or frees it.
  let pointer: UnsafePointer<CChar>?
  init(_ text: String) { pointer = strdup(text).map { UnsafePointer($0) } }
}

private let versionText = ConstantText(LibraryVersion.number)
private let processorText = ConstantText(Parallelism.kernelVariant)

@_cdecl("rheo_version")
public func version() -> UnsafePointer<CChar>? { versionText.pointer }

@_cdecl("rheo_processor")
public func processor() -> UnsafePointer<CChar>? { processorText.pointer }

@_cdecl("rheo_free")
public func freeMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }
