// The search for known objects in a frame.

import FlowAnalysis
import Imaging

/// The search for objects in one frame: it hands out what stands out from the background, until nothing is left. The
/// constants were chosen on `vtest.avi`.
struct ObjectSearch {
  private let image: ObservedImage
  private let foreground: BitMask
  private let parts: [BitMask.Component]
  /// The number of the part of each pixel; -1: none.
  private let labels: [Int32]
  let sizes: SizeModel
  /// The foreground that no object has claimed yet.
  private(set) var rest: BitMask

  init(_ image: ObservedImage, foreground: BitMask, sizes: SizeModel) {
    self.image = image
    self.foreground = foreground
    self.sizes = sizes
    (parts, labels) = foreground.components()
    rest = foreground
  }

  private var size: PixelSize { image.luma.size }

  /// The share of its sides by which a part may lie outside of where an object is expected.
  private static let searchMargin = 0.12
  /// The share of a part, and of an object, that must be common to both for the part to belong to the object.
  private static let (partShare, objectShare) = (0.35, 0.2)
  /// The ratios of width and height to the usual ones with which a part is the object alone.
  private static let (widthRange, heightRange) = (0.55...1.6, 0.7...1.35)
  /// The number of frames for which an object is hidden from which on its place does not tell who comes out.
  private static let lostCount = 3
  /// The ratios with which a part is an object that has just begun.
  private static let youngRange = 0.5...2.5

  /// Finds objects that are known, and sets their sightings.
  mutating func sight(_ live: inout [TrackedObject]) {
    var links = live.map { parts(of: $0) }
    leaveToRecognition(&links, of: live)
    var claims = [Int](repeating: 0, count: parts.count)
    for link in links {
      for part in link { claims[part] += 1 }
    }
    var open: [Int] = []
    for index in live.indices.sorted(by: { live[$0].sightingCount > live[$1].sightingCount })
    where !links[index].isEmpty {
      if links[index].allSatisfy({ claims[$0] == 1 }), let box = aloneBox(of: live[index], links[index]) {
        live[index].sighting = .alone(box)
        clear(box)
      } else {
        open.append(index)
      }
    }
    // Who stands lower in the image is nearer and hides the others. Who does not look like it there may be behind: once
    // more, with what the others left.
    let order = open.sorted { live[$0].prediction.bottom > live[$1].prediction.bottom }
    for index in order + order where live[index].sighting == nil {
      guard let (box, fit) = placed(live[index]) else { continue }
      live[index].sighting = .placed(box, fit: fit)
      // The middle is taken; at the sides something may look out from behind.
      rest.clear(box.pixels(of: size, marginX: -0.15 * box.width))
    }
    for index in open {
      if let box = live[index].sighting?.box { clear(box) }
    }
  }

  /// Takes from objects that have been hidden for some time the parts that none expects who is seen: which of the
  /// hidden ones comes out there, their looks tell (see ``recognize(_:among:)``).
  private func leaveToRecognition(_ links: inout [[Int]], of live: [TrackedObject]) {
    let isLost = live.map { $0.missedCount > Self.lostCount }
    let expected = Set(links.indices.filter { !isLost[$0] }.flatMap { links[$0] })
    for index in links.indices where isLost[index] && expected.isDisjoint(with: links[index]) { links[index] = [] }
  }

  /// Takes the pixels of an object, and those at its edges.
  private mutating func clear(_ box: BoundingBox) { rest.clear(box.pixels(of: size, marginX: 2, marginY: 2)) }

  /// Returns the parts that lie where an object is expected.
  private func parts(of object: TrackedObject) -> [Int] {
    let expected = object.prediction
    let area = expected.pixels(
      of: size, marginX: Self.searchMargin * expected.width + 1, marginY: Self.searchMargin * expected.height + 1)
    var counts = [Int](repeating: 0, count: parts.count)
    for y in area.rows {
      for x in area.columns {
        let label = Int(labels[y * size.width + x])
        if label >= 0 { counts[label] += 1 }
      }
    }
    return parts.indices.filter { part in
      let count = Double(counts[part])
      return count > Self.partShare * Double(parts[part].area) || count > Self.objectShare * expected.area
    }
  }

