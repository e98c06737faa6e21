// Sums of absolute values along a chain of unknowns, inside limits.
//
// Minimises ½·Σ qᵢ·xᵢ² + Σₖ wₖ·|aₖ·x + bₖ| over all x with gₘ·x ≤ hₘ. With eₖ ≥ ±(aₖ·x + bₖ) instead of the absolute
// values that is a quadratic program, and with q = 0 a linear one. It is solved by a primal-dual interior-point method
// with Mehrotra's predictor and corrector (S. Mehrotra, On the implementation of a primal-dual interior point method,
// SIAM J. Optimization 2, 1992, doi:10.1137/0802028). The bounds eₖ, their slacks and multipliers are eliminated term
// by term, so that each step factorises a banded matrix in x alone: O(n·b²) for n unknowns of which b in a row meet.
//
// Slacks and multipliers of the two sides of an absolute value begin where their equations hold, and stay there: only
// the equation of x, and limits that the start violates, have residuals.

/// The sum of absolute values, and its limits.
struct AbsoluteValueProgram {
  /// w·|Σ coefficientᵢ·x[start + i·stride] + offset|, with 1 to 4 coefficients, the others 0.
  struct Term {
    var weight: Double
    var offset: Double
    var start: Int
    var count: Int
    var coefficients: SIMD4<Double>
  }

  /// Σ coefficientᵢ·x[start + i] ≤ bound, with up to 8 coefficients, the others 0.
  struct Limit {
    var bound: Double
    var start: Int
    var count: Int
    var coefficients: SIMD8<Double>
  }

  /// The solution and its proof: with the multipliers, q·x + Σ z·a + Σ y·g = 0, |z| ≤ w and y ≥ 0 hold, and the value
  /// lies at most `gap` above the minimum.
  struct Solution {
    var unknowns: [Double]
    /// The multiplier z of each term: its derivative where it is not zero.
    var termMultipliers: [Double]
    /// The multiplier y of each limit.
    var limitMultipliers: [Double]
    /// The sum of slacks times multipliers, which is the distance to the dual program's value.
    var gap: Double
    /// The largest entry of q·x + Σ z·a + Σ y·g.
    var dualResidual: Double
    /// The number of steps.
    var iterations: Int
  }

  /// The distance between unknowns that a term ties together.
  let stride: Int
  /// The weight q of the square of each unknown; not negative.
  var squares: [Double]
  var terms: [Term] = []
  var limits: [Limit] = []

  /// The gap at which a solution is good enough, in parts of the value (and at least of one term); chosen by hand.
  private static let tolerance = 1e-8
  /// The maximum number of steps; chosen by hand: paths need a few dozen.
  private static let maximumIterations = 80
  /// The share of the way to the nearest bound that a step goes; chosen by hand, as usual for such methods.
  private static let stepShare = 0.995
  /// The minimum length of a step, as a share of the whole one: below, rounding decides; chosen by hand.
  private static let minimumStep = 1e-7

  /// A program of `count` unknowns, without terms.
  init(count: Int, stride: Int) {
    self.stride = stride
    squares = [Double](repeating: 0, count: count)
  }

  /// The value of the sum at `x`.
  func value(_ x: [Double]) -> Double {
    zip(x, squares).reduce(0) { $0 + 0.5 * $1.1 * $1.0 * $1.0 }
      + terms.reduce(0) { $0 + $1.weight * abs(argument(of: $1, x) + $1.offset) }
  }

  /// Solves the program from x = 0, which need not keep the limits.
  func solved() -> Solution {
    var state = InteriorPoint(self)
    var matrix = BandedMatrix(count: squares.count, bandwidth: bandwidth)
    var iterations = 0
    while iterations < Self.maximumIterations {
      let residual = state.residual(self)
      if residual.primal <= Self.tolerance, state.gap <= Self.tolerance * max(value(state.x), state.scale) { break }
      state.factorize(self, &matrix)
      let mean = state.gap / Double(max(state.pairCount, 1))
      // Predictor: straight towards the solution. It tells how much centring the step needs, and its products are the
      // second-order terms of the corrector.
      let guess = state.direction(self, matrix, target: 0, correction: nil)
      let reach = state.stepLength(guess)
      let ratio = mean > 0 ? state.gap(after: guess, length: reach) / (mean * Double(max(state.pairCount, 1))) : 0
      let step = state.direction(self, matrix, target: ratio * ratio * ratio * mean, correction: guess)
      let length = Self.stepShare * state.stepLength(step)
      // Where rounding decides, no further step is an improvement.
      guard length > Self.minimumStep, step.isFinite else { break }
      state.advance(step, length: length, self)
      iterations += 1
    }
    return Solution(
      unknowns: state.x, termMultipliers: zip(state.upper, state.lower).map { $0.multiplier - $1.multiplier },
      limitMultipliers: state.limits.map(\.multiplier), gap: state.gap, dualResidual: state.residual(self).dual,
      iterations: iterations)
  }

