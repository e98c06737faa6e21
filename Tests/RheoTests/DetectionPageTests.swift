import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import Rheo

/// The elements of a page, as an XML parser sees them.
private final class PageReader: NSObject, XMLParserDelegate {
  private(set) var elements: [(name: String, attributes: [String: String])] = []
  private(set) var texts: [String] = []
  private(set) var styles = ""
  private var open: [String] = []

  /// - Throws: What the parser says of markup that is not well-formed.
  init(_ page: String) throws {
    super.init()
    let parser = XMLParser(data: Data(page.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append((name, attributes))
    open.append(name)
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if open.last == "style" { styles += text } else { texts.append(text) }
  }

  func count(_ name: String, class kind: String? = nil) -> Int {
    elements.count { $0.name == name && (kind == nil || $0.attributes["class"] == kind) }
  }
}

extension DetectionPage {
  fileprivate func markup() throws -> String {
    var text = ""
    try write { text += $0 }
    return text
  }
}

@Suite struct DetectionPageTests {
  private let store = ReportStore()

  private func position(_ frame: Int) -> FrameTimestamp {
    FrameTimestamp(frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, 10)))
  }

  private func event(_ number: Int, _ frames: ClosedRange<Int>, u: Double = 2, v: Double = 0, zones: [String] = [])
    -> MotionEvent
  {
    var detector = EventDetector(zones: .everywhere, parameters: EventParameters())
    var events: [MotionEvent] = []
    for frame in 0...40 {
      let motion = ZoneMotion(
        score: (10...14).contains(frame) ? 3 : 0, moving: 0, age: 0, u: u, v: v,
        boxes: [MotionBox(x: 5, y: 6, width: 70, height: 80)])
      events += detector.append(
        FrameStatistics(frame: frame, time: position(frame).time, state: .normal, lightShare: 0, zones: [motion]))
    }
    var event = events[0]
    (event.number, event.start, event.end, event.zones) = (
      number, position(frames.lowerBound), position(frames.upperBound), zones
    )
    return event
  }

  /// A report with two events, of which the second has a clip, two suppressed periods and a gap.
  private func section(_ input: String, folder: String = "/home/a/clips") throws -> DetectionPage.Section {
    var report = Detection.Report(
      source: .init(file: input, width: 640, height: 360, frameRate: 10), frames: 300,
      events: [event(1, 10...30, zones: ["<door> & \"gate\""]), event(2, 100...190)],
      suppressed: [
        SuppressedPeriod(start: position(40), end: position(60), reason: .lighting),
        SuppressedPeriod(start: position(70), end: position(70), reason: .cut),
      ], gaps: [MediaGap(seconds: 22, frameNumber: 220, reason: "error <1> & more")])
    report.files[2] = EventFiles()
    report.files[2]?.clip = folder + "/a b#1%.mp4"
    var curve = ScoreCurve()
    for frame in 0..<300 {
      curve.append(
        FrameStatistics(
          frame: frame, time: position(frame).time, state: .normal, lightShare: 0,
          zones: [ZoneMotion(score: Double(frame % 50) / 10, moving: 0, age: 0, u: 0, v: 0, boxes: [])]))
    }
    return DetectionPage.Section(
      outcome: DetectionOutcome(report), curve: curve, images: [2: try store.keep(Data([0xFF, 0xD8, 0xFF]))])
  }

  private static let hostile = "/tmp/<b>\"x\" & 'y'\u{1}]]> --> &amp;.mp4"

  @Test func aPageSaysThatItLoadsNothingFromElsewhere() throws {
    let markup = try DetectionPage([section("a.mp4")], options: EventParameters(), folder: "/home/a").markup()
    let page = try PageReader(markup)
    let policy = try #require(page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
    let rules = try #require(policy.attributes["content"]).components(separatedBy: "; ")
    #expect(rules.contains("default-src 'none'") && rules.contains("img-src data:"), "\(rules)")
    #expect(!rules.contains { $0.contains("http") || $0.contains("*") || $0.hasPrefix("script-src") })
  }