  /// Returns the box of the parts of an object, if they look as large as the object; else they are more or less than
  /// it.
  private func aloneBox(of object: TrackedObject, _ chosen: [Int]) -> BoundingBox? {
    let expected = object.prediction
    // Glass and paint of the background's brightness do not stand out: several parts together have the usual size.
    if let first = chosen.first, !object.isYoung {
      let all = chosen.reduce(parts[first].box) { $0.union(parts[$1].box) }
      // Where objects have a usual height, two of it side by side are two objects.
      let isUsual = sizes.height(foot: all.bottom).map { Self.heightRange.contains(all.height / $0) } ?? false
      if !isUsual, Self.unionRange.contains(all.width / object.size.x),
        Self.unionRange.contains(all.height / object.size.y)
      {
        return all
      }
    }
    func likeness(_ part: Int) -> Double {
      let box = parts[part].box
      let ratio = box.height / object.size.y
      let distance = abs(box.center.x - expected.center.x) / object.size.x
      return Double(parts[part].area) / (1 + distance * distance) * min(ratio, 1 / ratio)
    }
    guard let main = chosen.max(by: { likeness($0) < likeness($1) }) else { return nil }
    var whole = parts[main].box
    // Head, body and feet lie above each other; what lies beside is another object.
    for part in chosen where part != main {
      let other = parts[part].box
      guard whole.commonWidth(other) > 0.5 * min(whole.width, other.width),
        other.y < expected.bottom + 0.1 * expected.height
      else { continue }
      whole = whole.union(other)
    }
    let (widthRatio, heightRatio) = (whole.width / object.size.x, whole.height / object.size.y)
    // What comes into view or leaves it may grow and shrink as it likes.
    if object.isCut, min(widthRatio, heightRatio) >= Self.youngRange.lowerBound || whole.touchesBorder(of: size) {
      return whole
    }
    if object.isYoung, Self.youngRange.contains(widthRatio), Self.youngRange.contains(heightRatio) { return whole }
    if Self.heightRange.contains(heightRatio), Self.widthRange.contains(widthRatio) { return whole }
    // The track had more than one, which have parted; this is the one that looks like it.
    if Self.partedHeightRange.contains(heightRatio), Self.partedWidthRange.contains(widthRatio) { return whole }
    // The track had only a part of it, and here is one object of the usual size.
    if let usual = sizes.height(foot: whole.bottom), whole.height < 1.15 * usual, whole.width < 0.7 * usual,
      widthRatio > Self.widthRange.lowerBound, heightRatio > Self.heightRange.lowerBound
    {
      return whole
    }
    return nil
  }

  /// The ratios with which several parts are the object alone.
  private static let unionRange = 0.75...1.25
  /// The ratios with which a part is one of those that a track began with.
  private static let (partedWidthRange, partedHeightRange) = (0.3...0.55, 0.8...1.25)

  /// The maximum distance from where an object is expected, as a share of its width, and the number of steps on it.
  private static let (searchReach, searchSteps) = (0.35, 6)
  /// The minimum share of a box that stands out and is not taken by something nearer.
  private static let minimumFill = 0.22
  /// The difference of the looks, in grey levels, above which it is something else, and that which costs as much as a
  /// box's whole area.
  private static let (maximumDistance, distanceScale) = (45.0, 30.0)
  /// The difference above which it is something else than an object that was hidden for some time.
  private static let lostDistance = 30.0
  /// The weight of the squared distance from where it is expected, in shares of the maximum distance.
  private static let wayWeight = 0.15

  /// Lays the usual box of an object where it fits best.
  private func placed(_ object: TrackedObject) -> (BoundingBox, fit: Double)? {
    let expected = object.prediction
    let reach = max(4, Self.searchReach * expected.width)
    let counts = BitMask.Counts(rest, in: expected.pixels(of: size, marginX: reach + 1, marginY: reach + 1))
    let step = max(1, reach / Double(Self.searchSteps))
    let (columns, rows) = (Int(reach / step), Int(0.6 * reach / step))
    var best: (box: BoundingBox, score: Double, fill: Double, distance: Double)?
    for row in -rows...rows {
      for column in -columns...columns {
        let (dx, dy) = (Double(column) * step, Double(row) * step)
        var box = expected
        (box.x, box.y) = (box.x + dx, box.y + dy)
        let fill = Double(counts.count(box.pixels(of: size))) / box.area
        guard fill > Self.minimumFill else { continue }
        let distance = object.appearance.distance(image, rest, box)
        let score =
          fill - distance / Self.distanceScale - Self.wayWeight * (dx * dx + dy * dy) / (reach * reach)
        if score > best?.score ?? -.infinity { best = (box, score, fill, distance) }
      }
    }
    let limit = object.missedCount > Self.lostCount ? Self.lostDistance : Self.maximumDistance
    guard let best, best.distance < limit else { return nil }
    let likeness = 1 - best.distance / Self.maximumDistance
    return (best.box, min(1, 2 * best.fill) * likeness)
  }

