// Tiles nine frames of a video into one image: ContactSheet VIDEO OUT.png
//
// Shows how to read a video with a libavfilter graph and how to write an image.

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: ContactSheet VIDEO OUT.png")
  exit(64)
}

do {
  let columns = 3
  let rows = 3
  let count = try frameCount(of: arguments[1])
  let step = max(1, count / (columns * rows))
  let graph = "select=not(mod(n\\,\(step))),scale=480:-2:flags=lanczos,tile=\(columns)x\(rows):padding=4:margin=4"
  let reader = try VideoReader(arguments[1], options: .init(filter: graph, range: .init(frameCount: 1)))
  guard let sheet = try reader.nextFrame() else { throw MediaError(.noVideo, "no frame", file: arguments[1]) }
  try StillImage.writePNG(StillImage.rgb(of: sheet), to: arguments[2], overwrite: true)
  print(arguments[2])
} catch {
  print("ContactSheet: \(error)")
  exit(1)
}

/// The number of frames: from the header where it tells, else by counting.
func frameCount(of path: String) throws -> Int {
  let reader = try VideoReader(path)
  if let estimate = try reader.videoFormat().estimatedFrameCount { return estimate }
  var count = 0
  while try reader.nextFrame() != nil { count += 1 }
  return count
}
