// Follows what moves by itself through a video, with a camera that may move: SalientTracks VIDEO

import Foundation
import Rheo

guard CommandLine.arguments.count == 2 else {
  print("usage: SalientTracks VIDEO")
  exit(64)
}

do {
  let video = Video(CommandLine.arguments[1])
  var tracker = MotionTracker(size: try video.info().size)
  var last: FrameTimestamp?
  let flow = OpticalFlowRequest(direction: .both)
  for try await frame in video.observations(of: flow, GenerateMotionSaliencyRequest()) {
    let timestamp = FrameTimestamp(frame: frame.frame.number, time: frame.frame.presentationTime)
    if case (let motion?, let saliency?) = frame.observations, let last {
      // What stands out lies in the first frame of the pair, where the tracks are; then they go along.
      try tracker.associate(saliency, at: last)
      try tracker.advance(by: PairMotion(forward: motion.flow, backward: motion.backwardFlow), to: timestamp)
    }
    last = timestamp
  }
  for track in tracker.tracks {
    guard let start = track.positions.first, let end = track.positions.last else { continue }
    print("\(track.id)  frames \(start.frame) to \(end.frame)", terminator: "")
    print(", from \(start.center.x) \(start.center.y) to \(end.center.x) \(end.center.y)")
  }
} catch {
  print("SalientTracks: \(error)")
  exit(1)
}
