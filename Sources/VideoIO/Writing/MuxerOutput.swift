// Between FFmpeg's containers and the file.

import CFFmpeg
import Foundation

/// Writes what a muxer hands over to an ``OutputFile``, and keeps the first failure: muxers pass over some, a seek that
/// fails, say, which would leave the index where nobody finds it.
///
/// Owner: a ``Muxer``, which uses it under its lock. The context is freed in `deinit`, after the muxer's.
final class MuxerOutput {
  let context: UnsafeMutablePointer<AVIOContext>
  private let state: State

  private static let bufferSize: Int32 = 1 << 16

  private final class State {
    let descriptor: Int32
    var firstFailure: Int32 = 0
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Takes note of a failed call of the system.
    /// - Returns: FFmpeg's number for it.
    func fail() -> Int32 {
      let status = -errno
      if firstFailure == 0 { firstFailure = status }
      return status
    }
  }

  init(_ file: OutputFile) throws {
    let state = State(try file.opened())
    self.state = state
    let opaque = Unmanaged.passUnretained(state).toOpaque()
    let isSeekable = lseek(state.descriptor, 0, SEEK_CUR) >= 0
    if !isSeekable, errno != ESPIPE {
      throw MediaError(.cannotWrite, "cannot be written: \(String(cString: strerror(errno)))", file: file.path)
    }
    let buffer = try allocated(av_malloc(Int(Self.bufferSize)), "the output's buffer")
    let pointer = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 1, opaque, nil,
      { opaque, bytes, count in
        let state = Unmanaged<State>.fromOpaque(opaque!).takeUnretainedValue()
        var done: Int32 = 0
        while done < count {
          let written = write(state.descriptor, bytes! + Int(done), Int(count - done))
          if written < 0, errno == EINTR { continue }
          guard written > 0 else { return state.fail() }
          done += Int32(written)
        }
        return count
      },
      isSeekable
        ? { opaque, offset, whence in
          let state = Unmanaged<State>.fromOpaque(opaque!).takeUnretainedValue()
          guard whence & ~AVSEEK_FORCE != AVSEEK_SIZE else {
            var status = stat()
            return fstat(state.descriptor, &status) == 0 ? Int64(status.st_size) : Int64(state.fail())
          }
          let position = lseek(state.descriptor, off_t(offset), whence & ~AVSEEK_FORCE)
          return position >= 0 ? Int64(position) : Int64(state.fail())
        } : nil)
    guard let pointer else {
      av_free(buffer)
      throw MediaError(.outOfMemory, "no memory for the output")
    }
    context = pointer
    context.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
  }

  /// Hands over what is still in the buffer.
  /// - Throws: ``MediaError`` `cannotWrite` with the first failure of all.
  func finish() throws {
    avio_flush(context)
    try check(state.firstFailure < 0 ? state.firstFailure : context.pointee.error, .cannotWrite, "completing the file")
  }

  deinit {
    av_freep(&context.pointee.buffer)
    var pointer: UnsafeMutablePointer<AVIOContext>? = context
    avio_context_free(&pointer)
  }
}
