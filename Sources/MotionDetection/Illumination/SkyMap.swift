// The map of the sky: what drifts there slowly, and is as bright or blue as it, is a cloud.

import Imaging

/// Finds the sky, which is bright or blue and joined to the top of the image by what is, and tells clouds from bodies.
/// Used by one thread.
///
/// A place in the sky alone tells nothing: somebody before a bright wall is darker than it in most places, and so is a
/// bird or a drone. The constants were chosen as those of ``GainResidual``.
struct SkyMap: Sendable {
  private let grid: CellGrid
  /// Boolean values that tell which cells are sky.
  private var isSky: [Bool]
  /// The luma from which on a cell is bright, in grey levels.
  private var brightLuma: Float = 0
  private var lastLook = -Double.infinity

  /// The share of the height of the image, from the top, that may be sky.
  private static let skyShare: Float = 0.6
  /// The time between two looks for the sky, in seconds.
  private static let interval = 0.5
  /// The minimum luma of what is bright, and of what is blue, in grey levels.
  private static let (minimumBrightLuma, minimumBlueLuma): (Float, Float) = (70, 50)
  /// The minimum blue difference, and the maximum red one, of what is blue, less those of grey.
  private static let (minimumBlue, maximumRed): (Float, Float) = (6, 2)
  /// The maximum speed of clouds, in longest sides of the image a second.
  private static let maximumSpeed: Float = 0.1
  /// The share of their change that a smooth gain leaves at most: clouds have 0.1 to 0.66, small bodies far away 0.8
  /// and more.
  private static let maximumResidual: Float = 0.7
  /// The minimum share of a cloud that is sky, in its darkest pixels, too.
  private static let minimumShare = 0.85
  /// The maximum speed, in longest sides a second, and the minimum share that is sky of what long averages see of a
  /// cloud behind a roof: all of it lies beside the sky.
  private static let (maximumEdgeSpeed, minimumEdgeShare): (Float, Double) = (0.03, 0.5)

  /// A frame.
  struct Frame {
    /// Its luma, of the grid's size.
    var image: Plane<Float>
    /// Its colour differences, a sample for each cell; nil: they are not known.
    var colors: ChrominancePlanes?
    var seconds: Double
    /// The time since the frame before, in seconds.
    var interval: Float
  }

  init(grid: CellGrid) {
    self.grid = grid
    isSky = Array(repeating: false, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() { lastLook = -.infinity }

  /// Returns whether a component of a frame is a cloud, or a part of one.
  /// - Parameter residual: The share of its change that no smooth gain explains, 0…1.
  mutating func isCloud(_ component: [MotionObservation.MovingCell], residual: Float, in frame: Frame) -> Bool {
    guard residual < Self.maximumResidual, frame.interval > 0, !component.isEmpty else { return false }
    let motion = component.meanMotion
    let side = Float(max(grid.size.width, grid.size.height))
    let speed = motion.length / (frame.interval * side)
    guard speed <= Self.maximumSpeed else { return false }
    if frame.seconds - lastLook >= Self.interval - 1e-6 { look(at: frame) }
    if share(of: component, in: frame, grid.minimum) >= Self.minimumShare { return true }
    guard speed <= Self.maximumEdgeSpeed, share(of: component, in: frame, grid.mean) >= Self.minimumEdgeShare else {
      return false
    }
    return component.allSatisfy { $0.lag > 0 && isBesideSky($0.cell) }
  }

  /// Returns the share of a component that is sky, by the luma that stands for each cell.
  private func share(
    of component: [MotionObservation.MovingCell], in frame: Frame, _ luma: (Int, Plane<Float>) -> Float
  ) -> Double {
    let count = component.count { moving in
      isSky[moving.cell] && isLight(moving.cell, luma: luma(moving.cell, frame.image), in: frame)
    }
    return Double(count) / Double(component.count)
  }

  /// Finds the sky, from the top down.
  private mutating func look(at frame: Frame) {
    lastLook = frame.seconds
    let luma = (0..<grid.count).map { grid.mean(of: $0, frame.image) }
    var sorted = luma
    brightLuma = max(sorted.nthElement(sorted.count / 2), Self.minimumBrightLuma)
    let skyCount = Int(Self.skyShare * Float(grid.rows)) * grid.columns
    let light = luma.indices.map { $0 < skyCount && isLight($0, luma: luma[$0], in: frame) }
    for cell in isSky.indices { isSky[cell] = cell < grid.columns && light[cell] }
    var front = isSky.indices.filter { isSky[$0] }
    while let cell = front.popLast() {
      grid.forEachNeighbor(of: cell) { neighbor in
        guard !isSky[neighbor], light[neighbor] else { return }
        isSky[neighbor] = true
        front.append(neighbor)
      }
    }
  }

  /// Returns whether a cell is bright or blue.
  private func isLight(_ cell: Int, luma: Float, in frame: Frame) -> Bool {
    if luma >= brightLuma { return true }
    guard let colors = frame.colors, luma >= Self.minimumBlueLuma else { return false }
    let (column, row) = (cell % grid.columns, cell / grid.columns)
    let (blue, red) = (colors.blueDifference[column, row] - 128, colors.redDifference[column, row] - 128)
    return blue >= Self.minimumBlue && red <= Self.maximumRed
  }

  private func isBesideSky(_ cell: Int) -> Bool {
    var isBeside = false
    grid.forEachNeighbor(of: cell) { isBeside = isBeside || isSky[$0] }
    return isBeside
  }
}
