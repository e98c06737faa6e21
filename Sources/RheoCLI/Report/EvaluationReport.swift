// The figures of `rheo evaluate`: as a table for people, as JSON for programs.

import Foundation
import Rheo

/// The figures of one part of the pixels.
struct EvaluationReport {
  private enum Unit { case pixels, degrees, share }

  private struct Figure {
    var key: String
    var value: Double
    var unit: Unit
  }

  let name: String
  private let pixelCount: Int
  private let figures: [Figure]

  init(name: String, metrics: FlowMetrics) {
    self.name = name
    pixelCount = metrics.pixelCount
    let (endpoint, angular) = (metrics.endpointErrors, metrics.angularErrors)
    figures =
      [
        Figure(key: "epe", value: endpoint.mean, unit: .pixels),
        Figure(key: "epeSD", value: endpoint.standardDeviation, unit: .pixels),
      ]
      + FlowMetrics.outlierThresholds.map {
        Figure(key: "r\($0.formatted())", value: endpoint.share(beyond: $0), unit: .share)
      }
      + [0.5, 0.75, 0.9, 0.95, 0.99].map {
        Figure(key: "p\(Int($0 * 100))", value: endpoint.percentile($0) ?? .nan, unit: .pixels)
      }
      + [
        Figure(key: "aae", value: angular.mean, unit: .degrees),
        Figure(key: "aaeSD", value: angular.standardDeviation, unit: .degrees),
      ]
      + FlowMetrics.angularThresholds.map {
        Figure(key: "aaeR\($0.formatted())", value: angular.share(beyond: $0), unit: .share)
      }
      + [0.5, 0.75, 0.95].map {
        Figure(key: "aaeP\(Int($0 * 100))", value: angular.percentile($0) ?? .nan, unit: .degrees)
      }
      + [
        Figure(key: "flAll", value: metrics.outlierRatio, unit: .share),
        Figure(key: "flEst", value: metrics.outlierRatioOfEstimates, unit: .share),
      ]
      + metrics.speedClasses.map { Figure(key: $0.name, value: $0.averageEndpointError, unit: .pixels) }
      + [Figure(key: "coverage", value: metrics.coverage, unit: .share)]
  }

  /// One object for each part; shares are 0…1, what does not exist is null.
  static func json(_ parts: [EvaluationReport]) -> String {
    let objects = parts.map { part in
      let fields = part.figures.map { "\"\($0.key)\": \($0.value.isFinite ? String($0.value) : "null")" }
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
      table.add([parts[0].figures[index].key] + parts.map { text($0.figures[index]) })
    }
    return table.text
  }

  private static func text(_ figure: Figure) -> String {
    guard !figure.value.isNaN else { return "–" }
    return switch figure.unit {
    case .pixels: String(format: "%.4f px", figure.value)
    case .degrees: String(format: "%.4f °", figure.value)
    case .share: String(format: "%.2f %%", 100 * figure.value)
    }
  }
}
