// Finds the events of motion in frames that the program holds itself: OwnFrames VIDEO
//
// The frames come out of a video here, but `MotionDetector` never sees the file: it takes grey levels and a time, from
// a camera's driver or a robot's as well. It finds the same events as `rheo detect` does in the file.

import Foundation
import Rheo

guard CommandLine.arguments.count == 2 else {
  print("usage: OwnFrames VIDEO")
  exit(64)
}

do {
  let reader = try VideoReader(CommandLine.arguments[1])
  let extractor = LumaExtractor()
  let detector = try MotionDetector(size: try reader.videoFormat().size)
  while let frame = try reader.nextFrame() {
    tell(try detector.detect(extractor.luma(of: frame), at: frame.presentationTime))
  }
  tell(detector.finish())
} catch {
  print("OwnFrames: \(error)")
  exit(1)
}

/// Prints the events among the updates of a frame.
func tell(_ updates: [MotionDetector.Update]) {
  for update in updates {
    switch update {
    case .started(let event): print("\(event.number)  begins with frame \(event.start.frame)")
    case .ended(let event):
      print("\(event.number)  frames \(event.start.frame) to \(event.end.frame), peak \(event.peakScore) %")
    case .frame, .suppressed: break
    }
  }
}
