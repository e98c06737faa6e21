// The images of a set, and which of them lie on which others.

import Imaging

/// The registration of one image of a set with another.
public struct ImageLink: Sendable, Hashable {
  /// The number of the reference image in its set.
  public var reference: Int
  /// The number of the floating image in its set.
  public var floating: Int
  /// Maps pixels of the floating image to pixels of the reference.
  public var map: Homography
  /// The confidence of the registration, 0…1.
  public var confidence: Double

  /// A registration as an edge between two images.
  public init(reference: Int, floating: Int, map: Homography, confidence: Double) {
    self.reference = reference
    self.floating = floating
    self.map = map
    self.confidence = confidence
  }
}

/// Images, and the registrations that tie them together.
package struct ImageGraph: Sendable {
  /// The number of images in the set, whether tied or not.
  package let count: Int
  /// All registrations, in the order in which they were given.
  package let links: [ImageLink]
  /// The maximum spanning forest of the confidences (Kruskal 1956).
  package let tree: [ImageLink]
  /// The sets of images that are tied together, the largest first; each in ascending order.
  package let components: [[Int]]

  /// Ties images together: O(links · log links).
  package init(count: Int, links: [ImageLink]) {
    self.count = count
    self.links = links
    let order = links.indices.sorted {
      links[$0].confidence != links[$1].confidence ? links[$0].confidence > links[$1].confidence : $0 < $1
    }
    var roots = Array(0..<count)
    func root(_ index: Int) -> Int {
      var index = index
      while roots[index] != index { index = roots[index] }
      return index
    }
    var tree: [ImageLink] = []
    for link in order.map({ links[$0] }) {
      let (a, b) = (root(link.reference), root(link.floating))
      guard a != b else { continue }
      roots[max(a, b)] = min(a, b)
      tree.append(link)
    }
    self.tree = tree
    let groups = Dictionary(grouping: 0..<count, by: root)
    components = groups.values.sorted { $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0] }
  }

  /// Returns the image from which the others of a component are the fewest steps away along the tree; of several, the
  /// first.
  package func center(of component: [Int]) -> Int {
    let sums = component.map { start in steps(from: start).compactMap(\.self).reduce(0, +) }
    guard let minimum = sums.min(), let index = sums.firstIndex(of: minimum) else { return 0 }
    return component[index]
  }

  /// Returns the maps from the pixels of each image to those of `center`, along the tree; nil where no path leads.
  ///
  /// As linear maps of homogeneous coordinates they keep their sign: the third coordinate of what `center`'s camera
  /// sees in front of it is positive, even when an image looks the other way.
  package func placements(around center: Int) -> [Homography?] {
    var placements = [Homography?](repeating: nil, count: count)
    placements[center] = .identity
    visit(from: center) { from, to, map in placements[to] = placements[from].map { ($0 * map).scaledToUnit } }
    return placements
  }

  private func steps(from start: Int) -> [Int?] {
    var steps = [Int?](repeating: nil, count: count)
    steps[start] = 0
    visit(from: start) { from, to, _ in steps[to] = steps[from].map { $0 + 1 } }
    return steps
  }

  /// Follows the tree outwards; `body` gets each edge with the map from `to` to `from`.
  private func visit(from start: Int, _ body: (_ from: Int, _ to: Int, _ map: Homography) -> Void) {
    var neighbors = [[(index: Int, map: Homography)]](repeating: [], count: count)
    for link in tree {
      neighbors[link.reference].append((link.floating, link.map))
      if let inverse = link.map.linearInverse { neighbors[link.floating].append((link.reference, inverse)) }
    }
    var isSeen = [Bool](repeating: false, count: count)
    isSeen[start] = true
    var queue = [start]
    while let from = queue.first {
      queue.removeFirst()
      for next in neighbors[from] where !isSeen[next.index] {
        isSeen[next.index] = true
        body(from, next.index, next.map)
        queue.append(next.index)
      }
    }
  }
}

extension Homography {
  /// The inverse as a linear map, up to a positive factor; nil for maps that mirror or collapse the plane.
  var linearInverse: Homography? { determinant > 0 ? adjugate.scaledToUnit : nil }

  /// The same map times a positive factor that makes its upper left part of the order of one.
  var scaledToUnit: Homography {
    let length = (a * a + b * b + d * d + e * e).squareRoot()
    return length > 0 && length.isFinite ? divided(by: length) : self
  }

  /// Returns the image of (x, y, z), in homogeneous coordinates.
  func applyHomogeneous(_ p: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a * p.x + b * p.y + c * p.z, d * p.x + e * p.y + f * p.z, g * p.x + h * p.y + i * p.z)
  }

  /// Returns the image of a pixel; nil when it lies behind the other camera.
  public func project(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    let p = applyHomogeneous(SIMD3(x, y, 1))
    return p.z > 0 ? (p.x / p.z, p.y / p.z) : nil
  }
}

extension PixelSize {
  /// Returns the points of a grid over the image: the middles of `count × count` cells.
  func gridPoints(_ count: Int) -> [(x: Double, y: Double)] {
    let (stepX, stepY) = (Double(width) / Double(count), Double(height) / Double(count))
    return (0..<count * count).map { index in
      let (column, row) = (Double(index % count), Double(index / count))
      return (x: (column + 0.5) * stepX - 0.5, y: (row + 0.5) * stepY - 0.5)
    }
  }

  /// Returns whether a point lies between the outermost pixel centres.
  func contains(_ position: (x: Double, y: Double)) -> Bool {
    position.x >= 0 && position.y >= 0 && position.x <= Double(width - 1) && position.y <= Double(height - 1)
  }
}

extension Homography {
  /// Returns the share of a floating image that this map puts inside a reference.
  package func overlap(of floating: PixelSize, with reference: PixelSize) -> Double {
    let side = 16
    let inside = floating.gridPoints(side).count { position in
      project(position.x, position.y).map(reference.contains) ?? false
    }
    return Double(inside) / Double(side * side)
  }
}
