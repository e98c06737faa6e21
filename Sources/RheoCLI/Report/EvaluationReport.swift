// The figures of `rheo evaluate`: as a table for people, as JSON for programs.

import Foundation
import Rheo

/// The figures of one part of the pixels.
struct EvaluationReport {
  let name: String
  private let pixelCount: Int
  private let figures: [FlowMetrics.Figure]

  init(name: String, metrics: FlowMetrics) {
    self.name = name
    pixelCount = metrics.pixelCount
    figures = metrics.figures
  }

  /// One object for each part; shares are 0…1, what does not exist is null.
  static func json(_ parts: [EvaluationReport]) -> String {
    let objects = parts.map { part in
      let fields = part.figures.map { "\"\($0.name)\": \($0.value.isFinite ? String($0.value) : "null")" }
      return "\"\(part.name)\": {\"pixels\": \(part.pixelCount), " + fields.joined(separator: ", ") + "}"
    }
    return "{" + objects.joined(separator: ", ") + "}"
  }

  /// One column for each part.
  static func table(_ parts: [EvaluationReport]) -> String {
    var table = TextTable(isNumeric: true)
    table.add([""] + parts.map(\.name))
    table.add(["pixels"] + parts.map { String($0.pixelCount) })
    for index in parts[0].figures.indices {
      table.add([parts[0].figures[index].name] + parts.map { text($0.figures[index]) })
    }
    return table.text
  }

  private static func text(_ figure: FlowMetrics.Figure) -> String {
    guard !figure.value.isNaN else { return "–" }
    return switch figure.unit {
    case .pixels: String(format: "%.4f px", figure.value)
    case .degrees: String(format: "%.4f °", figure.value)
    case .share: String(format: "%.2f %%", 100 * figure.value)
    }
  }
}
