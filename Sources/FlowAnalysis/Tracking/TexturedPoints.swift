// Points that can be followed: corners and texture.

import Imaging
import OpticalFlow

/// Finds points whose motion can be told in both directions.
///
/// Shi & Tomasi, "Good features to track", CVPR 1994, doi:10.1109/CVPR.1994.323794: local maxima of the smaller
/// eigenvalue of the structure tensor, the strongest first, none close to another.
public struct TexturedPoints: Sendable {
  /// The most points, 0 or more; the clearest are kept.
  public var maximumCount: Int
  /// The minimum distance between two points, in pixels.
  public var minimumDistance: Double
  /// Points whose eigenvalue is less than this share of the largest are left out, and those below ``faintTexture``.
  public var qualityLevel: Double

  /// The minimum eigenvalue, in squared grey levels per squared pixel, below which noise decides (see
  /// ``OpticalFlowObservation/minimumEigenvalue``).
  public static let faintTexture: Float = 1

  /// The side of the window, in pixels; chosen by hand. In a wide one the largest eigenvalue lies far inside of a
  /// corner.
  private static let windowSize = 7

  /// Ends the program for a negative count, a distance under 1 pixel, or a quality outside of 0…1.
  public init(maximumCount: Int, minimumDistance: Double = 12, qualityLevel: Double = 0.01) {
    precondition(maximumCount >= 0 && minimumDistance >= 1 && (0...1).contains(qualityLevel))
    self.maximumCount = maximumCount
    self.minimumDistance = minimumDistance
    self.qualityLevel = qualityLevel
  }

  /// The points of an image, the clearest first.
  /// - Parameters:
  ///   - image: Luma, 0…255.
  ///   - taken: Points that new ones keep away from.
  ///   - parallelism: The number of threads to use; changes no result.
  public func points(
    in image: Plane<Float>, awayFrom taken: [SIMD2<Double>] = [], parallelism: Parallelism = Parallelism()
  ) -> [SIMD2<Double>] {
    guard !image.size.isEmpty, maximumCount > 0 else { return [] }
    let engine = Self.engine(parallelism)
    return points(ofEigenvalue: engine.minimumEigenvalue(of: engine.prepare(image)), awayFrom: taken)
  }

  /// Returns the solver of the structure tensor. Its parameters are constants within their ranges: an error would be a
  /// mistake of this file.
  private static func engine(_ parallelism: Parallelism) -> LucasKanadeEngine {
    do {
      return try LucasKanadeEngine(
        parameters: LucasKanadeParameters(levels: 1, windowSize: windowSize), parallelism: parallelism)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the points of an image whose smaller eigenvalues are known.
  public func points(
    ofEigenvalue plane: Plane<Float>, awayFrom taken: [SIMD2<Double>] = []
  ) -> [SIMD2<Double>] {
    var grid = DistanceGrid(size: plane.size, distance: minimumDistance)
    for point in taken { _ = grid.insert(point) }
    var found: [SIMD2<Double>] = []
    for candidate in peaks(plane) where found.count < maximumCount {
      let point = SIMD2(Double(candidate.x), Double(candidate.y))
      if grid.insert(point) { found.append(point) }
    }
    return found
  }

  /// Local maxima, the strongest first; of equal ones the upper left one.
  private func peaks(_ plane: Plane<Float>) -> [(x: Int, y: Int, value: Float)] {
    plane.withView { view in
      var largest: Float = 0
      var found: [(x: Int, y: Int, value: Float)] = []
      for y in 0..<view.height {
        let (above, row, below) = (view.clampedRow(y - 1), view.row(y), view.clampedRow(y + 1))
        for x in 0..<view.width {
          let value = row[x]
          largest = value > largest ? value : largest
          let (left, right) = (max(x - 1, 0), min(x + 1, view.width - 1))
          // Not above a neighbour that comes before, and above no less than one that comes after: one peak a plateau.
          guard value > Self.faintTexture, y == 0 || (value > above[left] && value > above[x] && value > above[right]),
            x == 0 || value > row[left], x == right || value >= row[right],
            y == view.height - 1 || (value >= below[left] && value >= below[x] && value >= below[right])
          else { continue }
          found.append((x, y, value))
        }
      }
      let minimum = largest * Float(qualityLevel)
      return found.filter { $0.value >= minimum }.sorted { ($1.value, $0.y, $0.x) < ($0.value, $1.y, $1.x) }
    }
  }
}

/// Points in cells as wide as the distance that they keep.
private struct DistanceGrid {
  private let distance: Double
  private let columns: Int
  private let rows: Int
  private var cells: [[SIMD2<Double>]]

  init(size: PixelSize, distance: Double) {
    self.distance = distance
    columns = Int(Double(size.width) / distance) + 1
    rows = Int(Double(size.height) / distance) + 1
    cells = Array(repeating: [], count: columns * rows)
  }

  /// Takes a point unless another one is too close.
  mutating func insert(_ point: SIMD2<Double>) -> Bool {
    guard point.x.isFinite, point.y.isFinite, abs(point.x) < 1e9, abs(point.y) < 1e9 else { return false }
    let (column, row) = (Int((point.x / distance).rounded(.down)), Int((point.y / distance).rounded(.down)))
    guard (0..<columns).contains(column), (0..<rows).contains(row) else { return false }
    for y in max(row - 1, 0)...min(row + 1, rows - 1) {
      for x in max(column - 1, 0)...min(column + 1, columns - 1) {
        for other in cells[y * columns + x] {
          let (dx, dy) = (other.x - point.x, other.y - point.y)
          if dx * dx + dy * dy < distance * distance { return false }
        }
      }
    }
    cells[row * columns + column].append(point)
    return true
  }
}
