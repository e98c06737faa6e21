import Imaging
import Testing

@testable import FlowAnalysis

/// Assignments against trying all of them.
@Suite struct LinearAssignmentTests {
  /// Returns the least total cost over all assignments.
  private func leastCost(_ rows: Int, _ columns: Int, _ costs: [[Double?]], alone: Double) -> Double {
    func best(_ row: Int, _ taken: Set<Int>) -> Double {
      guard row < rows else { return 0 }
      var least = alone + best(row + 1, taken)
      for column in 0..<columns where !taken.contains(column) {
        if let cost = costs[row][column] { least = min(least, cost + best(row + 1, taken.union([column]))) }
      }
      return least
    }
    return best(0, [])
  }

  @Test func totalsAreTheLeastOfAll() {
    var random = SplitMix64(seed: 11)
    var assigned = 0
    for trial in 0..<400 {
      let (rows, columns) = (1 + random.index(below: 6), 1 + random.index(below: 6))
      // Few different costs: many assignments cost the same.
      let levels = trial % 2 == 0 ? 4 : 1000
      let density = 1 + random.index(below: 10)
      let costs: [[Double?]] = (0..<rows).map { _ in
        (0..<columns).map { _ in
          random.index(below: 10) < density ? Double(random.index(below: levels)) / Double(levels) - 0.2 : nil
        }
      }
      let pairs = costs.enumerated().flatMap { row, values in
        values.enumerated().compactMap { column, cost in
          cost.map { LinearAssignment.Pair(row: row, column: column, cost: $0) }
        }
      }
      let alone = Double(random.index(below: 100)) / 100
      let result = LinearAssignment(rowCount: rows, columnCount: columns, pairs: pairs, aloneCost: alone).columns
      let chosen = result.compactMap(\.self)
      #expect(result.count == rows && Set(chosen).count == chosen.count)
      var total = 0.0
      for (row, column) in result.enumerated() {
        guard let column else {
          total += alone
          continue
        }
        assigned += 1
        total += costs[row][column] ?? .infinity
      }
      let least = leastCost(rows, columns, costs, alone: alone)
      #expect(abs(total - least) < 1e-9, "trial \(trial): \(total), not \(least)")
    }
    #expect(assigned > 400)
  }

  @Test func whatIsFarApartDoesNotSlowOthersDown() {
    // 5,000 pairs that each stand alone: as one matrix they would have 25 million costs.
    let pairs = (0..<5000).map { LinearAssignment.Pair(row: $0, column: 4999 - $0, cost: 0.5) }
    let result = LinearAssignment(rowCount: 5000, columnCount: 5000, pairs: pairs, aloneCost: 1)
    #expect(result.columns == (0..<5000).map { 4999 - $0 })
  }

  @Test func nothingIsAssignedWhereNothingIsAllowed() {
    #expect(LinearAssignment(rowCount: 0, columnCount: 3, pairs: [], aloneCost: 1).columns.isEmpty)
    let pairs = [LinearAssignment.Pair(row: 0, column: 0, cost: 1)]
    #expect(LinearAssignment(rowCount: 2, columnCount: 1, pairs: pairs, aloneCost: 1).columns == [nil, nil])
  }

  /// The greedy choice of the best pair first would leave the second row alone.
  @Test func theBestPairGivesWay() {
    let pairs: [LinearAssignment.Pair] = [
      .init(row: 0, column: 0, cost: 0.1), .init(row: 0, column: 1, cost: 0.2), .init(row: 1, column: 0, cost: 0.3),
    ]
    let result = LinearAssignment(rowCount: 2, columnCount: 2, pairs: pairs, aloneCost: 1)
    #expect(result.columns == [1, 0])
  }
}
