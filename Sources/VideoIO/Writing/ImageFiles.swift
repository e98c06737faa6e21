// The files of a pattern, `frame_%03d.png`.

import CFFmpeg

/// Opens each file of a pattern as an ``OutputFile`` where FFmpeg would open it by its name: it follows no link, and
/// appears when it is complete. All are on the disk when the last one is.
///
/// Owner: a ``Muxer``, which uses it under its lock.
final class ImageFiles {
  private struct OpenFile {
    var file: OutputFile
    var output: MuxerOutput
  }

  private let pattern: NumberedFileName
  private let overwrites: Bool
  private var open: [UnsafeMutablePointer<AVIOContext>: OpenFile] = [:]
  private var failure: (any Error)?

  /// - Parameter overwrites: A Boolean value that tells whether existing files may be replaced.
  init(_ pattern: NumberedFileName, overwrites: Bool) { (self.pattern, self.overwrites) = (pattern, overwrites) }

  /// Makes a context write its files here. The context does not outlive this object.
  func install(in context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = { context, file, url, _, _ in
      guard let opaque = context?.pointee.opaque, let file, let url else { return RHEO_ERROR_INVALID_DATA }
      file.pointee = Unmanaged<ImageFiles>.fromOpaque(opaque).takeUnretainedValue().open(String(cString: url))
      return file.pointee == nil ? RHEO_ERROR_INVALID_DATA : 0
    }
    context.pointee.io_close2 = { context, file in
      guard let opaque = context?.pointee.opaque, let file else { return 0 }
      return Unmanaged<ImageFiles>.fromOpaque(opaque).takeUnretainedValue().close(file) ? 0 : RHEO_ERROR_INVALID_DATA
    }
  }

  /// Throws what went wrong with the files so far: FFmpeg passes over some failures, and has no words for others.
  func requireSuccess() throws { if let failure { throw failure } }

  /// Has the system write all files to the disk.
  /// - Throws: ``MediaError`` `cannotWrite`, also what went wrong with the files.
  func finish() throws {
    try requireSuccess()
    try OutputFile.synchronizeFileSystem(of: pattern.existingFolder)
  }

  /// Deletes what is not complete.
  func discard() { open = [:] }

  private func open(_ path: String) -> UnsafeMutablePointer<AVIOContext>? {
    do {
      let file = try OutputFile(path: path, overwrite: overwrites, durability: .deferred)
      let output = try MuxerOutput(file)
      open[output.context] = OpenFile(file: file, output: output)
      return output.context
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  private func close(_ context: UnsafeMutablePointer<AVIOContext>) -> Bool {
    guard let closed = open.removeValue(forKey: context) else { return false }
    do {
      try closed.output.finish()
      try closed.file.commit()
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }
}