  @Test(arguments: [1, 3]) func aPageIsWellFormedAndNeedsNothingElse(count: Int) throws {
    var sections = try (0..<count).map { _ in try section(Self.hostile) }
    if count > 1 {
      sections[1] = .init(
        outcome: DetectionOutcome(input: Self.hostile, failure: "<broken> & \"bad\""), curve: ScoreCurve(),
        images: [:])
    }
    let text = try DetectionPage(
      sections, options: EventParameters(), folder: "/home/a", settings: [("<a>", "&b")]
    ).markup()
    let page = try PageReader(text)
    let read = count == 1 ? 1 : 2
    #expect(page.count("article") == 2 * read)
    #expect(page.count("figure", class: "timeline") == read && page.count("video") == read)
    #expect(page.count("rect", class: "lighting") == read && page.count("rect", class: "cut") == read)
    #expect(page.count("path", class: "gap") == read)
    #expect(page.count("script") == 0 && page.count("link") == 0)
    #expect(!text.contains("http:") && !text.contains("https:") && !page.styles.contains("url("))
    let anchors = page.elements.compactMap { $0.attributes["id"] }
    #expect(Set(anchors).count == anchors.count)
    for (name, attributes) in page.elements {
      #expect(!attributes.keys.contains { $0.hasPrefix("on") }, "\(name)")
      for address in ["href", "src", "poster"].compactMap({ attributes[$0] }) {
        let isKnown =
          address.hasPrefix("#")
          ? anchors.contains(String(address.dropFirst()))
          : address.hasPrefix("data:image/jpeg;base64,") || address == "clips/a%20b%231%25.mp4"
        #expect(isKnown, "\(name): \(address)")
      }
    }
    let words = page.texts.joined()
    #expect(words.contains("<b>\"x\" & 'y'\u{FFFD}]]> --> &amp;.mp4") && words.contains("<door> & \"gate\""))
    #expect(words.contains("error <1> & more") && (count == 1 || words.contains("<broken> & \"bad\"")))
  }

  @Test func imagesClipsAndDrawingsAreShown() throws {
    var section = try section("yard.mp4")
    section.images[1] = nil
    var page = try PageReader(DetectionPage([section], options: EventParameters(), folder: "/home/a/pages").markup())
    let video = try #require(page.elements.first { $0.name == "video" }).attributes
    #expect(video["src"] == "../clips/a%20b%231%25.mp4" && video["poster"] == "data:image/jpeg;base64,/9j/")
    #expect(page.count("img") == 0)
    // Without an image of the peak: where its box was.
    #expect(
      page.elements.contains { $0.name == "rect" && $0.attributes["width"] == "70" && $0.attributes["class"] == nil })
    section.images[1] = try store.keep(Data([1]))
    page = try PageReader(DetectionPage([section], options: EventParameters(), folder: "/").markup())
    #expect(page.elements.first { $0.name == "img" }?.attributes["src"] == "data:image/jpeg;base64,AQ==")
    let words = page.texts.joined()
    #expect(words.contains("0:10.0 – 0:19.0") && words.contains("right, 20 px/s"))
  }

  @Test func nothingIsAPageToo() throws {
    let report = Detection.Report(
      source: .init(file: "a.mp4", width: 0, height: 0), frames: 0, events: [], suppressed: [], gaps: [])
    let empty = DetectionPage.Section(outcome: DetectionOutcome(report), curve: ScoreCurve(), images: [:])
    let page = try PageReader(DetectionPage([empty], options: EventParameters(), folder: "").markup())
    #expect(page.count("article") == 0 && page.texts.contains("Nothing travelled through the image."))
  }

  @Test(arguments: [10, 1024, 1025, 100_000]) func aCurveKeepsTheHighestScoresOfAnyLength(count: Int) {
    var curve = ScoreCurve()
    for frame in 0..<count {
      let score = frame == count / 3 ? 50 : Double(frame % 7)
      curve.append(
        FrameStatistics(
          frame: frame, time: position(frame).time, state: .normal, lightShare: 0,
          zones: [
            ZoneMotion(score: score, moving: 0, age: 0, u: 0, v: 0, boxes: []),
            ZoneMotion(score: score / 2, moving: 0, age: 0, u: 0, v: 0, boxes: []),
          ]))
    }
    #expect(curve.points.count <= 1024 && curve.points.count >= min(count, 512))
    #expect(curve.maximum == 50 && curve.start == 0 && curve.end == Double(count - 1) / 10)
    let peak = curve.points.lastIndex { $0.seconds <= Double(count / 3) / 10 }!
    #expect(curve.points[peak].score == 50)
    #expect(curve.points.count { $0.score == 50 } == 1)
    #expect(zip(curve.points, curve.points.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
  }

  @Test func numbersReadWell() {
    #expect([0.05, 3, 12.345, -0.001, -1.5, .nan].map(Markup.number) == ["0.05", "3", "12.35", "0", "−1.5", "–"])
    #expect(
      [0, 7.44, 59.97, 3600, 4327.4].map { Markup.clock($0) } == [
        "0:00.0", "0:07.4", "1:00.0", "1:00:00.0", "1:12:07.4",
      ])
    #expect(Markup.clock(65, tenths: false) == "1:05")
    #expect([4.88, 59.96, 154, 3900].map(Markup.length) == ["4.9 s", "1 min 0 s", "2 min 34 s", "1 h 5 min"])
    #expect(
      [0, 44, 90, 180, -180, -90, -22].map { MotionEvent.words($0) }
        == ["right", "down right", "down", "left", "left", "up", "right"])
    #expect(PageLink.relative("a/b.mp4", from: "a") == "b.mp4")
    #expect(PageLink.relative("/x/ä.mp4", from: "/x/y/z") == "../../%C3%A4.mp4")
  }
}
