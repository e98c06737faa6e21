// The linear system of one row of the variational model, and its relaxation. Rows are split: see Variational.swift.

import FlowKernelTypes

/// The diffusivity of each pixel, one split band: smoothness / √(|∇U|² + |∇V|² + ε²), where the squared slope is
/// the mean of those to both sides.
///
/// - Parameters:
///   - flow: The row's two bands.
///   - edges: The row's edge weights. Slopes count where they are not 0.
public func formDiffusivityRow(
  flow: StridedRow, edges: StridedRow, smoothness: Float, epsilonSquared: Float, _ output: SplitRow, count: Int
) {
  let smoothness = Lanes(repeating: smoothness)
  let epsilon = Lanes(repeating: epsilonSquared)
  let half = Lanes(repeating: 0.5)
  var part = 0
  while part < 2 {
    let own = part &* output.partStride
    let other = (1 &- part) &* output.partStride
    var i = 0
    while i < count {
      let left = other &+ i &- 1 &+ part
      let right = left &+ 1
      let here = own &+ i
      let rightEdge = load(edges.base, here)
      let leftEdge = load(edges.base, left)
      let downEdge = load(edges.base, here &+ 2 &* output.partStride)
      let upEdge = load(edges.base - edges.stride, here &+ 2 &* output.partStride)
      var sum = Lanes.zero
      var band = 0
      while band < 2 {
        let row = flow.base + 2 &* band &* output.partStride
        let center = load(row, here)
        sum += squaredSlope(center, load(row, right), rightEdge) + squaredSlope(center, load(row, left), leftEdge)
        sum +=
          squaredSlope(center, load(row, here &+ flow.stride), downEdge)
          + squaredSlope(center, load(row, here &- flow.stride), upEdge)
        band &+= 1
      }
      storeWhole(smoothness * inverseSquareRoot(sum * half + epsilon), output.base, here)
      i &+= laneCount
    }
    part &+= 1
  }
}

@inline(__always)
private func squaredSlope(_ a: Lanes, _ b: Lanes, _ edge: Lanes) -> Lanes {
  let slope = b - a
  return Lanes.zero.replacing(with: slope * slope, where: edge .> Lanes.zero)
}

/// The equations of each pixel with the nonlinear factors at the present flow: seven split bands, the inverse of the
/// 2×2 matrix (m₁₁, m₁₂, m₂₂), the right-hand side (b₁, b₂), and the weights of the right and the lower neighbour.
///
/// - Parameters:
///   - data: The terms from `formDataRow` and the present flow.
///   - edges: The row's edge weights.
public func formSystemRow(
  data: DataTermRow, edges: StridedRow, diffusivity: DiffusivityRows, weights: DataTermWeights, _ output: SplitRow,
  count: Int
) {
  let (terms, flow, output, partStride) = (data.terms, data.flow, output.base, output.partStride)
  let brightness = Lanes(repeating: weights.brightness)
  let gradient = Lanes(repeating: weights.gradient)
  let epsilon = Lanes(repeating: weights.epsilonSquared)
  let half = Lanes(repeating: 0.5)
  let one = Lanes(repeating: 1)
  // Keeps the matrix invertible where nothing is known: an image of one pixel.
  let smallest = Lanes(repeating: 1e-6)
  let band = 2 &* partStride
  var part = 0
  while part < 2 {
    let own = part &* partStride
    let other = (1 &- part) &* partStride
    var i = 0
    while i < count {
      let here = own &+ i
      let left = other &+ i &- 1 &+ part
      let s = load(diffusivity.row, here)
      let wr = (s + load(diffusivity.row, left &+ 1)) * half * load(edges.base, here)
      let wl = (load(diffusivity.row, left) + s) * half * load(edges.base, left)
      let wd = (s + load(diffusivity.below, here)) * half * load(edges.base, here &+ band)
      let wu = (load(diffusivity.above, here) + s) * half * load(edges.base - edges.stride, here &+ band)

      let (u, v) = (load(flow, here), load(flow, here &+ band))
      let (a0, b0, c0) = (load(terms, here), load(terms, here &+ band), load(terms, here &+ 2 &* band))
      let (a1, b1, c1) = (
        load(terms, here &+ 3 &* band), load(terms, here &+ 4 &* band), load(terms, here &+ 5 &* band)
      )
      let (a2, b2, c2) = (
        load(terms, here &+ 6 &* band), load(terms, here &+ 7 &* band), load(terms, here &+ 8 &* band)
      )
      let r0 = a0 * u + b0 * v + c0
      let r1 = a1 * u + b1 * v + c1
      let r2 = a2 * u + b2 * v + c2
      let w0 = brightness * inverseSquareRoot(r0 * r0 + epsilon)
      let w1 = gradient * inverseSquareRoot(r1 * r1 + r2 * r2 + epsilon)
      let total = ((wl + wr) + (wu + wd)) + smallest
      let m11 = weighted(a0 * a0, w0, a1 * a1, a2 * a2, w1) + total
      let m22 = weighted(b0 * b0, w0, b1 * b1, b2 * b2, w1) + total
      let m12 = weighted(a0 * b0, w0, a1 * b1, a2 * b2, w1)
      let inverse = one / (m11 * m22 - m12 * m12)
      storeWhole(m22 * inverse, output, here)
      storeWhole(Lanes.zero - m12 * inverse, output, here &+ band)
      storeWhole(m11 * inverse, output, here &+ 2 &* band)
      storeWhole(Lanes.zero - weighted(a0 * c0, w0, a1 * c1, a2 * c2, w1), output, here &+ 3 &* band)
      storeWhole(Lanes.zero - weighted(b0 * c0, w0, b1 * c1, b2 * c2, w1), output, here &+ 4 &* band)
      storeWhole(wr, output, here &+ 5 &* band)
      storeWhole(wd, output, here &+ 6 &* band)
      i &+= laneCount
    }
    part &+= 1
  }
}

