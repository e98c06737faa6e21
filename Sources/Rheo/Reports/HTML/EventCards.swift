// The events of one input, each with its image or its clip.

import Foundation
import Imaging
import MotionDetection

/// A list of cards.
struct EventCards {
  let report: Detection.Report
  let images: [Int: StoredBytes]
  /// The folder that the page lies in.
  let folder: String
  /// The text before the events' numbers in the page's anchors.
  let anchor: String

  /// Writes one card after the other, so that one image is in memory at a time.
  func write(to put: (String) throws -> Void) throws {
    guard !report.events.isEmpty else {
      return try put(Markup.element("p", ["class": "none"], text: "Nothing travelled through the image."))
    }
    try Markup.nest("div", ["class": "events"], put) {
      for event in report.events { try put(card(event) + "\n") }
    }
  }

  private func card(_ event: MotionEvent) throws -> String {
    let zones = event.zones.map { Markup.element("span", ["class": "zone"], text: $0) }.joined()
    let head = Markup.element("h3", "Event \(event.number)" + zones)
    let times =
      Markup.element("strong", text: "\(Markup.clock(event.start.seconds)) – \(Markup.clock(event.end.seconds))")
      + Markup.element("span", ["class": "soft"], text: Markup.length(event.duration))
    let facts = [
      ("Peak", Markup.text("\(Markup.number(event.peakScore)) % at \(Markup.clock(event.peak.seconds))")),
      ("Direction", direction(event)),
      ("Frames", Markup.text("\(event.start.frame) – \(event.end.frame)")),
    ]
    let list = facts.map { Markup.element("div", Markup.element("dt", text: $0) + Markup.element("dd", $1)) }.joined()
    let files = report.files[event.number]
    let links = [("Clip", files?.clip), ("Image", files?.snapshot)].compactMap { name, path in
      path.map { Markup.element("a", ["href": PageLink.relative($0, from: folder)], text: name) }
    }
    let words =
      head + Markup.element("p", ["class": "times"], times) + Markup.element("dl", list)
      + (links.isEmpty ? "" : Markup.element("p", ["class": "links"], links.joined()))
    return Markup.element(
      "article", ["id": "\(anchor)\(event.number)"], try view(event, files?.clip) + Markup.element("div", words))
  }

  /// Returns the clip behind the image of the peak, the image alone, or a drawing of where the boxes were.
  private func view(_ event: MotionEvent, _ clip: String?) throws -> String {
    let image = try images[event.number].map { "data:image/jpeg;base64,\(try $0.bytes().base64EncodedString())" }
    let name = "Event \(event.number) at its peak"
    let shape = "--shape:\(max(report.source.width, 1))/\(max(report.source.height, 1))"
    if let clip {
      return Markup.element(
        "video",
        [
          "controls": "controls", "preload": image == nil ? "metadata" : "none", "playsinline": "playsinline",
          "muted": "muted", "loop": "loop", "poster": image, "style": shape, "aria-label": name,
          "src": PageLink.relative(clip, from: folder),
        ], "")
    }
    if let image {
      return Markup.element("img", ["src": image, "alt": name, "style": shape, "loading": "lazy"], nil)
    }
    let boxes = event.boxes.filter { $0.frame == event.peak.frame }.map(\.box).map { box in
      Markup.element(
        "rect", ["x": "\(box.x)", "y": "\(box.y)", "width": "\(box.width)", "height": "\(box.height)"], nil)
    }
    return Markup.element(
      "svg",
      [
        "viewBox": "0 0 \(report.source.width) \(report.source.height)", "style": shape, "role": "img",
        "aria-label": "Where motion was in event \(event.number) at its peak",
      ], boxes.joined())
  }

  /// Returns an event's direction as an arrow and words, with its speed.
  private func direction(_ event: MotionEvent) -> String {
    guard let words = event.directionName else { return Markup.text("to and fro, or all around") }
    let speed = event.speed
    let degrees = event.directionDegrees
    let arrow = Markup.element(
      "svg",
      ["class": "arrow", "viewBox": "-8 -8 16 16", "aria-hidden": "true"],
      Markup.element(
        "path", ["d": "M-6 0H5M1 -4L5 0L1 4", "transform": "rotate(\(Markup.coordinate(degrees)))"], nil))
    let rate = report.source.frameRate.map { "\(Markup.number((speed * $0).rounded())) px/s" }
    return arrow + Markup.text("\(words), \(rate ?? Markup.number(speed) + " px a frame")")
  }
}

/// Addresses of files beside a page.
enum PageLink {
  private static let allowed: CharacterSet = {
    var set = CharacterSet(charactersIn: "-._~/")
    for range in [("a", "z"), ("A", "Z"), ("0", "9")] as [(Unicode.Scalar, Unicode.Scalar)] {
      set.insert(charactersIn: range.0...range.1)
    }
    return set
  }()

  /// Returns the address of a file as seen from a page.
  /// - Parameters:
  ///   - path: The path of the file; relative ones belong to the working folder.
  ///   - folder: The folder that the page lies in.
  static func relative(_ path: String, from folder: String) -> String {
    RelativePath.path(path, from: folder).addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
  }
}
