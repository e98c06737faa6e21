// Dense Lucas-Kanade: the equations of a pixel, their solution over a window, and how well the solution fits.

import FlowKernelTypes

/// Forms the normal equations of one row, five numbers a pixel: G₁₁, G₁₂, G₂₂, h₁, h₂.
///
/// Around the displacement d̃ so far, the constancy of grey levels reads ∇I·(d − d̃) + Δ = 0 with Δ = I₂(x + d̃) −
/// I₁(x); hence G = ∇I·∇Iᵀ and h = ∇I·(∇I·d̃ − Δ). ∇I is the mean of the first image's gradient at x and the
/// second's at x + d̃: their sum makes the linearisation exact to second order. Where d̃ points outside
/// the image, Δ = 0 and ∇I is that of the first: such a pixel votes for the displacement that it has.
///
/// - Parameters:
///   - previous: The row `y` of the first image, which has the stride of the second one.
///   - current: The second image.
///   - flow: The displacement so far.
///   - output: Five rows.
/// - Contract: width and height are below 2²²; an image has fewer than 2³¹ floats; both have a border, replicated or
///   otherwise finite, of one pixel at the left and above and two at the right and below; 15 floats more may be read
///   before and after what that comes to; `flow` may be read up to 63 bytes past the width; `output` overlaps nothing.
public func formMotionEquations(
  previous: UnsafePointer<Float>, current: ImageRows, flow: FlowRow, y: Int, _ output: MutableStridedRow
) {
  formEquations(isBicubic: false, previous, current, flow, y, output)
}

/// Forms the equations of ``formMotionEquations`` more precisely: bicubic sampling of the second image, and Scharr's
/// filter for the gradients.
public func formMotionEquationsBicubic(
  previous: UnsafePointer<Float>, current: ImageRows, flow: FlowRow, y: Int, _ output: MutableStridedRow
) {
  formEquations(isBicubic: true, previous, current, flow, y, output)
}

@inline(__always)
private func formEquations(
  isBicubic: Bool, _ previous: UnsafePointer<Float>, _ current: ImageRows, _ flow: FlowRow, _ y: Int,
  _ output: MutableStridedRow
) {
  let (width, rowStride) = (current.width, current.stride)
  var i = 0
  while i < width {
    let (du, dv) = (load(flow.u, i), load(flow.v, i))
    var positions = DisplacedPositions(x: i, y: y, u: du, v: dv, in: current)
    let (fx, fy) = (positions.fx, positions.fy)
    var sample = ImageSample()
    while let run = positions.nextRun() {
      let start = current.base + run.offset
      sample.replace(
        with: isBicubic
          ? ImageSample(bicubic: start, rowStride, fx, fy) : ImageSample(bilinear: start, rowStride, fx, fy),
        where: run.lanes)
    }
    let gradient = isBicubic ? scharrGradient(previous, rowStride, i) : centralGradient(previous, rowStride, i)
    let equations = MotionEquations(
      load(previous, i), gradient, sample, inside: positions.inside, displacement: (du, dv))
    equations.write(output, i, width)
    i &+= laneCount
  }
}

/// The entries of (G₁₁, G₁₂, G₂₂, h₁, h₂) that single pixels give.
private struct MotionEquations {
  let gradient: (x: Lanes, y: Lanes)
  let target: Lanes

  @inline(__always)
  init(
    _ here: Lanes, _ previous: (x: Lanes, y: Lanes), _ sample: ImageSample, inside: SIMDMask<SIMD16<Int32>>,
    displacement: (x: Lanes, y: Lanes)
  ) {
    let half = Lanes(repeating: 0.5)
    var (gx, gy) = previous
    gx.replace(with: (gx + sample.gx) * half, where: inside)
    gy.replace(with: (gy + sample.gy) * half, where: inside)
    let difference = Lanes.zero.replacing(with: sample.value - here, where: inside)
    gradient = (gx, gy)
    target = (gx * displacement.x + gy * displacement.y) - difference
  }

