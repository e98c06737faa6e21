// What stands still in the image while the camera moves: clocks and names that are written over it.

import Imaging

/// Finds the cells that show the same as before although the camera turned. Used by one thread.
///
/// Without the camera's motion, what is written over the image would travel against it. The constants were chosen by
/// hand: what moves in the scene seldom looks the same in the same place after the camera has turned by two cells.
/// Before, it must be nearly the same, and would not be had it moved along.
struct OverlayMap: Sendable {
  private let grid: CellGrid
  private var comparer: CellComparer
  /// Images of before, the newest last.
  private var anchors: [Anchor] = []
  /// Boolean values that tell for each cell whether an overlay is there.
  private(set) var isOverlay: [Bool]
  /// The time at which each cell was last seen to show the same, in seconds.
  private var lastSeen: [Double]

  private struct Anchor: Sendable {
    var image: Plane<Float>
    /// The map from pixels of the image to those of the current one.
    var camera: Homography
  }

  /// The motion by the camera from which on a cell is compared with an image of before, in pixels.
  private static let minimumMotion = 3.0
  /// The motion of a corner by the camera after which another image is taken to be compared with, in pixels: digits
  /// change.
  private static let anchorMotion = 16.0
  /// The number of cells in a row of text within which others show the same, and the minimum number of these for a cell
  /// to be part of the overlay: it may have little of it, and the last digits of a clock change.
  private static let (textReach, textCount) = (3, 4)
  /// The number of cells around text that its flow reaches. Of people whom a camera follows a tenth is lost with it;
  /// two or three would take a fifth and more, and tell no more pans.
  private static let flowReach = 1
  /// The time for which an overlay stays one though it changes, in seconds: a clock goes on each second.
  private static let memoryInSeconds = 1.0
  /// The multiple of a cell's difference that it must have had from what the camera's motion would bring there.
  private static let movedFactor: Float = 4
  /// The motion by the camera from which on all of ``maximumShare`` may differ, in pixels: before, what the camera
  /// follows as well as it can differs by less.
  private static let fullMotion = 8.0
  /// The share of a cell's contrast that may differ.
  private static let maximumShare: Float = 0.3

  init(grid: CellGrid) {
    self.grid = grid
    comparer = CellComparer(grid: grid)
    isOverlay = Array(repeating: false, count: grid.count)
    lastSeen = Array(repeating: -.infinity, count: grid.count)
  }

  /// Forgets all images, after a gap or a cut.
  mutating func reset() {
    anchors = []
    for cell in 0..<grid.count { (isOverlay[cell], lastSeen[cell]) = (false, -.infinity) }
  }

  /// Takes the next image.
  /// - Parameters:
  ///   - camera: The map from pixels of the image before to those of this one; nil: the camera stood still.
  ///   - seconds: The time of the image.
  mutating func advance(_ image: Plane<Float>, camera: Homography?, seconds: Double) {
    guard let camera, !anchors.isEmpty else {
      reset()
      anchors = [Anchor(image: image, camera: .identity)]
      return
    }
    for index in anchors.indices { anchors[index].camera = camera * anchors[index].camera }
    for cell in 0..<grid.count { isOverlay[cell] = false }
    for anchor in anchors where anchor.camera.largestMotion(of: image.size) >= Self.minimumMotion {
      guard compare(image, with: anchor) else {
        reset()
        anchors = [Anchor(image: image, camera: .identity)]
        return
      }
    }
    for cell in 0..<grid.count {
      if isOverlay[cell] { lastSeen[cell] = seconds }
      isOverlay[cell] = seconds - lastSeen[cell] <= Self.memoryInSeconds
    }
    includeEdges()
    if anchors[anchors.count - 1].camera.largestMotion(of: image.size) >= Self.anchorMotion {
      anchors = [anchors[anchors.count - 1], Anchor(image: image, camera: .identity)]
    }
  }

  /// Returns whether a cell shows the same as in an image of before, and would not had it moved with the camera.
  private func isSame(
    _ cell: Int, in differences: CellDifferences, since anchor: Anchor, movedBy motion: SIMD2<Double>
  ) -> Bool {
    let (difference, limit) = (differences.unexplained[cell], Self.maximumShare * differences.contrast[cell])
    let way = max(abs(motion.x), abs(motion.y)) / Self.fullMotion
    guard difference < Float(min(way * way, 1)) * limit else { return false }
    guard let moved = self.difference(cell, movedBy: motion, in: anchor.image) else { return way >= 1 }
    return moved > max(limit, Self.movedFactor * difference)
  }

  /// Returns the variance of the difference that a cell would have had it moved with the camera, in squared grey
  /// levels: stripes along its way look the same. Nil where the camera brings in what was not seen.
  private func difference(_ cell: Int, movedBy motion: SIMD2<Double>, in image: Plane<Float>) -> Float? {
    // A map may lead anywhere.
    guard abs(motion.x) < Double(image.width), abs(motion.y) < Double(image.height) else { return nil }
    let (dx, dy) = (Int(motion.x.rounded()), Int(motion.y.rounded()))
    let side = MotionParameters.cellSide
    let (left, top) = (cell % grid.columns * side, cell / grid.columns * side)
    var (sum, squares, count): (Float, Float, Float) = (0, 0, 0)
    image.withView { view in
      for y in top..<top + side where (0..<view.height).contains(y - dy) {
        let (here, there) = (view.row(y), view.row(y - dy))
        for x in left..<left + side where (0..<view.width).contains(x - dx) {
          let difference = here[x] - there[x - dx]
          sum += difference
          squares += difference * difference
          count += 1
        }
      }
    }
    return count > 0 ? squares / count - sum / count * (sum / count) : nil
  }

  /// Takes in what belongs to text, and what its flow reaches.
  private mutating func includeEdges() {
    let isInside = isOverlay
    guard isInside.contains(true) else { return }
    for cell in 0..<grid.count {
      let (row, column) = (cell / grid.columns, cell % grid.columns)
      var count = 0
      for y in max(row - 1, 0)...min(row + 1, grid.rows - 1) {
        for x in max(column - Self.textReach, 0)...min(column + Self.textReach, grid.columns - 1)
        where isInside[y * grid.columns + x] {
          count += 1
        }
      }
      guard count >= Self.textCount else { continue }
      grid.forEachNeighbor(of: cell, distance: Self.flowReach) { isOverlay[$0] = true }
    }
  }

  /// Decides on the cells that the camera has moved far enough since an image; later images decide anew.
  /// - Returns: Whether the camera has moved: where most of the view looks the same, the maps of a camera that shakes
  ///   have added up to a way.
  private mutating func compare(_ image: Plane<Float>, with anchor: Anchor) -> Bool {
    let differences = comparer.differences(previous: anchor.image, current: image)
    var (texturedCount, sameCount) = (0, 0)
    for cell in 0..<grid.count {
      let position = grid.position(cell)
      let moved = anchor.camera.apply(x: position.x, y: position.y)
      let motion = SIMD2(moved.x, moved.y) - position
      guard max(abs(motion.x), abs(motion.y)) >= Self.minimumMotion else { continue }
      let isTextured = differences.isTextured(cell)
      isOverlay[cell] = isTextured && isSame(cell, in: differences, since: anchor, movedBy: motion)
      texturedCount += isTextured ? 1 : 0
      sameCount += isOverlay[cell] ? 1 : 0
    }
    return 2 * sameCount <= texturedCount
  }
}