/// An entry of the system: the term of the brightness and those of the gradient, each with its weight.
@inline(__always)
private func weighted(
  _ brightness: Lanes, _ w0: Lanes, _ gradientX: Lanes, _ gradientY: Lanes, _ w1: Lanes
) -> Lanes {
  brightness * w0 + (gradientX + gradientY) * w1
}

/// Relaxes one colour of a row: the pixels of one part take the value that their equations ask for, given their
/// neighbours, and `overrelaxation` times the way there (1 is Gauß-Seidel's method).
///
/// - Parameters:
///   - system: Seven bands from `formSystemRow`.
///   - flow: The row's two bands.
///   - part: 0 for even columns, 1 for odd ones.
public func relaxRow(
  system: StridedRow, flow: MutableStridedRow, part: Int, overrelaxation: Float, partStride: Int, count: Int
) {
  let (system, above, flow, flowStride) = (system.base, system.base - system.stride, flow.base, flow.stride)
  let omega = Lanes(repeating: overrelaxation)
  let band = 2 &* partStride
  let own = part &* partStride
  let other = (1 &- part) &* partStride
  let flowV = flow + band
  var i = 0
  while i < count {
    let here = own &+ i
    let left = other &+ i &- 1 &+ part
    let wr = load(system, here &+ 5 &* band)
    let wl = load(system, left &+ 5 &* band)
    let wd = load(system, here &+ 6 &* band)
    let wu = load(above, here &+ 6 &* band)
    let u = load(flow, here)
    let v = load(flowV, here)
    let uSides = load(flow, left) * wl + load(flow, left &+ 1) * wr
    let vSides = load(flowV, left) * wl + load(flowV, left &+ 1) * wr
    let uEnds = load(flow, here &- flowStride) * wu + load(flow, here &+ flowStride) * wd
    let vEnds = load(flowV, here &- flowStride) * wu + load(flowV, here &+ flowStride) * wd
    let b1 = load(system, here &+ 3 &* band) + (uSides + uEnds)
    let b2 = load(system, here &+ 4 &* band) + (vSides + vEnds)
    let m12 = load(system, here &+ band)
    let newU = load(system, here) * b1 + m12 * b2
    let newV = m12 * b1 + load(system, here &+ 2 &* band) * b2
    storeWhole(u + omega * (newU - u), flow, here)
    storeWhole(v + omega * (newV - v), flowV, here)
    i &+= laneCount
  }
}