  private var bandwidth: Int {
    max(
      terms.reduce(0) { max($0, ($1.count - 1) * stride) }, limits.reduce(0) { max($0, $1.count - 1) })
  }

  @inline(__always)
  fileprivate func argument(of term: Term, _ x: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<term.count { sum += term.coefficients[i] * x[term.start + i * stride] }
    return sum
  }

  @inline(__always)
  fileprivate func argument(of limit: Limit, _ x: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<limit.count { sum += limit.coefficients[i] * x[limit.start + i] }
    return sum
  }
}

/// A slack and its multiplier, both positive; their product becomes zero.
private struct Pair {
  var slack: Double
  var multiplier: Double

  var product: Double { slack * multiplier }
  var ratio: Double { multiplier / slack }

  static func + (a: Pair, b: Pair) -> Pair {
    Pair(slack: a.slack + b.slack, multiplier: a.multiplier + b.multiplier)
  }

  static func * (a: Pair, factor: Double) -> Pair {
    Pair(slack: a.slack * factor, multiplier: a.multiplier * factor)
  }

  /// Returns the largest step along `direction`, up to `length`, that keeps both positive.
  func reach(_ direction: Pair, _ length: Double) -> Double {
    var length = length
    if direction.slack < 0 { length = min(length, -slack / direction.slack) }
    if direction.multiplier < 0 { length = min(length, -multiplier / direction.multiplier) }
    return length
  }
}

/// A direction of all variables.
private struct Direction {
  var x: [Double]
  var upper: [Pair]
  var lower: [Pair]
  var limits: [Pair]

  var isFinite: Bool { x.allSatisfy(\.isFinite) }
}

/// The variables of the method, between the bounds.
private struct InteriorPoint {
  var x: [Double]
  /// The slack and the multiplier of a·x + b ≤ e for each term; `lower` holds those of −a·x − b ≤ e.
  var upper: [Pair]
  var lower: [Pair]
  var limits: [Pair]
  /// The value of a usual term, below which gaps do not matter.
  let scale: Double
  private var dual: [Double]
  private var primal: [Double]

  var pairCount: Int { 2 * upper.count + limits.count }

  init(_ program: AbsoluteValueProgram) {
    x = [Double](repeating: 0, count: program.squares.count)
    dual = x
    primal = [Double](repeating: 0, count: program.limits.count)
    let count = Double(max(program.terms.count, 1))
    let mean = program.terms.reduce(0) { $0 + abs($1.offset) } / count
    let weight = program.terms.reduce(0) { $0 + $1.weight } / count
    let room = max(mean, 1e-6)
    scale = max(weight * mean, 1e-9)
    func pair(_ term: AbsoluteValueProgram.Term, _ sign: Double) -> Pair {
      Pair(slack: abs(term.offset) - sign * term.offset + room, multiplier: term.weight / 2)
    }
    upper = program.terms.map { pair($0, 1) }
    lower = program.terms.map { pair($0, -1) }
    limits = program.limits.map { Pair(slack: max($0.bound, room), multiplier: weight * room / max($0.bound, room)) }
  }

  var gap: Double {
    upper.reduce(0) { $0 + $1.product } + lower.reduce(0) { $0 + $1.product } + limits.reduce(0) { $0 + $1.product }
  }

  /// Finds what the equations lack. Returns the largest lacks.
  mutating func residual(_ program: AbsoluteValueProgram) -> (dual: Double, primal: Double) {
    for i in x.indices { dual[i] = program.squares[i] * x[i] }
    for (k, term) in program.terms.enumerated() {
      let multiplier = upper[k].multiplier - lower[k].multiplier
      for i in 0..<term.count { dual[term.start + i * program.stride] += term.coefficients[i] * multiplier }
    }
    for (k, limit) in program.limits.enumerated() {
      for i in 0..<limit.count { dual[limit.start + i] += limit.coefficients[i] * limits[k].multiplier }
      primal[k] = program.argument(of: limit, x) - limit.bound + limits[k].slack
    }
    return (dual.reduce(0) { max($0, abs($1)) }, primal.reduce(0) { max($0, abs($1)) })
  }

