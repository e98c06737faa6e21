// Choosing between two flows by how well they explain the second image.

import FlowKernelTypes

/// `output[i] = min(|warped − previous|, limit)`, and the outside's error where `inside` is not above 0.
public func warpErrorRow(
  warped: UnsafePointer<Float>, previous: UnsafePointer<Float>, inside: UnsafePointer<Float>, limits: ErrorLimits,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let limit = Lanes(repeating: limits.limit)
  let outside = Lanes(repeating: limits.outside)
  var i = 0
  while i < count {
    let difference = load(warped, i) - load(previous, i)
    let magnitude = greater(difference, Lanes.zero - difference)
    let error = lesser(magnitude, limit)
    store(outside.replacing(with: error, where: load(inside, i) .> Lanes.zero), output, i, count)
    i &+= laneCount
  }
}

/// Takes over the vectors of `flow` where their error plus `minimumImprovement` is below that of the present ones.
public func selectRow(
  flow: FlowRow, error: UnsafePointer<Float>, presentError: UnsafePointer<Float>, minimumImprovement: Float,
  _ present: MutableFlowRow, count: Int
) {
  let minimumImprovement = Lanes(repeating: minimumImprovement)
  var i = 0
  while i < count {
    let isBetter = (load(error, i) + minimumImprovement) .< load(presentError, i)
    store(load(present.u, i).replacing(with: load(flow.u, i), where: isBetter), present.u, i, count)
    store(load(present.v, i).replacing(with: load(flow.v, i), where: isBetter), present.v, i, count)
    i &+= laneCount
  }
}
