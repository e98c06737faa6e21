// A page for people: what was found, when, and what it looked like.

import Foundation
import Imaging
import MotionDetection
import VideoIO

/// The report of a detection as one file of HTML that needs no other: no script, no fonts, no images from elsewhere.
/// Clips are played from where they lie beside it.
package struct DetectionPage {
  /// One input with what a page shows of it.
  package struct Section {
    package var outcome: DetectionOutcome
    package var curve: ScoreCurve
    /// JPEG images of the peaks, by the events' numbers.
    package var images: [Int: StoredBytes]
    /// A JPEG image of where things moved.
    package var heatMap: StoredBytes?

    package init(
      outcome: DetectionOutcome, curve: ScoreCurve, images: [Int: StoredBytes], heatMap: StoredBytes? = nil
    ) {
      self.outcome = outcome
      self.curve = curve
      self.images = images
      self.heatMap = heatMap
    }
  }

  let sections: [Section]
  let options: EventParameters
  /// The folder that the page will lie in: clips are found from there.
  let folder: String
  /// Further settings, by name.
  let settings: [(String, String)]

  package init(
    _ sections: [Section], options: EventParameters, folder: String, settings: [(String, String)] = []
  ) {
    self.sections = sections
    self.options = options
    self.folder = folder
    self.settings = settings
  }

  /// Writes the whole file, piece by piece: no more than one image is in memory at a time.
  package func write(to put: (String) throws -> Void) throws {
    try put("<!DOCTYPE html>\n")
    try Markup.nest("html", ["lang": "en"], put) {
      try put(head + "\n")
      try Markup.nest("body", [:], put) {
        try Markup.nest("main", [:], put) {
          if sections.count > 1 { try put(overview + "\n") }
          for index in sections.indices { try write(index, to: put) }
          try put(settingsMarkup + "\n" + footer + "\n")
        }
      }
    }
  }

  /// All that the page may load, so that no text from elsewhere can make it load more: styles and images that it holds,
  /// and clips beside it. Browsers do not take `'self'` for the files around a file.
  private static let securityPolicy =
    "default-src 'none'; img-src data:; media-src 'self' file:; style-src 'unsafe-inline'; base-uri 'none'; "
    + "form-action 'none'"

  private var head: String {
    let name = sections.count == 1 ? Self.fileName(sections[0].outcome.input) : "\(sections.count) videos"
    let parts = [
      Markup.element("meta", ["charset": "utf-8"], nil),
      Markup.element("meta", ["http-equiv": "Content-Security-Policy", "content": Self.securityPolicy], nil),
      Markup.element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"], nil),
      Markup.element("meta", ["name": "color-scheme", "content": "light dark"], nil),
      Markup.element("meta", ["name": "generator", "content": "rheo \(RheoVersion.number)"], nil),
      Markup.element("title", text: "Motion in \(name)"), Markup.element("style", PageStyle.text),
    ]
    return Markup.element("head", parts.joined(separator: "\n"))
  }

  // MARK: Several inputs

  private var overview: String {
    let rows = sections.enumerated().map { index, section -> [String] in
      let name = Markup.element(
        "a", ["href": "#input-\(index + 1)", "title": section.outcome.input],
        text: Self.fileName(section.outcome.input))
      guard let report = section.outcome.report else {
        return [name, Markup.element("span", ["class": "bad"], text: "not read"), "", "", "", ""]
      }
      return [
        name, TimelineMarkup(report: report, curve: section.curve, threshold: options.threshold, anchor: "").strip,
        "\(report.eventCount)", Markup.length(report.motionSeconds), "\(report.suppressed.count)",
        report.gaps.countText,
      ]
    }
    let reports = sections.compactMap(\.outcome.report)
    let failed = sections.count - reports.count
    let facts =
      [
        ("Videos", "\(sections.count)"), ("Events", "\(reports.reduce(0) { $0 + $1.eventCount })"),
        ("Motion", Markup.length(reports.reduce(0) { $0 + $1.motionSeconds })),
      ] + (failed > 0 ? [("Not read", "\(failed)")] : [])
    return Markup.element(
      "header",
      Markup.element("p", ["class": "brand"], text: "Motion report")
        + Markup.element("h1", text: "\(sections.count) videos") + Self.facts(facts))
      + Markup.table(["Video", "When", "Events", "Motion", "Suppressed", "Damage"], rows, class: "overview")
  }

  // MARK: One input

  private func write(_ index: Int, to put: (String) throws -> Void) throws {
    let section = sections[index]
    let isOnly = sections.count == 1
    let title =
      Markup.element(isOnly ? "h1" : "h2", ["title": section.outcome.input], text: Self.fileName(section.outcome.input))
    guard let report = section.outcome.report else {
      let words = Markup.element("p", ["class": "bad"], text: section.outcome.failure ?? "It could not be read.")
      let header = Markup.element("header", title + words)
      return try put(Markup.element("section", ["id": "input-\(index + 1)"], header) + "\n")
    }
    let anchor = isOnly ? "event-" : "input-\(index + 1)-event-"
    let brand = isOnly ? Markup.element("p", ["class": "brand"], text: "Motion report") : ""
    let timeline = TimelineMarkup(report: report, curve: section.curve, threshold: options.threshold, anchor: anchor)
    let cards = EventCards(report: report, images: section.images, folder: folder, anchor: anchor)
    let header = Markup.element(
      "header", brand + title + Self.source(report, section.curve) + Self.facts(figures(report, section)))
    try Markup.nest("section", ["id": "input-\(index + 1)"], put) {
      try put(header + "\n" + timeline.markup + "\n")
      try cards.write(to: put)
      if !report.events.isEmpty { try put(section.heatMap.map(figure) ?? "") }
      try put(suppressed(report) + gaps(report))
    }
  }

  private func figures(_ report: Detection.Report, _ section: Section) -> [(String, String)] {
    let length = max(section.curve.end - section.curve.start, 1e-9)
    let share = Markup.number((100 * report.motionSeconds / length).rounded())
    var figures = [("Events", "\(report.eventCount)")]
    if !report.events.isEmpty { figures.append(("Motion", "\(Markup.length(report.motionSeconds)) · \(share) %")) }
    figures.append(("Suppressed", "\(report.suppressed.count)"))
    if !report.gaps.isEmpty { figures.append(("Damaged places", report.gaps.countText)) }
    return figures
  }

  private static func source(_ report: Detection.Report, _ curve: ScoreCurve) -> String {
    var words = [
      "\(report.source.width) × \(report.source.height)", "\(report.frames) frames",
      Markup.length(curve.end - curve.start),
    ]
    if let rate = report.source.frameRate { words.insert("\(Markup.number(rate)) fps", at: 1) }
    if report.wasInterrupted { words.append("interrupted: only up to there") }
    return Markup.element("p", ["class": "soft"], text: words.joined(separator: " · "))
  }

  private static func facts(_ facts: [(String, String)]) -> String {
    let items = facts.map { Markup.element("div", Markup.element("dt", text: $0) + Markup.element("dd", text: $1)) }
    return Markup.element("dl", ["class": "facts"], items.joined())
  }

  private func figure(_ heatMap: StoredBytes) throws -> String {
    let image = "data:image/jpeg;base64,\(try heatMap.bytes().base64EncodedString())"
    let words = "Where it moved: the seconds for which something travelled there"
    return Markup.element(
      "figure", ["class": "map"],
      Markup.element("img", ["src": image, "alt": "Heat map of motion", "loading": "lazy"], nil)
        + Markup.element("figcaption", text: words)) + "\n"
  }

  private func suppressed(_ report: Detection.Report) -> String {
    guard !report.suppressed.isEmpty else { return "" }
    let rows = report.suppressed.map { period in
      [
        Markup.element(
          "span", ["class": "key"],
          Markup.element("i", ["class": period.reason.rawValue], "")
            + Markup.text(period.reason.pageWords)),
        Markup.clock(period.start.seconds), Markup.clock(period.end.seconds),
        Markup.length(period.end.seconds - period.start.seconds),
      ]
    }
    let times = rows.count == 1 ? "1 time" : "\(rows.count) times"
    return details(
      "Suppressed: \(times) in which something other than motion changed the image",
      Markup.table(["Reason", "From", "To", "Length"], rows))
  }

  private func gaps(_ report: Detection.Report) -> String {
    guard !report.gaps.isEmpty else { return "" }
    let rows = report.gaps.map { gap in
      [gap.seconds.map { Markup.clock($0) } ?? "–", "\(gap.frameNumber)", Markup.text(gap.reason)]
    }
    return details(
      rows.count == 1 ? "Damaged: 1 place" : "Damaged: \(rows.count) places",
      Markup.table(["Time", "Frame", "What"], rows))
  }

  // MARK: What it was made with

  private var settingsMarkup: String {
    var rows = [
      ("Threshold", "\(Markup.number(options.threshold)) % of the image"),
      ("Goes on at", "\(Markup.number(options.hysteresis * options.threshold)) %"),
      ("Least duration", "\(Markup.number(options.minimumDuration)) s"),
      ("Pauses up to", "\(Markup.number(options.mergeGap)) s belong to the event"),
      ("Before and after", "\(Markup.number(options.before)) s, \(Markup.number(options.after)) s"),
    ]
    if let longest = options.maximumDuration { rows.append(("Longest event", "\(Markup.number(longest)) s")) }
    let table = Markup.table(["Setting", "Value"], (rows + settings).map { [Markup.text($0.0), Markup.text($0.1)] })
    return details("Settings", table)
  }

  private func details(_ title: String, _ content: String) -> String {
    Markup.element("details", Markup.element("summary", text: title) + content)
  }

  private var footer: String {
    Markup.element("footer", text: "Made by rheo \(RheoVersion.number). Times are those of the video.")
  }

  static func fileName(_ path: String) -> String {
    path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
  }
}
