import Imaging
import VideoIO

extension VideoFrame {
  /// Returns whether frames seem to be missing between `previous` and this one, when every `step`-th frame is read.
  ///
  /// This goes by the duration that the file gives the frame before, so that it needs no frames before that and serves
  /// threads that see single pairs. Events of motion go by the pace of the frames.
  func followsGap(after previous: VideoFrame, step: Int = 1) -> Bool {
    FrameGapDetector.interval(
      from: previous.presentationTime, lasting: previous.duration, to: presentationTime, step: step)?.isGap ?? false
  }
}