  @inline(__always)
  func write(_ output: MutableStridedRow, _ i: Int, _ width: Int) {
    let (gx, gy) = gradient
    store(gx * gx, output.base, i, width)
    store(gx * gy, output.base + output.stride, i, width)
    store(gy * gy, output.base + 2 &* output.stride, i, width)
    store(gx * target, output.base + 3 &* output.stride, i, width)
    store(gy * target, output.base + 4 &* output.stride, i, width)
  }
}

/// Solves the summed equations of one row: (Ḡ + λ·1)·d = h̄ + λ·d̃.
///
/// The regularisation λ holds the solution at d̃ in those directions in which the window shows no texture. A solution
/// farther from d̃ than the maximum step is moved towards it: grey levels are linear over a pixel or two at best. Where
/// the matrix is smaller than noise, d̃ stays as it is: rounding leaves faint gradients in smoothed images of one grey
/// level.
/// - Parameters:
///   - sums: Five rows (G₁₁, G₁₂, G₂₂, h₁, h₂); `scale` turns them into averages.
///   - flow: The displacement so far, d̃.
/// - Contract: inputs may be read up to 63 bytes past `count`; the outputs overlap nothing.
public func solveMotionEquations(
  _ sums: StridedRow, scale: Float, limits: DisplacementLimits, flow: FlowRow, _ output: MutableFlowRow, count: Int
) {
  let (sums, bandStride) = (sums.base, sums.stride)
  let scale = Lanes(repeating: scale)
  let lambda = Lanes(repeating: limits.regularization)
  let maximumStep = Lanes(repeating: limits.maximumStep)
  let farthest = maximumStep * maximumStep
  let minimumTrace = Lanes(repeating: limits.minimumTrace)
  var i = 0
  while i < count {
    let g12 = load(sums, i &+ bandStride) * scale
    var g11 = load(sums, i) * scale
    var g22 = load(sums, i &+ 2 &* bandStride) * scale
    let isFlat = g11 + g22 .< minimumTrace
    g11 += lambda
    g22 += lambda
    let (oldU, oldV) = (load(flow.u, i), load(flow.v, i))
    let h1 = load(sums, i &+ 3 &* bandStride) * scale + lambda * oldU
    let h2 = load(sums, i &+ 4 &* bandStride) * scale + lambda * oldV
    let inverse = Lanes(repeating: 1) / (g11 * g22 - g12 * g12)
    var newU = (g22 * h1 - g12 * h2) * inverse
    var newV = (g11 * h2 - g12 * h1) * inverse
    let (stepU, stepV) = (newU - oldU, newV - oldV)
    let square = stepU * stepU + stepV * stepV
    let isFar = square .> farthest
    let shortening = maximumStep * inverseSquareRoot(square)
    newU.replace(with: oldU + stepU * shortening, where: isFar)
    newV.replace(with: oldV + stepV * shortening, where: isFar)
    newU.replace(with: oldU, where: isFlat)
    newV.replace(with: oldV, where: isFlat)
    store(newU, output.u, i, count)
    store(newV, output.v, i, count)
    i &+= laneCount
  }
}

/// Writes the difference of the grey levels that a displacement relates: |I₂(x + d) − I₁(x)|, at most `limit`; half of
/// it where d points outside the image. Contract as for `formMotionEquations`.
public func measureMotionResidual(
  previous: UnsafePointer<Float>, current: ImageRows, flow: FlowRow, y: Int, limit: Float,
  _ output: UnsafeMutablePointer<Float>
) {
  let limits = Lanes(repeating: limit)
  let unknown = Lanes(repeating: limit * 0.5)
  var i = 0
  while i < current.width {
    var positions = DisplacedPositions(x: i, y: y, u: load(flow.u, i), v: load(flow.v, i), in: current)
    let (fx, fy) = (positions.fx, positions.fy)
    var value = Lanes.zero
    while let run = positions.nextRun() {
      value.replace(with: bilinearValue(current.base + run.offset, current.stride, fx, fy), where: run.lanes)
    }
    var difference = value - load(previous, i)
    difference.replace(with: Lanes.zero - difference, where: difference .< Lanes.zero)
    difference.replace(with: limits, where: difference .> limits)
    store(unknown.replacing(with: difference, where: positions.inside), output, i, current.width)
    i &+= laneCount
  }
}