  /// Factorises the matrix of a step: Q + Σ D·a·aᵀ + Σ W·g·gᵀ.
  func factorize(_ program: AbsoluteValueProgram, _ matrix: inout BandedMatrix) {
    matrix.reset(diagonal: program.squares)
    let stride = program.stride
    for (k, term) in program.terms.enumerated() {
      let (a, b) = (upper[k].ratio, lower[k].ratio)
      let weight = 4 * a * b / (a + b)
      for i in 0..<term.count {
        for j in 0...i {
          matrix.add(
            weight * term.coefficients[i] * term.coefficients[j], row: term.start + i * stride,
            column: term.start + j * stride)
        }
      }
    }
    for (k, limit) in program.limits.enumerated() {
      let weight = limits[k].ratio
      for i in 0..<limit.count {
        for j in 0...i {
          matrix.add(
            weight * limit.coefficients[i] * limit.coefficients[j], row: limit.start + i, column: limit.start + j)
        }
      }
    }
    matrix.factorize()
  }

  /// The step after which all products are `target`, to first order, or with the products of `correction` to second.
  func direction(
    _ program: AbsoluteValueProgram, _ matrix: BandedMatrix, target: Double, correction: Direction?
  ) -> Direction {
    /// Returns the distance of a product from the target, divided by the slack.
    func excess(_ pair: Pair, _ guess: Pair?) -> Double {
      (pair.product - target + (guess?.product ?? 0)) / pair.slack
    }
    var right = dual.map { -$0 }
    let excesses = upper.indices.map { k in
      (upper: excess(upper[k], correction?.upper[k]), lower: excess(lower[k], correction?.lower[k]))
    }
    for (k, term) in program.terms.enumerated() {
      let (a, b) = (upper[k].ratio, lower[k].ratio)
      let pull = 2 * (excesses[k].upper * b - excesses[k].lower * a) / (a + b)
      for i in 0..<term.count { right[term.start + i * program.stride] += term.coefficients[i] * pull }
    }
    let limitExcesses = limits.indices.map { excess(limits[$0], correction?.limits[$0]) }
    for (k, limit) in program.limits.enumerated() {
      let pull = limitExcesses[k] - limits[k].ratio * primal[k]
      for i in 0..<limit.count { right[limit.start + i] += limit.coefficients[i] * pull }
    }
    let change = matrix.solve(right)
    var step = Direction(x: change, upper: upper, lower: lower, limits: limits)
    for (k, term) in program.terms.enumerated() {
      let (a, b) = (upper[k].ratio, lower[k].ratio)
      let moved = program.argument(of: term, change)
      let bound = (-excesses[k].upper - excesses[k].lower + (a - b) * moved) / (a + b)
      step.upper[k] = Pair(slack: bound - moved, multiplier: -excesses[k].upper - a * (bound - moved))
      step.lower[k] = Pair(slack: bound + moved, multiplier: -excesses[k].lower - b * (bound + moved))
    }
    for (k, limit) in program.limits.enumerated() {
      let slack = -primal[k] - program.argument(of: limit, change)
      step.limits[k] = Pair(slack: slack, multiplier: -limitExcesses[k] - limits[k].ratio * slack)
    }
    return step
  }

  /// Returns the longest step, 1 at most, that keeps all slacks and multipliers positive.
  func stepLength(_ step: Direction) -> Double {
    var length = 1.0
    for k in upper.indices {
      length = lower[k].reach(step.lower[k], upper[k].reach(step.upper[k], length))
    }
    for k in limits.indices { length = limits[k].reach(step.limits[k], length) }
    return length
  }

  func gap(after step: Direction, length: Double) -> Double {
    var sum = 0.0
    for k in upper.indices {
      sum += (upper[k] + step.upper[k] * length).product + (lower[k] + step.lower[k] * length).product
    }
    for k in limits.indices { sum += (limits[k] + step.limits[k] * length).product }
    return sum
  }

  mutating func advance(_ step: Direction, length: Double, _ program: AbsoluteValueProgram) {
    for i in x.indices { x[i] += length * step.x[i] }
    for k in upper.indices {
      upper[k] = upper[k] + step.upper[k] * length
      lower[k] = lower[k] + step.lower[k] * length
      // The two multipliers of a term add up to its weight; rounding must not lead away from that.
      let factor = program.terms[k].weight / (upper[k].multiplier + lower[k].multiplier)
      upper[k].multiplier *= factor
      lower[k].multiplier *= factor
    }
    for k in limits.indices { limits[k] = limits[k] + step.limits[k] * length }
  }
}
