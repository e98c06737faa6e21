// Tracks as MOT Challenge has them (Leal-Taixé et al., "MOTChallenge 2015", arXiv:1504.01942).

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// Writes a line `frame,id,left,top,width,height,confidence,-1,-1,-1` for each box, sorted by frame, then by track.
  ///
  /// MOT Challenge counts from 1: its frame 1 is the video's frame 0, and its pixel (1, 1) is the upper left one, so
  /// that `left` is a box's `x` plus 1. Points are left out.
  func writeMOT(_ report: Report, to put: (String) throws -> Void) throws {
    try report.store.forEachPosition(of: .box) { track, position in
      let box = position.box
      let numbers = [box.x + 1, box.y + 1, box.width, box.height, position.confidence].map(Self.digits)
      try put("\(position.frame + 1),\(track),\(numbers.joined(separator: ",")),-1,-1,-1\n")
    }
  }
}
