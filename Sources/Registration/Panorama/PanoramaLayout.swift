// The geometry of a panorama: the points of its images that its pixels show.

import Imaging

/// An image of a panorama, and the map from the panorama's pixels to its own.
public struct PlacedImage: Sendable {
  /// The number of the image in the set.
  public let index: Int
  /// The size of the image in pixels.
  public let size: PixelSize
  /// The rectangle of the panorama outside of which the image shows nothing.
  public let bounds: PixelRect
  /// The map from g (see `PanoramaSurface`) to homogeneous pixels of the image.
  fileprivate let matrix: Homography

  /// Returns the nearness of a point to the middle of the image: 1 there, 0 at the borders (Brown & Lowe 2007, section
  /// 7).
  public func centrality(_ position: SIMD2<Double>) -> Double {
    let x = min(position.x + 0.5, Double(size.width) - 0.5 - position.x) / Double(size.width)
    let y = min(position.y + 0.5, Double(size.height) - 0.5 - position.y) / Double(size.height)
    return 4 * max(x, 0) * max(y, 0)
  }

  /// Returns whether a point lies inside the image.
  public func contains(_ position: SIMD2<Double>) -> Bool {
    // A few thousandths beyond the outermost centres: rounding must not push an image's own border outside.
    position.x >= -0.01 && position.y >= -0.01 && position.x <= Double(size.width) - 0.99
      && position.y <= Double(size.height) - 0.99
  }
}

/// The geometry of a panorama. A value.
public struct PanoramaLayout: Sendable {
  /// The size of the panorama in pixels.
  public let size: PixelSize
  /// The projection that the images are painted on.
  public let projection: PanoramaProjection
  /// The number of pixels of the panorama per pixel of the central image, at its middle.
  public let scale: Double
  /// The images that are in, in ascending order of their numbers in the set.
  public let images: [PlacedImage]
  /// The part of g (see `PanoramaSurface`) that each column gives; `rows` holds that of each row.
  private let columns: [SIMD2<Double>]
  private let rows: [SIMD2<Double>]

  /// Calls `body` with each column of `range` of the row `y` and the point of the image that is seen there; points in
  /// front of the camera only, also outside of the image.
  @inline(__always)
  public func forEachPosition(
    of image: PlacedImage, row y: Int, columns range: Range<Int>, _ body: (Int, SIMD2<Double>) -> Void
  ) {
    let e = image.matrix.elements
    let row = rows[y]
    let base = SIMD3(e[1], e[4], e[7]) * row.x
    let across = SIMD3(e[0], e[3], e[6])
    let depth = SIMD3(e[2], e[5], e[8]) * row.y
    for x in range {
      let column = columns[x]
      let p = base + across * column.x + depth * column.y
      guard p.z > 0 else { continue }
      body(x, SIMD2(p.x, p.y) / p.z)
    }
  }

  /// Returns the same panorama with one pixel for each `step × step` pixels.
  public func reduced(by step: Int) -> PanoramaLayout {
    PanoramaLayout(
      surface: surface, origin: origin, perUnit: perUnit, step: step,
      size: PixelSize(width: (size.width + step - 1) / step, height: (size.height + step - 1) / step),
      matrices: images.map { ($0.index, $0.size, $0.matrix) })
  }

  // MARK: Making

  private let surface: PanoramaSurface
  /// The surface's point at the upper left pixel.
  private let origin: SIMD2<Double>
  /// The number of pixels per unit of the surface.
  private let perUnit: Double

  init(
    surface: PanoramaSurface, origin: SIMD2<Double>, perUnit: Double, step: Int, size: PixelSize,
    matrices: [(index: Int, size: PixelSize, matrix: Homography)]
  ) {
    self.surface = surface
    self.origin = origin
    self.perUnit = perUnit
    self.size = size
    projection = surface.projection
    scale = perUnit / surface.unit
    func table(_ count: Int, _ start: Double, isAlongX: Bool) -> [SIMD2<Double>] {
      (0..<count).map { index in
        let middle = (Double(index) + 0.5) * Double(step) - 0.5
        let parts = surface.parts(start + middle / perUnit, isAlongX: isAlongX)
        return SIMD2(parts.own, parts.depth)
      }
    }
    // On the side along which there is no angle the depth is 1; their product is g's third component.
    let columns = table(size.width, origin.x, isAlongX: true)
    let rows = table(size.height, origin.y, isAlongX: false)
    self.columns = columns
    self.rows = rows
    images = matrices.map { index, imageSize, matrix in
      let extent = SurfaceExtent(of: imageSize, matrix: matrix, on: surface)
      return PlacedImage(
        index: index, size: imageSize,
        bounds: extent.pixels(origin: origin, perUnit: perUnit, step: step, in: size), matrix: matrix)
    }
  }
}

/// The part of a surface that an image shows.
struct SurfaceExtent {
  var low = SIMD2(repeating: Double.infinity)
  var high = SIMD2(repeating: -Double.infinity)
  /// A Boolean value that tells whether some of the image lies behind the plane.
  var isBehind = false

  /// The number of points of a side of the border that are looked at; chosen by hand.
  private static let borderCount = 64

  init() {}

  init(of size: PixelSize, matrix: Homography, on surface: PanoramaSurface) {
    guard let inverse = matrix.linearInverse else {
      isBehind = true
      return
    }
    let (right, bottom) = (Double(size.width - 1), Double(size.height - 1))
    for step in 0...Self.borderCount {
      let t = Double(step) / Double(Self.borderCount)
      for position in [(t * right, 0), (t * right, bottom), (0, t * bottom), (right, t * bottom)] {
        if let point = surface.point(inverse.applyHomogeneous(SIMD3(position.0, position.1, 1))) {
          include(SIMD2(point.x, point.y))
        } else {
          isBehind = true
        }
      }
    }
    // An image that shows both sides of where the cylinder is cut open.
    guard surface.projection == .cylinder else { return }
    if surface.isLying, high.y - low.y > .pi { (low.y, high.y) = (-.pi, .pi) }
    if !surface.isLying, high.x - low.x > .pi { (low.x, high.x) = (-.pi, .pi) }
  }

  mutating func include(_ point: SIMD2<Double>) {
    low = SIMD2(min(low.x, point.x), min(low.y, point.y))
    high = SIMD2(max(high.x, point.x), max(high.y, point.y))
  }

  mutating func include(_ other: SurfaceExtent) {
    include(other.low)
    include(other.high)
    isBehind = isBehind || other.isBehind
  }

  /// The pixels of a panorama that may show it.
  func pixels(origin: SIMD2<Double>, perUnit: Double, step: Int, in size: PixelSize) -> PixelRect {
    guard !isBehind, low.x <= high.x else { return PixelRect(whole: size) }
    let first = (low - origin) * perUnit / Double(step)
    let last = (high - origin) * perUnit / Double(step)
    let (x, y) = (max(Int(first.x.rounded(.down)) - 1, 0), max(Int(first.y.rounded(.down)) - 1, 0))
    let right = min(Int(last.x.rounded(.up)) + 2, size.width)
    let bottom = min(Int(last.y.rounded(.up)) + 2, size.height)
    return PixelRect(x: x, y: y, width: max(right - x, 0), height: max(bottom - y, 0))
  }
}
