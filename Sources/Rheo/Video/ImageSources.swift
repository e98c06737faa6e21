// Decoded frames, files and encoded data as images for handlers.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

extension VideoFrame: ImageSource {
  /// The time at which the frame shows.
  public var knownTime: MediaTime? { presentationTime }

  /// Returns the luma of the frame as a `LumaExtractor` does, which along a video keeps its buffers from frame to
  /// frame.
  public func luma(parallelism: Parallelism) throws(AnalysisError) -> Plane<Float> {
    try readable { try LumaExtractor(parallelism: parallelism).luma(of: self) }
  }
}

extension URL: ImageSource {
  /// Returns the luma of an image file, or of the first frame of a video, each time from the file.
  public func luma(parallelism: Parallelism) throws(AnalysisError) -> Plane<Float> {
    try readable { try StillImage.luma(contentsOf: isFileURL ? path : absoluteString) }
  }
}

extension Data: ImageSource {
  /// Returns the luma of an encoded image (PNG, JPEG, or any that FFmpeg knows), each time anew.
  public func luma(parallelism: Parallelism) throws(AnalysisError) -> Plane<Float> {
    // FFmpeg recognises and seeks in files best; the image lies in one for as long as it is decoded.
    do {
      guard let descriptor = UnnamedFile.open() else {
        throw MediaError(.cannotWrite, "a temporary file cannot be made: \(String(cString: strerror(errno)))")
      }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      defer { withExtendedLifetime(file) {} }
      try file.write(contentsOf: self)
      // Where the system opens no file anew, the two have one position.
      try file.seek(toOffset: 0)
      return try StillImage.luma(contentsOf: UnnamedFile.path(of: descriptor))
    } catch {
      let reason = (error as? MediaError)?.message ?? error.localizedDescription
      throw AnalysisError(code: .unreadableImage, message: "an image of \(count) encoded bytes: \(reason)")
    }
  }
}

/// Returns what `read` does, its error as one of the analysis.
private func readable(_ read: () throws -> Plane<Float>) throws(AnalysisError) -> Plane<Float> {
  do {
    return try read()
  } catch {
    throw AnalysisError(code: .unreadableImage, message: "\(error)")
  }
}
