// The flow between two images as an image: ImageFlow PREVIOUS CURRENT OUT.png
//
// Colour is direction, strength is speed. Of a video, PREVIOUS or CURRENT, the first frame is taken.

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
  print("usage: ImageFlow PREVIOUS CURRENT OUT.png")
  exit(64)
}

do {
  let previous = try StillImage.luma(contentsOf: arguments[1])
  let current = try StillImage.luma(contentsOf: arguments[2])

  // `both` also computes the way back, and with it how far each vector can be trusted.
  var request = OpticalFlowRequest(computationAccuracy: .high, direction: .both)
  request.marksInconsistentAsUnknown = true
  let motion = try ImageRequestHandler(previous).perform(request, targeting: current)

  var options = RenderingOptions(style: .wheel)
  options.normalization = .frame
  options.legend = true
  let renderer = try FlowRenderer(options: options, size: motion.size, parallelism: Parallelism())
  try StillImage.writePNG(renderer.image(of: motion.flow), to: arguments[3], overwrite: true)

  let (u, v) = motion.flow.meanVector
  let known = 100 * motion.statistics.knownCount / (motion.size.width * motion.size.height)
  print("\(u) px right, \(v) px down on average; \(known) % of the vectors are confirmed")
} catch {
  print("ImageFlow: \(error)")
  exit(1)
}
