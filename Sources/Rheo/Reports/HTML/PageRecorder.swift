import FlowRendering
import Foundation
import Imaging
import MotionDetection
import VideoIO

/// Keeps what a page shows of one input, from what is told while it is searched. Used by one thread.
package struct PageRecorder {
  package private(set) var curve = ScoreCurve()
  /// JPEG images of the peaks, by the events' numbers.
  package private(set) var images: [Int: StoredBytes] = [:]
  /// A JPEG image of where things moved; nil when nothing did.
  package private(set) var heatMap: StoredBytes?
  private let store: ReportStore

  /// The longest side of the image of where things moved, in pixels.
  private static let heatMapSide = 960
  /// The longest side of an image of a peak, in pixels.
  private static let imageSide = 480

  /// Makes a recorder.
  /// - Parameter store: The store that keeps the images until the page is written.
  package init(store: ReportStore) { self.store = store }

  package mutating func note(_ update: Detection.Update) throws {
    switch update {
    case .frame(let frame): curve.append(frame)
    case .peak(let peak): images[peak.event] = try store.keep(peak.jpeg(maximumSide: Self.imageSide))
    case .heatMap(let map):
      heatMap = try store.keep(map.jpeg(maximumSide: Self.heatMapSide))
    case .started, .event: break
    }
  }
}

extension MotionHeatMap {
  /// Returns the map as a JPEG file, no larger than `maximumSide`.
  fileprivate func jpeg(maximumSide: Int) throws -> Data {
    let image = try image(longestSide: maximumSide)
    let frame = try VideoFrame(image: image, number: 0, presentationTime: frame.presentationTime)
    return try CanvasMaker(format: .rgb(image.size)).canvas(for: frame).jpeg()
  }
}

extension PeakImage {
  /// Returns the image as a JPEG file, upright, no larger than `maximumSide`, privacy zones black, with thin boxes
  /// around what travels.
  /// - Throws: ``MediaError``.
  package func jpeg(maximumSide: Int) throws -> Data {
    let canvas = try CanvasMaker(format: .rgb(size)).canvas(for: frame)
    // Before the reduction, which would mix what must not be seen into its neighbours.
    try canvas.withMutableImage { privacy?.blank($0) }
    let scale = min(1, Double(maximumSide) / Double(max(size.width, size.height)))
    let small = size.scaled(by: scale)
    let reduced = try canvas.resized(to: small)
    let renderer = try EventRenderer(size: small, lineScale: 2)
    let marks = boxes.map { box in
      BoundingBox(
        x: Double(box.x) * scale, y: Double(box.y) * scale, width: Double(box.width) * scale,
        height: Double(box.height) * scale)
    }
    try reduced.withMutableImage { try renderer.render(EventMarks(boxes: marks), over: $0) }
    return try reduced.jpeg()
  }
}
