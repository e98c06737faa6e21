// Prints how far the image moves from frame to frame, and what moves by itself: MeanMotion VIDEO

import Rheo

let video = Video(CommandLine.arguments.dropFirst().first ?? "Samples/clip.mp4")
for try await frame in video.observations(of: OpticalFlowRequest(), GenerateMotionSaliencyRequest()) {
  guard case (let motion?, let saliency?) = frame.observations else { continue }
  let (u, v) = motion.flow.meanVector
  print("\(frame.frame.presentationTime.timecode)  \(u) px right, \(v) px down", terminator: "")
  print(saliency.salientObjects.map { ", something at \($0.boundingBox.x), \($0.boundingBox.y)" }.joined())
}
