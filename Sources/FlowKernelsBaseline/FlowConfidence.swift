// How far a flow vector can be trusted that no opposite flow confirms: what it leaves unexplained in the two images,
// against the change that there is to be explained.

import FlowKernelTypes

/// Turns structure errors into the confidence of vectors, 0…1.
///
/// With e the error that the vector leaves, z that of no motion at all, and l the length of the vector:
///
///     still  = E² / (E² + e²)                        E = limits[0]: ½ where the error is E
///     moving = min(still, z⁴ / (z⁴ + (S·(e + n))⁴))  S = limits[1], n = limits[2]: ½ where the error is z/S − n
///     m      = l² / (l² + L²)                        L² = limits[3]
///     c      = still + m · (moving − still)
///
/// An even surface fits itself at any displacement, and so does a steady slope or an edge along itself. There, nothing
/// changes: a vector that moves is believed as far as it explains change, and one that stands still as far as nothing
/// speaks against it. The fourth powers part what moves and changes its shape (e ≈ z/2) from the halo around it (e ≥
/// z).
///
/// - Parameters:
///   - errors: e and z, from `structureErrorRow`, smoothed.
///   - flow: The vectors in pixels.
///   - inside: Where it is not above 0, the confidence is 0.
///   - limits: Four numbers above 0.
/// - Contract: inputs may be read up to 63 bytes past `count`; `output` is written exactly, with 0…1 also for vectors
///   that are not finite.
public func flowConfidenceRow(
  errors: ErrorRows, flow: FlowRow, inside: UnsafePointer<Float>, limits: UnsafePointer<Float>,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let squaredError = Lanes(repeating: limits[0] * limits[0])
  let (sharpness, noise) = (Lanes(repeating: limits[1]), Lanes(repeating: limits[2]))
  let squaredLength = Lanes(repeating: limits[3])
  // Longer vectors lead out of every image; squares stay finite.
  let longest = Lanes(repeating: 1e9)
  var i = 0
  while i < count {
    let (error, change) = (load(errors.flow, i), load(errors.still, i))
    let still = squaredError / (squaredError + error * error)
    let residual = (error + noise) * sharpness
    let (explained, unexplained) = (change * change, residual * residual)
    let fourth = explained * explained
    let moving = lesser(fourth / (fourth + unexplained * unexplained), still)
    let (x, y) = (load(flow.u, i), load(flow.v, i))
    let length = lesser(x * x + y * y, longest)
    let motion = length / (length + squaredLength)
    let confidence = still + motion * (moving - still)
    store(Lanes.zero.replacing(with: confidence, where: load(inside, i) .> Lanes.zero), output, i, count)
    i &+= laneCount
  }
}

/// Shortens the vectors of a row, one component, that lead out of the image by no more than `slack`, so that they end
/// on its border: a pixel shows what lies within half a pixel of its middle.
///
/// - Parameters:
///   - values: The component in pixels; NaN stays.
///   - first, step: Where the row's pixels lie along the component's axis: `first + step · i`.
///   - limit: The last coordinate of the image; the first one is 0.
/// - Contract: whole numbers below 2²²; `values` may be read up to 63 bytes past `count` and are written exactly.
public func endInsideRow(
  _ values: UnsafeMutablePointer<Float>, first: Float, step: Float, limit: Float, slack: Float, count: Int
) {
  let (steps, limit, slack) = (Lanes(repeating: step), Lanes(repeating: limit), Lanes(repeating: slack))
  var i = 0
  while i < count {
    let value = load(values, i)
    let start = Lanes(repeating: first) + (laneNumbers + Lanes(repeating: Float(i))) * steps
    let end = start + value
    let nearest = lesser(greater(end, Lanes.zero), limit)
    let distance = greater(end - nearest, nearest - end)
    let isMoved = (distance .> Lanes.zero) .& (distance .<= slack)
    store(value.replacing(with: nearest - start, where: isMoved), values, i, count)
    i &+= laneCount
  }
}
