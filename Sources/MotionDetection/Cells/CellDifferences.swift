// The differences of two images, before any flow.

import Imaging

/// The differences of two images, cell by cell, that no change of light explains. A value: it depends on the two images
/// alone. The constants were chosen by hand.
struct CellDifferences: Sendable {
  let grid: CellGrid
  /// The variance of the previous image that no gain and offset explains by the current one, in squared grey levels.
  let unexplained: [Float]
  /// The variance of the previous image, in squared grey levels.
  let contrast: [Float]
  /// The mean luma of each cell of the previous image, in grey levels.
  let previousMeans: [Float]
  /// The mean luma of each cell of the current image, in grey levels.
  private(set) var means: [Float]
  /// The median of ``unexplained`` over the cells.
  let medianResidual: Float

  /// The variance above which a cell has texture, in squared grey levels.
  private static let minimumTexture: Float = 20
  /// The minimum change of a mean by light that disturbs the flow, in grey levels.
  private static let minimumIlluminationChange: Float = 2
  /// The minimum share of the cells, 0…1, whose light changes for the current image to be corrected.
  private static let minimumIlluminationShare = 0.2
  /// The minimum ``displacementShare`` where the camera begins to turn.
  private static let minimumDisplacementShare = 0.1

  /// Takes the comparison of two images.
  init(grid: CellGrid, _ comparison: CellComparison) {
    self.grid = grid
    unexplained = Array(comparison.unexplained.prefix(grid.count))
    contrast = Array(comparison.contrast.prefix(grid.count))
    var (previous, current) = ([Float](repeating: 0, count: grid.count), [Float](repeating: 0, count: grid.count))
    comparison.means(into: &previous, &current)
    (previousMeans, means) = (previous, current)
    medianResidual = Self.median(of: unexplained)
  }

  /// Takes over the means of the image as it was taken, where the compared one is in the light of the previous one.
  mutating func keepMeans(of original: CellDifferences) { means = original.means }

  /// Returns whether the previous image has texture in a cell.
  func isTextured(_ cell: Int) -> Bool { contrast[cell] > Self.minimumTexture }

  /// The share of the cells whose mean changed from image to image, 0…1.
  var illuminationChangeShare: Double {
    let changed = (0..<grid.count).count { abs(means[$0] - previousMeans[$0]) > Self.minimumIlluminationChange }
    return Double(changed) / Double(max(grid.count, 1))
  }

  /// Returns whether the light of so much changed, and in such a way, that the camera may have turned.
  /// - Parameter isTurning: It turned of late: one that is fast moves by more than the means tell of.
  func mayBeCamera(isTurning: Bool) -> Bool {
    illuminationChangeShare >= Self.minimumIlluminationShare
      && (isTurning || displacementShare >= Self.minimumDisplacementShare)
  }

  /// The share of the change of the means that one displacement of the whole image explains, 0…1: the least squares
  /// of Lucas and Kanade (1981), with all cells as the window. Half of it where a camera turns, next to nothing where
  /// a light changes.
  private var displacementShare: Double {
    var (xx, xy, yy, xt, yt, tt) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    func mean(_ cell: Int) -> Double { Double(means[cell] + previousMeans[cell]) / 2 }
    for row in 1..<max(grid.rows - 1, 1) {
      for cell in row * grid.columns + 1..<max((row + 1) * grid.columns - 1, row * grid.columns + 1) {
        let x = (mean(cell + 1) - mean(cell - 1)) / 2
        let y = (mean(cell + grid.columns) - mean(cell - grid.columns)) / 2
        let change = Double(means[cell] - previousMeans[cell])
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
        (xt, yt, tt) = (xt + x * change, yt + y * change, tt + change * change)
      }
    }
    // Stripes tell of one direction alone.
    let damping = 1e-3 * (xx + yy)
    (xx, yy) = (xx + damping, yy + damping)
    let determinant = xx * yy - xy * xy
    guard determinant > 0, tt > 0 else { return 0 }
    return (yy * xt * xt - 2 * xy * xt * yt + xx * yt * yt) / (determinant * tt)
  }

  /// A Boolean value that tells whether light alone explains half of the textured cells: otherwise another scene
  /// begins, or the camera moves.
  private var isOneScene: Bool {
    let textured = (0..<grid.count).filter(isTextured)
    return 2 * textured.count { unexplained[$0] <= 0.5 * contrast[$0] } >= textured.count
  }

  private var gains: IlluminationGainMap { IlluminationGainMap(grid: grid, previous: previousMeans, current: means) }

  /// Returns the current image in the light of the previous one; nil when it shows another scene, or the light changed
  /// in less than a fifth of the image. Flow takes what changes its brightness for something that moves.
  func illuminationCorrected(_ current: Plane<Float>) -> Plane<Float>? {
    illuminationChangeShare >= Self.minimumIlluminationShare && isOneScene ? gains.applied(to: current) : nil
  }

  /// The cells that a change of light makes brighter or darker.
  var illuminationChangedCells: [Bool] {
    let gains = gains
    return (0..<grid.count).map { abs(gains.factor(of: $0) - 1) * means[$0] > Self.minimumIlluminationChange }
  }

  private static func median(of differences: [Float]) -> Float {
    // A bin for each half grey level squared, up to 512: exact enough for a floor.
    var bins = [Int](repeating: 0, count: 1024)
    for difference in differences { bins[min(Int(difference * 2), bins.count - 1)] += 1 }
    var seen = 0
    for (bin, count) in bins.enumerated() where !differences.isEmpty {
      seen += count
      if 2 * seen >= differences.count { return (Float(bin) + 0.5) / 2 }
    }
    return 0
  }
}
