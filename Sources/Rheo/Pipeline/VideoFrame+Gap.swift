import Imaging
import VideoIO

extension VideoFrame {
  /// The number of frames' durations from the frame before, beyond which a frame follows a gap.
  private static let gapInFrames = 2.5

  /// Returns whether frames seem to be missing between `previous` and this one, when every `step`-th frame is read.
  ///
  /// This goes by the duration that the file gives the frame before, so that it needs no frames before that and serves
  /// threads that see single pairs. Events of motion have a rule of their own, which learns the pace of the frames.
  func followsGap(after previous: VideoFrame, step: Int = 1) -> Bool {
    let elapsed = presentationTime.value.subtractingSaturated(previous.presentationTime.value)
    // With a step of 2, one more frame than usual lies between the two.
    let usual = Double(step - 1) + Self.gapInFrames
    return previous.duration > 0 && Double(elapsed) > usual * Double(previous.duration)
  }
}
