// The flow of a video as a video, with sound and times kept: FlowVideo VIDEO OUT.mp4

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: FlowVideo VIDEO OUT.mp4")
  exit(64)
}

do {
  var drawing = RenderingOptions(style: .wheel)
  drawing.legend = true
  let annotation = Annotation(
    input: arguments[1], output: arguments[2], flow: OpticalFlowRequest(computationAccuracy: .medium),
    rendering: drawing, encoding: EncoderOptions(overwrites: true))
  let report = try annotation.run { progress in
    guard progress.frames % 25 == 0 else { return }
    print("\(MediaTime.timecode(seconds: progress.mediaSeconds)), \(Int(progress.framesPerSecond)) frames/s")
  }
  for gap in report.gaps { print("damaged: \(gap)") }
  for note in report.notes { print(note) }
  print("\(report.frames) frames, the motion of \(report.pairs) pairs")
} catch {
  print("FlowVideo: \(error)")
  exit(1)
}
