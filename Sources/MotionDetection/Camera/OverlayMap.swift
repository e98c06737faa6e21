// What stands still in the image while the camera moves: clocks and names that are written over it.

import Imaging

/// Finds the cells that show the same as before although the camera turned. Used by one thread.
///
/// Without the camera's motion, what is written over the image would travel against it. The constants were chosen by
/// hand: what moves in the scene seldom looks the same in the same place after the camera has turned by two cells.
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
  private static let minimumMotion = 8.0
  /// The motion of a corner by the camera after which another image is taken to be compared with, in pixels: digits
  /// change.
  private static let anchorMotion = 16.0
  /// The number of neighbours that show the same from which on a cell is part of the overlay: it may have little of it.
  private static let neighborCount = 3
  /// The time for which an overlay stays one though it changes, in seconds: a clock goes on each second.
  private static let memoryInSeconds = 1.0
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

  private mutating func includeEdges() {
    let isInside = isOverlay
    for cell in 0..<grid.count where !isInside[cell] {
      var count = 0
      grid.forEachNeighbor(of: cell) { count += isInside[$0] ? 1 : 0 }
      isOverlay[cell] = count >= Self.neighborCount
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
      guard max(abs(moved.x - position.x), abs(moved.y - position.y)) >= Self.minimumMotion else { continue }
      let isTextured = differences.isTextured(cell)
      isOverlay[cell] = isTextured && differences.unexplained[cell] < Self.maximumShare * differences.contrast[cell]
      texturedCount += isTextured ? 1 : 0
      sameCount += isOverlay[cell] ? 1 : 0
    }
    return 2 * sameCount <= texturedCount
  }
}
