// The tracker of what travels and differs from the background in its colour alone.

import Imaging

/// Follows what stands out from the colour of a fixed camera's background: somebody of the brightness of the wall has
/// hardly any flow. Used by one thread.
///
/// The background of each cell is an approximate median (McFarlane & Schofield 1995, doi:10.1007/BF01215814) of its
/// luma and colour differences. Light scales all three, so that what a lamp or a shadow does to a cell is no other
/// colour. The constants were tuned on the tuning half of the drawn scenes (Tests/DetectionScenes).
struct ColorTravelTracker: Sendable {
  private struct Blob: Sendable {
    var cells: [Int]
    var center: SIMD2<Float>
    /// The centers in the last frames, the oldest first, in pixels, and the cells.
    var trail: [(seconds: Double, center: SIMD2<Float>, cells: [Int])]
  }

  private let grid: CellGrid
  /// Luma, and both colour differences less those of grey.
  private var background: [SIMD4<Float>] = []
  /// The usual difference from the background while nothing is there.
  private var noise: [Float]
  private var blobs: [Blob] = []
  private var lastTime: Double?

  /// The minimum sum of the differences of both colours, in grey levels, and as a multiple of the usual one.
  private static let (minimumDifference, noiseFactor): (Float, Float) = (10, 4)
  /// The speed at which the background follows where nothing is, and where something is, in grey levels per second.
  private static let (pace, occupiedPace): (Float, Float) = (12, 1)
  /// The time in which the usual difference is learned, in seconds.
  private static let noiseTime: Float = 5
  /// The range of factors that are light.
  private static let gains: ClosedRange<Float> = 0.5...2
  /// The minimum number of cells of a blob.
  private static let minimumBlobCells = 5
  /// The maximum share of the image that differs; more is another light or another view.
  private static let maximumForegroundShare = 0.25
  /// The time over which a way is measured, and the minimum of it, in seconds.
  private static let (window, minimumTime) = (1.0, 0.25)
  /// The minimum way, as a share of the longest side and as a multiple of the side of a square of as many cells.
  private static let (minimumWay, minimumStride): (Float, Float) = (0.0625, 0.5)
  /// The minimum share of its cells that what travels has left, and of those that it has come to: what fades or spreads
  /// in its place, as colours do when light changes, has another center, too. Who comes 20 pixels far leaves most.
  private static let minimumExchange = 0.25
  /// The maximum way between two frames, as a share of the longest side.
  private static let maximumStep: Float = 0.08

  init(grid: CellGrid) {
    self.grid = grid
    noise = Array(repeating: 0, count: grid.count)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    // In weather each frame asks for it.
    guard !background.isEmpty else { return }
    self = ColorTravelTracker(grid: grid)
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - image: Its luma, of the grid's size.
  ///   - colors: Its colour differences, a sample for each cell.
  ///   - excluded: The cells of the dynamic background.
  /// - Returns: The cells of what travels.
  mutating func advance(
    _ image: Plane<Float>, colors: ChrominancePlanes, excluding excluded: [Bool], seconds: Double
  ) -> [MotionObservation.MovingCell] {
    let values = values(of: image, colors)
    let elapsed = Float(min(max(seconds - (lastTime ?? seconds), 0), 0.5))
    lastTime = seconds
    guard background.count == values.count else {
      background = values
      return []
    }
    var differs = [Bool](repeating: false, count: grid.count)
    for cell in 0..<grid.count {
      let difference = Self.difference(values[cell], background[cell])
      differs[cell] = difference > max(Self.minimumDifference, Self.noiseFactor * noise[cell])
      let pace = (differs[cell] ? Self.occupiedPace : Self.pace) * elapsed
      let step = values[cell] - background[cell]
      background[cell] += step.clamped(lowerBound: SIMD4(repeating: -pace), upperBound: SIMD4(repeating: pace))
      let learned = min(difference, Self.minimumDifference)
      if !differs[cell] { noise[cell] += min(elapsed / Self.noiseTime, 1) * (learned - noise[cell]) }
      if excluded[cell] { differs[cell] = false }
    }
    guard Double(differs.count { $0 }) <= Self.maximumForegroundShare * Double(grid.count) else {
      (background, blobs) = (values, [])
      return []
    }
    return follow(differs, seconds: seconds)
  }

  private func values(of image: Plane<Float>, _ colors: ChrominancePlanes) -> [SIMD4<Float>] {
    colors.blueDifference.withView { blue in
      colors.redDifference.withView { red in
        (0..<grid.count).map { cell in
          let (row, column) = (cell / grid.columns, cell % grid.columns)
          return SIMD4(grid.mean(of: cell, image), blue.row(row)[column] - 128, red.row(row)[column] - 128, 0)
        }
      }
    }
  }

  /// Returns the sum of the differences of both colours that no light explains.
  private static func difference(_ value: SIMD4<Float>, _ usual: SIMD4<Float>) -> Float {
    let gain = min(max((value.x + 1) / (usual.x + 1), gains.lowerBound), gains.upperBound)
    return abs(value.y - gain * usual.y) + abs(value.z - gain * usual.z)
  }

  /// Follows what differs to the next frame.
  private mutating func follow(_ differs: [Bool], seconds: Double) -> [MotionObservation.MovingCell] {
    var (open, found, moving) = (differs, [Blob](), [MotionObservation.MovingCell]())
    var previous = blobs
    let longest = Float(max(grid.size.width, grid.size.height))
    for cell in 0..<grid.count where open[cell] {
      let cells = open.takeComponent(of: cell) { [grid] in grid.forEachNeighbor(of: $0, distance: 2, $1) }
      guard cells.count >= Self.minimumBlobCells else { continue }
      var blob = Blob(cells: cells, center: .zero, trail: [])
      for cell in cells { blob.center += grid.center(cell) / Float(cells.count) }
      let distances = previous.map { ($0.center - blob.center).length }
      if let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }),
        distances[nearest] <= Self.maximumStep * longest
      {
        blob.trail = previous.remove(at: nearest).trail.filter { seconds - $0.seconds <= Self.window }
      }
      blob.trail.append((seconds, blob.center, cells))
      moving += travelling(blob, longest: longest)
      found.append(blob)
    }
    blobs = found
    return moving
  }

  /// Returns whether cells are others than some were before: neither a part of them nor all and more.
  private func isElsewhere(_ cells: [Int], _ former: [Int]) -> Bool {
    let common = Double(Set(former).intersection(cells).count)
    return common <= (1 - Self.minimumExchange) * Double(min(cells.count, former.count))
  }

  /// Returns the cells of a blob, if it gets on.
  private func travelling(_ blob: Blob, longest: Float) -> [MotionObservation.MovingCell] {
    guard let first = blob.trail.first, let last = blob.trail.last, last.seconds - first.seconds >= Self.minimumTime
    else { return [] }
    let way = blob.center - first.center
    let length = way.length
    let size = Float(blob.cells.count).squareRoot() * Float(MotionParameters.cellSide)
    guard length >= max(Self.minimumWay * longest, Self.minimumStride * size), isElsewhere(blob.cells, first.cells)
    else { return [] }
    let age = blob.trail.count - 1
    return blob.cells.map {
      MotionObservation.MovingCell(cell: $0, u: way.x / Float(age), v: way.y / Float(age), age: age)
    }
  }
}
