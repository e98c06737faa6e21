// Prints how far the picture moves from frame to frame: MeanMotion VIDEO

import Rheo

let video = try VideoReader(CommandLine.arguments.dropFirst().first ?? "Samples/clip.mp4")
let handler = SequenceRequestHandler()
let luma = LumaExtractor()
while let frame = try video.nextFrame() {
  guard let motion = try handler.perform(OpticalFlowRequest(), on: luma.luma(of: frame)) else { continue }
  let (u, v) = motion.flow.meanVector
  print("\(frame.presentationTime.timecode)  \(u) px right, \(v) px down")
}