  /// The distance from its way within which a hidden object is recognised, as a share of its sides, and that by which
  /// it grows with each frame in which it was hidden.
  private static let (recognitionReach, recognitionGrowth) = (0.6, 0.04)
  /// The cost of being at the beginning of its way instead of the end.
  private static let delayCost = 0.3

  /// Gives boxes that are left over to objects that were hidden and look like them, near where those were heading, so
  /// that all together fit best.
  /// - Returns: The numbers of the boxes that belong to one. If too little of it is seen yet, it is not sighted, but
  ///   nothing else begins there either.
  func recognize(_ boxes: [BoundingBox], among live: inout [TrackedObject]) -> Set<Int> {
    let hidden = live.indices.filter { live[$0].isHidden }
    var pairs: [LinearAssignment.Pair] = []
    for (row, object) in hidden.enumerated() {
      for (column, box) in boxes.enumerated() {
        guard let cost = recognitionCost(of: live[object], at: box) else { continue }
        pairs.append(.init(row: row, column: column, cost: cost))
      }
    }
    guard !pairs.isEmpty else { return [] }
    let assignment = LinearAssignment(
      rowCount: hidden.count, columnCount: boxes.count, pairs: pairs, aloneCost: 10)
    var claimed: Set<Int> = []
    for (row, column) in assignment.columns.enumerated() {
      guard let column else { continue }
      claimed.insert(column)
      if isWhole(boxes[column], live[hidden[row]]) { live[hidden[row]].sighting = .alone(boxes[column]) }
    }
    for pair in pairs where live[hidden[pair.row]].isHidden { claimed.insert(pair.column) }
    return claimed
  }

  /// Returns how far a box is from where a hidden object was heading and from its looks; nil where it is not the
  /// object, or part of it.
  private func recognitionCost(of object: TrackedObject, at box: BoundingBox) -> Double? {
    let reach = Self.recognitionReach + Self.recognitionGrowth * Double(object.missedCount)
    // It may have gone on, or waited behind what hides it.
    let way = object.hiddenMotion * Double(object.missedCount)
    let come = box.center - object.lastCenter
    let progress = min(max((come * way).sum() / max((way * way).sum(), 1e-6), 0), 1)
    let away = come - progress * way
    let share = SIMD2(away.x / (reach * object.size.x), away.y / (reach * object.size.y))
    guard abs(share.x) <= 1, abs(share.y) <= 1, box.width <= Self.widthRange.upperBound * object.size.x,
      box.height <= Self.heightRange.upperBound * object.size.y
    else { return nil }
    let distance = object.appearance.distance(image, rest, box)
    // Who waited is rarer than who went on, and somebody else may be on the long way between.
    guard distance < Self.lostDistance + (Self.maximumDistance - Self.lostDistance) * progress else { return nil }
    return share.length + distance / Self.maximumDistance + Self.delayCost * (1 - progress)
  }

  private func isWhole(_ box: BoundingBox, _ object: TrackedObject) -> Bool {
    Self.widthRange.contains(box.width / object.size.x) && Self.heightRange.contains(box.height / object.size.y)
  }

  /// Returns the looks of what stands out in a box.
  func appearance(_ box: BoundingBox) -> ObjectAppearance { ObjectAppearance(image, foreground, box) }
}

extension BoundingBox {
  /// Returns whether it may be cut off by the border of an image.
  func touchesBorder(of size: PixelSize) -> Bool {
    x <= 2 || y <= 2 || right >= Double(size.width) - 2 || bottom >= Double(size.height) - 2
  }
}
