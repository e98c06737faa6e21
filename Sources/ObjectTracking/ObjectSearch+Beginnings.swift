// The objects that begin in a frame.

import FlowAnalysis
import Imaging

extension ObjectSearch {
  /// The share of an object's box below which what is left above or below it belongs to it. This and the other
  /// constants were chosen on `vtest.avi`.
  private static let absorbedShare = 0.35
  /// The share that may lie beside it instead of above or below.
  private static let absorbedShareBeside = 0.15
  /// The minimum share of a box that stands out, and the maximum ratio of its sides.
  private static let (minimumDensity, maximumRatio) = (0.25, 5.0)
  /// The range of the height of something new, as a multiple of the usual height at its foot.
  private static let newHeightRange = 0.5...1.6
  /// The range of the width of what may be more than one who walks, as a multiple of the usual one.
  private static let wideRange = 1.15...1.9
  /// The usual ratio of width to height of what a wide part consists of.
  private static let usualAspect = 0.45

  /// Returns the objects that begin in what is left of a frame.
  ///
  /// A part that looks like one of the known objects that are hidden becomes its sighting instead.
  /// - Parameter minimumArea: In pixels.
  func beginnings(
    besides live: inout [TrackedObject], minimumArea: Double, at timestamp: FrameTimestamp
  ) -> [TrackedObject] {
    let sighted = live.compactMap { $0.sighting?.box }
    let boxes = stacked(rest.components().parts).filter { part in
      let (box, area) = (part.box, Double(part.area))
      let ratio = max(box.width / box.height, box.height / box.width)
      return area >= minimumArea && area >= Self.minimumDensity * box.area && ratio <= Self.maximumRatio
        && !belongs(part, to: sighted)
    }.map(\.box)
    let known = recognize(boxes, among: &live)
    var found: [TrackedObject] = []
    for (index, box) in boxes.enumerated() where !known.contains(index) {
      let isCut = box.touchesBorder(of: rest.size)
      var count = 1
      if let usual = sizes.height(foot: box.bottom) {
        guard isCut || Self.newHeightRange.contains(box.height / usual) else { continue }
        // Several that came side by side.
        if box.width > 0.75 * usual, box.height > 0.7 * usual {
          count = max(1, Int((box.width / (Self.usualAspect * usual)).rounded()))
        }
      }
      for index in 0..<count {
        let width = box.width / Double(count)
        var piece = BoundingBox(x: box.x + Double(index) * width, y: box.y, width: width, height: box.height)
        if count == 1, !isCut { piece = densest(piece) }
        found.append(TrackedObject(piece, isCut: isCut, appearance: appearance(piece), at: timestamp))
      }
    }
    return found
  }

  /// Returns the columns of an upright box that are filled most, where it is wider than who walks: somebody behind may
  /// look out at a side. Who has but a long stride gets the whole box when next seen alone.
  private func densest(_ box: BoundingBox) -> BoundingBox {
    let width = Self.usualAspect * box.height
    guard Self.wideRange.contains(box.width / width) else { return box }
    let counts = BitMask.Counts(rest, in: box.pixels(of: rest.size))
    var best = (count: -1, box: box)
    for x in Int(box.x.rounded())...Int((box.right - width).rounded()) {
      let part = BoundingBox(x: Double(x), y: box.y, width: width, height: box.height)
      let count = counts.count(part.pixels(of: rest.size))
      if count > best.count { best = (count, part) }
    }
    return best.box
  }

  /// Joins parts that lie above each other, such as head, body and legs; the largest first.
  private func stacked(_ parts: [BitMask.Component]) -> [BitMask.Component] {
    var open = parts.sorted { $0.area > $1.area }
    var result: [BitMask.Component] = []
    while var part = open.first {
      open.removeFirst()
      while let index = open.firstIndex(where: { isStacked($0.box, part.box) }) {
        let other = open.remove(at: index)
        part.area += other.area
        part.box = part.box.union(other.box)
      }
      result.append(part)
    }
    return result
  }

  private func isStacked(_ one: BoundingBox, _ other: BoundingBox) -> Bool {
    guard one.isStacked(with: other) else { return false }
    let whole = one.union(other)
    return sizes.height(foot: whole.bottom).map { whole.height <= 1.3 * $0 } ?? true
  }

  /// Returns whether a part that is left over belongs to an object that was found.
  private func belongs(_ part: BitMask.Component, to boxes: [BoundingBox]) -> Bool {
    let owners = boxes.filter { $0.gap(to: part.box) <= 0.08 * $0.height + 2 }
    guard let owner = owners.max(by: { $0.area < $1.area }) else { return false }
    let share = part.box.area / owner.area
    return share < Self.absorbedShare && owner.commonWidth(part.box) > 0.3 * part.box.width
      || share < Self.absorbedShareBeside
  }
}
