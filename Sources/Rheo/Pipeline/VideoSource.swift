import VideoIO

/// The video that a job reads: alone, or at the same time as other jobs.
struct VideoSource {
  /// The reader of the input, which knows its format, its other streams and its damage. While frames are read together
  /// no job asks it for any.
  let reader: VideoReader
  /// The frames of the video, in order.
  let frames: any FrameReader
  /// The flow that jobs compute together; nil when the job computes its own.
  let sharedFlow: SharedFlow?

  /// Opens an input for one job.
  /// - Throws: `MediaError` as `VideoReader` does.
  init(_ input: String, _ options: VideoReader.Options) throws {
    reader = try VideoReader(input, options: options)
    frames = reader
    sharedFlow = nil
  }

  /// Makes the source of a job that reads a part of what a reader delivers.
  init(_ reader: VideoReader, _ frames: any FrameReader) {
    (self.reader, self.frames) = (reader, frames)
    sharedFlow = nil
  }

  /// Makes the part of one job in what several read.
  init(_ broadcast: FrameBroadcast, _ follower: FrameBroadcast.Follower, sharedFlow: SharedFlow?) {
    reader = broadcast.reader
    frames = follower
    self.sharedFlow = sharedFlow
  }
}
