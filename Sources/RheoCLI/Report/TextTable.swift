/// A table of text for people: the first column flush left, the others as `isNumeric` says.
struct TextTable {
  private var rows: [[String]] = []
  /// A Boolean value that tells whether the columns after the first are flush right, as numbers are.
  let isNumeric: Bool

  init(isNumeric: Bool) { self.isNumeric = isNumeric }

  mutating func add(_ cells: [String]) {
    rows.append(cells.map { shown($0).replacing("\n", with: " ") })
  }

  var text: String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return isNumeric && column > 0 ? space + cell : cell + space
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
