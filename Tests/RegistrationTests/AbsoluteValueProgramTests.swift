import TestSupport
import Testing

@testable import Registration

/// Sums of absolute values, held against the conditions of their minimum and against known minima.
@Suite struct AbsoluteValueProgramTests {
  /// The differences of `order` of a path, as far as they are not those of data.
  private func trend(_ data: [Double], _ weights: [Double], square: Double) -> AbsoluteValueProgram {
    var program = AbsoluteValueProgram(count: data.count, stride: 1)
    // x is the distance from the data: differences of data + x are penalised.
    program.squares = data.map { _ in square }
    let rows: [[Double]] = [[-1, 1], [1, -2, 1], [-1, 3, -3, 1]]
    for (row, weight) in zip(rows, weights) where weight > 0 {
      for start in 0...data.count - row.count {
        var coefficients = SIMD4<Double>.zero
        var offset = 0.0
        for (index, value) in row.enumerated() {
          coefficients[index] = value
          offset += value * data[start + index]
        }
        program.terms.append(
          AbsoluteValueProgram.Term(
            weight: weight, offset: offset, start: start, count: row.count, coefficients: coefficients))
      }
    }
    return program
  }

  private func addBounds(_ bound: Double, to program: inout AbsoluteValueProgram) {
    for index in program.squares.indices {
      for sign in [-1.0, 1] {
        program.limits.append(
          AbsoluteValueProgram.Limit(
            bound: bound, start: index, count: 1, coefficients: SIMD8(sign, 0, 0, 0, 0, 0, 0, 0)))
      }
    }
  }

  private func noise(_ count: Int, seed: UInt64 = 6) -> [Double] {
    var random = FixedRandom(seed: seed)
    return (0..<count).map { _ in Double.random(in: -1...1, using: &random) }
  }

  /// Rests, pans, parabolas.
  private func tour() -> [Double] {
    let shake = noise(240)
    return (0..<240).map { t in
      let s = Double(t)
      var way = 0.0
      if t >= 60 { way = s - 60 }
      if t >= 120 { way += 0.05 * (s - 120) * (s - 120) }
      if t >= 180 { way = 300 }
      return way + 2 * shake[t]
    }
  }

  /// The conditions of Karush, Kuhn and Tucker, from the numbers alone.
  private func check(_ program: AbsoluteValueProgram) {
    let solution = program.solved()
    let x = solution.unknowns
    let value = program.value(x)
    var gradient: [Double] = zip(program.squares, x).map { $0 * $1 }
    var dual = 0.0
    for (square, unknown) in zip(program.squares, x) { dual -= 0.5 * square * unknown * unknown }
    for (term, multiplier) in zip(program.terms, solution.termMultipliers) {
      #expect(abs(multiplier) <= term.weight * (1 + 1e-9))
      for i in 0..<term.count { gradient[term.start + i * program.stride] += term.coefficients[i] * multiplier }
      dual += multiplier * term.offset
    }
    for (limit, multiplier) in zip(program.limits, solution.limitMultipliers) {
      #expect(multiplier >= 0)
      var sum = -limit.bound
      for i in 0..<limit.count {
        gradient[limit.start + i] += limit.coefficients[i] * multiplier
        sum += limit.coefficients[i] * x[limit.start + i]
      }
      #expect(sum < 1e-7)
      dual -= multiplier * limit.bound
    }
    #expect(gradient.allSatisfy { abs($0) < 1e-5 })
    // No solution has a smaller value than the dual one.
    #expect(value - dual >= -1e-5 * value && value - dual < 1e-5 * max(value, 1), "\(value) \(dual)")
    #expect(solution.iterations < 60, "\(solution.iterations)")
  }

  @Test func theSolutionIsTheMinimum() {
    for weights in [[10.0, 0, 0], [10, 1, 100], [1, 30, 3], [0, 0, 50]] {
      var program = trend(tour(), weights, square: 0.02)
      check(program)
      addBounds(8, to: &program)
      check(program)
    }
  }

  /// Without squares it is a linear program; this is the case of the paper.
  @Test func linearProgramsAreSolved() {
    var program = trend(tour(), [10, 1, 100], square: 0)
    addBounds(15, to: &program)
    check(program)
  }

  /// A step of 10 among 20 unknowns: with the weight 3 each side moves by 3/10 (total variation denoising).
  @Test func aKnownMinimumIsFound() {
    let data = (0..<20).map { $0 < 10 ? 0.0 : 10 }
    let x = trend(data, [3], square: 1).solved().unknowns
    for (index, value) in x.enumerated() { #expect(abs(value - (index < 10 ? 0.3 : -0.3)) < 1e-6) }
  }

  @Test func partsAreExactlyConstantAndLinear() {
    let data = tour()
    let x = trend(data, [10, 1, 100], square: 0.05).solved().unknowns
    let path = zip(data, x).map { $0 + $1 }
    let velocities = zip(path, path.dropFirst()).map { $1 - $0 }
    #expect((5..<45).allSatisfy { abs(velocities[$0]) < 1e-6 })
    #expect((200..<239).allSatisfy { abs(velocities[$0]) < 1e-6 })
    let accelerations = zip(velocities, velocities.dropFirst()).map { $1 - $0 }
    let jerks = zip(accelerations, accelerations.dropFirst()).map { abs($1 - $0) }
    #expect(jerks.count { $0 < 1e-6 } > 200, "\(jerks.count { $0 < 1e-6 })")
  }

  /// Nothing to do, and nothing that could divide by zero.
  @Test func whatRestsIsLeftAlone() {
    let x = trend([Double](repeating: 0, count: 30), [10, 1, 100], square: 0.05).solved().unknowns
    #expect(x.allSatisfy { abs($0) < 1e-7 })
  }

  @Test func bandedEquationsAreSolved() {
    let random = noise(60 * 7)
    var matrix = BandedMatrix(count: 60, bandwidth: 6)
    matrix.reset(diagonal: [Double](repeating: 10, count: 60))
    var full = [[Double]](repeating: [Double](repeating: 0, count: 60), count: 60)
    for i in 0..<60 {
      full[i][i] = 10
      for j in max(0, i - 6)..<i {
        matrix.add(random[i * 7 + i - j], row: i, column: j)
        (full[i][j], full[j][i]) = (random[i * 7 + i - j], random[i * 7 + i - j])
      }
    }
    matrix.factorize()
    let truth = noise(60, seed: 3)
    let right: [Double] = full.map { row in zip(row, truth).map { $0 * $1 }.reduce(0, +) }
    #expect(zip(matrix.solve(right), truth).allSatisfy { abs($0 - $1) < 1e-10 })
  }
}
