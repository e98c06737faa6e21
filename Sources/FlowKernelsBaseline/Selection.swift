// Choosing between two flows by how well they explain the second image.

/// `output[i] = min(|warped − previous|, limit)`, and `outsideError` where the position lies outside.
public func warpErrorRow(
  warped: UnsafePointer<Float>, previous: UnsafePointer<Float>, inside: UnsafePointer<Float>, limit: Float,
  outsideError: Float, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let limit = Lanes(repeating: limit)
  let outside = Lanes(repeating: outsideError)
  var i = 0
  while i < count {
    let difference = load(warped, i) - load(previous, i)
    let magnitude = greater(difference, Lanes.zero - difference)
    let error = lesser(magnitude, limit)
    store(outside.replacing(with: error, where: load(inside, i) .> Lanes.zero), output, i, count)
    i &+= laneCount
  }
}

/// Takes over the vectors (u, v) where their error plus `reluctance` is below that of the present ones.
public func selectRow(
  u: UnsafePointer<Float>, v: UnsafePointer<Float>, error: UnsafePointer<Float>, presentError: UnsafePointer<Float>,
  minimumImprovement: Float, presentU: UnsafeMutablePointer<Float>, presentV: UnsafeMutablePointer<Float>, count: Int
) {
  let minimumImprovement = Lanes(repeating: minimumImprovement)
  var i = 0
  while i < count {
    let isBetter = (load(error, i) + minimumImprovement) .< load(presentError, i)
    store(load(presentU, i).replacing(with: load(u, i), where: isBetter), presentU, i, count)
    store(load(presentV, i).replacing(with: load(v, i), where: isBetter), presentV, i, count)
    i &+= laneCount
  }
}
