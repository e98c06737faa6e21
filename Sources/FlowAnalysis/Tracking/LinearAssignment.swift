// The assignment of rows to columns that costs least.

/// Assigns each row to at most one column, and each column to at most one row, at the least total cost.
///
/// Shortest augmenting paths (Jonker & Volgenant 1987, doi:10.1007/BF02278710), without their initialisation, for
/// matrices that need not be square and with pairs that are not allowed (Crouse 2016, doi:10.1109/TAES.2016.140952). A
/// row that stays alone costs a given amount. Rows and columns that no allowed pairs connect are solved by themselves.
package struct LinearAssignment {
  /// A pair that is allowed.
  package struct Pair {
    /// The number of its row.
    package var row: Int
    /// The number of its column.
    package var column: Int
    /// The cost of choosing it.
    package var cost: Double

    /// A pair, by the numbers of its row and column.
    package init(row: Int, column: Int, cost: Double) {
      (self.row, self.column, self.cost) = (row, column, cost)
    }
  }

  /// The column of each row; nil: it stays alone.
  package private(set) var columns: [Int?]

  /// The cheapest assignment. Where several cost the same, the order of rows and columns decides.
  /// - Parameters:
  ///   - rowCount: The number of rows.
  ///   - columnCount: The number of columns.
  ///   - pairs: The pairs that are allowed, each once.
  ///   - aloneCost: The cost of a row that stays alone; a pair that costs more is never chosen.
  package init(rowCount: Int, columnCount: Int, pairs: [Pair], aloneCost: Double) {
    columns = Array(repeating: nil, count: rowCount)
    for group in Self.connected(rowCount, columnCount, pairs.filter { $0.cost < aloneCost }) {
      var problem = Problem(group, aloneCost: aloneCost)
      problem.solve()
      for (row, column) in problem.result { columns[row] = column }
    }
  }

  /// Groups pairs that share a row or a column, directly or by others.
  private static func connected(_ rowCount: Int, _ columnCount: Int, _ pairs: [Pair]) -> [[Pair]] {
    // Rows, then columns, each pointing towards the first member of its group.
    var parents = Array(0..<rowCount + columnCount)
    func root(_ index: Int) -> Int {
      var index = index
      while parents[index] != index {
        parents[index] = parents[parents[index]]
        index = parents[index]
      }
      return index
    }
    for pair in pairs {
      let (one, other) = (root(pair.row), root(rowCount + pair.column))
      parents[max(one, other)] = min(one, other)
    }
    var groups: [Int: [Pair]] = [:]
    for pair in pairs { groups[root(pair.row), default: []].append(pair) }
    return groups.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The assignment of some rows and columns.
  private struct Problem {
    /// The numbers of the rows and columns outside.
    private let (rows, columns): ([Int], [Int])
    /// Row by row; infinite: not allowed.
    private var costs: [Double]
    private let aloneCost: Double
    private var columnOfRow: [Int]
    private var rowOfColumn: [Int]
    /// The dual variables.
    private var (rowPrices, columnPrices): ([Double], [Double])

    init(_ pairs: [Pair], aloneCost: Double) {
      self.aloneCost = aloneCost
      rows = Set(pairs.map(\.row)).sorted()
      columns = Set(pairs.map(\.column)).sorted()
      let rowIndex = Dictionary(uniqueKeysWithValues: zip(rows, rows.indices))
      let columnIndex = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
      costs = Array(repeating: .infinity, count: rows.count * columns.count)
      for pair in pairs {
        guard let row = rowIndex[pair.row], let column = columnIndex[pair.column] else { continue }
        costs[row * columns.count + column] = pair.cost
      }
      columnOfRow = Array(repeating: -1, count: rows.count)
      rowOfColumn = Array(repeating: -1, count: columns.count)
      rowPrices = Array(repeating: 0, count: rows.count)
      columnPrices = Array(repeating: 0, count: columns.count)
    }

    /// The rows that have a column, with it.
    var result: [(row: Int, column: Int)] {
      rows.indices.compactMap { columnOfRow[$0] < 0 ? nil : (rows[$0], columns[columnOfRow[$0]]) }
    }

    mutating func solve() {
      for row in rows.indices { assign(row) }
    }

    /// Gives a row its column along the shortest path of exchanges; it may leave another row, or itself, alone. A row
    /// that was left alone stays so: more rows never help it.
    private mutating func assign(_ first: Int) {
      var distances = [Double](repeating: .infinity, count: columns.count)
      var previousRow = [Int](repeating: -1, count: columns.count)
      var isScanned = [Bool](repeating: false, count: columns.count)
      var scannedRows = [first]
      var scannedColumns: [Int] = []
      // The cheapest row to leave alone so far.
      var (aloneDistance, aloneRow) = (Double.infinity, first)
      var (row, distance) = (first, 0.0)
      var end: Int?
      while true {
        let alone = distance + aloneCost - rowPrices[row]
        if alone < aloneDistance { (aloneDistance, aloneRow) = (alone, row) }
        var nearest = -1
        for column in columns.indices where !isScanned[column] {
          let reached = distance + costs[row * columns.count + column] - rowPrices[row] - columnPrices[column]
          if reached < distances[column] { (distances[column], previousRow[column]) = (reached, row) }
          guard distances[column] < .infinity else { continue }
          if nearest < 0 || distances[column] < distances[nearest]
            || distances[column] == distances[nearest] && rowOfColumn[column] < 0 && rowOfColumn[nearest] >= 0
          {
            nearest = column
          }
        }
        guard nearest >= 0, distances[nearest] < aloneDistance else {
          distance = aloneDistance
          break
        }
        distance = distances[nearest]
        isScanned[nearest] = true
        scannedColumns.append(nearest)
        guard rowOfColumn[nearest] >= 0 else {
          end = nearest
          break
        }
        row = rowOfColumn[nearest]
        scannedRows.append(row)
      }
      rowPrices[first] += distance
      for row in scannedRows.dropFirst() { rowPrices[row] += distance - distances[columnOfRow[row]] }
      for column in scannedColumns { columnPrices[column] -= distance - distances[column] }
      exchange(from: first, leaving: aloneRow, to: end, previousRow)
    }

    /// Gives the columns along a path to the rows before them.
    private mutating func exchange(from first: Int, leaving aloneRow: Int, to end: Int?, _ previousRow: [Int]) {
      var column: Int
      if let end {
        column = end
      } else {
        guard aloneRow != first else { return }
        column = columnOfRow[aloneRow]
        columnOfRow[aloneRow] = -1
      }
      while true {
        let row = previousRow[column]
        rowOfColumn[column] = row
        (columnOfRow[row], column) = (column, columnOfRow[row])
        if row == first { return }
      }
    }
  }
}