/// Takes for each pixel of a row a mean of the displacements, its own and those of eight pixels around it, whose
/// residual e is among the smallest.
///
/// The weights are (1 − (e − e₀) / (tolerance · (e₀ + floor)))², or 0 where that is negative, with e₀ the smallest of
/// the nine. Where one of them fits much better than the others it stands alone; where all fit alike, their mean is
/// that of a surrounding that is symmetric again.
/// - Parameters:
///   - residual: Three rows: shifted above the row, the row itself, shifted below it. So are `u` and `v`.
///   - choice: Shift, tolerance and floor.
/// - Contract: shift ≥ 1; tolerance, floor > 0; as many floats as the shift says before and after each row may be read,
///   and 63 bytes more after it; the outputs overlap nothing.
public func blendDisplacements(
  residual: UnsafePointer<UnsafePointer<Float>>, u: UnsafePointer<UnsafePointer<Float>>,
  v: UnsafePointer<UnsafePointer<Float>>, choice: WindowChoice, _ output: MutableFlowRow, count: Int
) {
  let shift = choice.shift
  let one = Lanes(repeating: 1)
  let tolerance = Lanes(repeating: choice.tolerance)
  let floor = Lanes(repeating: choice.floor)
  var i = 0
  while i < count {
    var minimum = load(residual[1], i)
    var row = 0
    while row < 3 {
      minimum = lesser(load(residual[row], i &- shift), minimum)
      minimum = lesser(load(residual[row], i), minimum)
      minimum = lesser(load(residual[row], i &+ shift), minimum)
      row &+= 1
    }
    let steepness = one / (tolerance * (minimum + floor))
    var total = Lanes.zero
    var sumU = Lanes.zero
    var sumV = Lanes.zero
    row = 0
    while row < 3 {
      var x = i &- shift
      while x <= i &+ shift {
        let root = greater(one - (load(residual[row], x) - minimum) * steepness, Lanes.zero)
        let weight = root * root
        total += weight
        sumU += load(u[row], x) * weight
        sumV += load(v[row], x) * weight
        x &+= shift
      }
      row &+= 1
    }
    let inverse = one / total
    store(sumU * inverse, output.u, i, count)
    store(sumV * inverse, output.v, i, count)
    i &+= laneCount
  }
}

/// Forms the structure tensor of each pixel of a row, three numbers: G₁₁, G₁₂, G₂₂, from half the differences of the
/// neighbours.
///
/// - Parameter output: Three rows, `outputStride` floats apart.
/// - Contract: the neighbours of the row's pixels may be read, and 63 bytes more; `output` overlaps nothing.
public func formStructureTensors(
  _ image: UnsafePointer<Float>, rowStride: Int, _ output: UnsafeMutablePointer<Float>, outputStride: Int, count: Int
) {
  var i = 0
  while i < count {
    let (gx, gy) = centralGradient(image, rowStride, i)
    store(gx * gx, output, i, count)
    store(gx * gy, output + outputStride, i, count)
    store(gy * gy, output + 2 &* outputStride, i, count)
    i &+= laneCount
  }
}

/// The smaller eigenvalue of each averaged structure tensor of a row: how much texture the window has in the
/// direction in which it has least, in squared grey levels per pixel.
///
/// - Parameter sums: Three rows (G₁₁, G₁₂, G₂₂), `planeStride` floats apart; `scale` turns them into averages.
/// - Contract: inputs may be read up to 63 bytes past `count`; `output` overlaps nothing.
public func smallerEigenvalue(
  _ sums: UnsafePointer<Float>, planeStride: Int, scale: Float, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let half = Lanes(repeating: 0.5)
  let scale = Lanes(repeating: scale)
  var i = 0
  while i < count {
    let g11 = load(sums, i) * scale
    let g12 = load(sums, i &+ planeStride) * scale
    let g22 = load(sums, i &+ 2 &* planeStride) * scale
    let mean = (g11 + g22) * half
    let deviation = (g11 - g22) * half
    let square = deviation * deviation + g12 * g12
    let value = mean - square * inverseSquareRoot(square)
    store(Lanes.zero.replacing(with: value, where: value .> Lanes.zero), output, i, count)
    i &+= laneCount
  }
}
