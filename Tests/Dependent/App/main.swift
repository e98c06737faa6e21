// What someone writes who depends on the package by version: the motion between two images.

import Rheo

let previous = Plane<Float>(width: 96, height: 64) { x, y in Float((x * x / 7 + 3 * y + x * y / 5) % 97) + 60 }
let current = Plane<Float>(width: 96, height: 64) { x, y in previous[max(x - 2, 0), y] }
let observation = try ImageRequestHandler(previous).perform(OpticalFlowRequest(), targeting: current)
print(observation.size, RheoVersion.processor)
