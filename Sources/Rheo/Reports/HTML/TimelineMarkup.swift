// The time line of a page: scores, events, and what was suppressed.

import Imaging
import MotionDetection
import VideoIO

/// Draws one input's time line. The plot is stretched to the width of the page, so that text is no part of it.
struct TimelineMarkup {
  let report: Detection.Report
  let curve: ScoreCurve
  let threshold: Double
  /// The text before the events' numbers in the page's anchors.
  let anchor: String

  private static let (width, height) = (1000.0, 200.0)
  /// The approximate number of marks on a time line.
  private static let markCount = 6.0

  private var span: Double { max(curve.end - curve.start, 1e-3) }

  /// Returns the position of a time, in percent of the width.
  private func percent(_ seconds: Double) -> Double { min(max((seconds - curve.start) / span, 0), 1) * 100 }

  /// The score that the plot's height is scaled to. Scores span three orders of magnitude: square roots keep the small
  /// ones in sight.
  private var top: Double { max(curve.maximum, 2 * threshold) }
  private func y(_ score: Double) -> Double { Self.height * (1 - (max(score, 0) / top).squareRoot() * 0.94) }

  var markup: String {
    let limits = Markup.element(
      "div", ["class": "limits"],
      label("\(Markup.number(top < 10 ? top : (top * 10).rounded() / 10)) %", y(top))
        + label("\(Markup.number(threshold)) %", y(threshold)))
    let plot = Markup.element("div", ["class": "plot"], drawing + limits)
    return Markup.element("figure", ["class": "timeline"], eventBar + plot + axis + legend)
  }

  /// The events alone, for a row of a table.
  var strip: String {
    let marks = report.events.map { event in
      let left = percent(event.start.seconds)
      return Markup.element(
        "rect",
        [
          "class": "motion", "x": Markup.coordinate(left * 10), "y": "0",
          "width": Markup.coordinate(max(percent(event.end.seconds) - left, 0.6) * 10), "height": "20",
        ], nil)
    }
    return Markup.element(
      "svg", ["class": "strip", "viewBox": "0 0 1000 20", "preserveAspectRatio": "none", "aria-hidden": "true"],
      marks.joined())
  }

  private var eventBar: String {
    let events = report.events.map { event in
      let left = percent(event.start.seconds)
      let right = percent(event.end.seconds)
      return Markup.element(
        "a",
        [
          "href": "#\(anchor)\(event.number)",
          "style": "left:\(Markup.coordinate(left))%;width:\(Markup.coordinate(right - left))%",
          "title": "Event \(event.number), \(Markup.clock(event.start.seconds)) to \(Markup.clock(event.end.seconds))",
        ], text: "\(event.number)")
    }
    return Markup.element("nav", ["class": "bar", "aria-label": "Events"], events.joined())
  }

  private var drawing: String {
    let periods = report.suppressed.map { period in
      band(period.start.seconds, period.end.seconds, class: period.reason.rawValue, period.reason.pageWords)
    }
    let events = report.events.map { band($0.start.seconds, $0.end.seconds, class: "event", "Event \($0.number)") }
    let gaps = report.gaps.compactMap(\.seconds).map { seconds in
      let x = Markup.coordinate(percent(seconds) * 10)
      return Markup.element("path", ["class": "gap", "d": "M\(x) 0V200"], Markup.element("title", text: "Damaged"))
    }
    let limit = Markup.coordinate(y(threshold))
    return Markup.element(
      "svg",
      [
        "viewBox": "0 0 1000 200", "preserveAspectRatio": "none", "role": "img",
        "aria-label": "Score over time, with \(report.events.count) events",
      ],
      (events + periods).joined() + curvePaths
        + Markup.element("path", ["class": "limit", "d": "M0 \(limit)H1000"], nil) + gaps.joined())
  }

  private func band(_ start: Double, _ end: Double, class name: String, _ title: String) -> String {
    let left = percent(start)
    return Markup.element(
      "rect",
      [
        "class": name, "x": Markup.coordinate(left * 10), "y": "0", "height": "200",
        "width": Markup.coordinate(max(percent(end) - left, 0.2) * 10),
      ], Markup.element("title", text: "\(title), \(Markup.clock(start)) to \(Markup.clock(end))"))
  }

  /// The area under the scores and its upper edge: steps, since each point stands for a span.
  private var curvePaths: String {
    guard let first = curve.points.first else { return "" }
    var edge = "M0 \(Markup.coordinate(y(first.score)))"
    for point in curve.points.dropFirst() {
      edge += "H\(Markup.coordinate(percent(point.seconds) * 10))V\(Markup.coordinate(y(point.score)))"
    }
    edge += "H1000"
    return Markup.element("path", ["class": "area", "d": edge + "V200H0Z"], nil)
      + Markup.element("path", ["class": "edge", "d": edge], nil)
  }

  private func label(_ text: String, _ y: Double) -> String {
    Markup.element("span", ["style": "top:\(Markup.coordinate(y / Self.height * 100))%"], text: text)
  }

  private var axis: String {
    let step = Self.steps.first { $0 * Self.markCount >= span } ?? (span / Self.markCount / 86400).rounded(.up) * 86400
    let first = (curve.start / step).rounded(.up) * step
    let times = stride(from: first, through: curve.end, by: step)
    let marks = times.map { time in
      Markup.element(
        "span", ["style": "left:\(Markup.coordinate(percent(time)))%"], text: Markup.clock(time, tenths: step < 1))
    }
    return Markup.element("div", ["class": "axis"], marks.joined())
  }

  /// The possible distances between marks, in seconds.
  private static let steps: [Double] = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
  ]

  private var legend: String {
    var items = [("curve", "score in % of the image, on a square-root scale"), ("limit", "threshold")]
    if !report.events.isEmpty { items.append(("event", "event")) }
    for reason in SuppressedPeriod.Reason.allCases where report.suppressed.contains(where: { $0.reason == reason }) {
      items.append((reason.rawValue, reason.pageWords.lowercased()))
    }
    if report.gaps.contains(where: { $0.seconds != nil }) { items.append(("gap", "damaged place")) }
    let list = items.map { name, words in
      Markup.element("span", ["class": "key"], Markup.element("i", ["class": name], "") + Markup.text(words))
    }
    return Markup.element("figcaption", list.joined())
  }
}

extension SuppressedPeriod.Reason {
  /// The words for the reason on a page.
  var pageWords: String {
    switch self {
    case .lighting: "Change of light"
    case .camera: "Camera motion"
    case .cut: "Cut"
    case .insect: "Insect"
    }
  }
}
