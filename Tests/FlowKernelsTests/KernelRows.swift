import FlowKernelTypes

extension FlowRow {
  init(_ u: GuardedRow, _ v: GuardedRow) { self.init(u: u.base, v: v.base) }
}

extension MutableFlowRow {
  init(_ u: GuardedRow, _ v: GuardedRow) { self.init(u: u.base, v: v.base) }
}

extension MomentRows {
  init(_ rows: [GuardedRow]) { self.init(mean: rows[0].base, slope: rows[1].base, curvature: rows[2].base) }
}

extension GuardedBands {
  var strided: MutableStridedRow { MutableStridedRow(base: base, stride: stride) }
}

/// Memory for the positions of a row of vectors.
final class Positions {
  let positions: [GuardedRow]
  private let origins: UnsafeMutablePointer<Int32>

  init(count: Int) {
    positions = (0..<3).map { _ in GuardedRow(count: count) }
    origins = .allocate(capacity: count)
    origins.initialize(repeating: 0, count: count)
  }

  deinit { origins.deallocate() }

  var row: PositionRow {
    PositionRow(origins: origins, fx: positions[0].base, fy: positions[1].base, inside: positions[2].base)
  }

  var inside: [Float] { positions[2].values }
  var isGuardUntouched: Bool { positions.allSatisfy(\.isGuardUntouched) }
}
