// Histograms of oriented gradients: Dalal & Triggs, "Histograms of oriented gradients for human detection", CVPR 2005,
// doi:10.1109/CVPR.2005.177, with the normalisation of Felzenszwalb et al., "Object detection with discriminatively
// trained part-based models", PAMI 32 (9), 2010, doi:10.1109/TPAMI.2009.167 (the sum over the four blocks of a cell).
//
// Deviation: histograms of luma and of colour differences stand beside those of gradients. Dark clothes before a light
// street, or a red jacket, are what tells people apart in small images.

import Imaging

/// The image of a frame, by which boxes are recognised.
struct AppearanceImage: Sendable {
  var luma: Plane<Float>
  var chrominance: ChrominancePlanes?
}

/// The features of the cells of a grid in an image. The constants were chosen by hand, where nothing else is said.
struct CellFeatures: Sendable {
  /// The number of samples per side of a cell.
  static let cellSize = 4
  /// The number of samples per side of half a cell.
  private static let halfSize = cellSize / 2
  /// The number of orientations of gradients, over half a turn, after Dalal & Triggs.
  private static let orientationCount = 9
  /// The number of steps of luma, over its whole range.
  private static let lumaCount = 8
  /// The number of steps of each colour difference, about grey.
  private static let colorCount = 5
  /// The width of a step of a colour difference, in grey levels: clothes in daylight are seldom more than 20 from grey.
  /// Tuned with ``BoxFollower``.
  private static let colorStep: Float = 10
  /// The value of a cell whose samples are all of one luma or colour; that of gradients is 0.4 at most.
  private static let fullValue: Float = 0.4
  /// The limit of a normalised gradient, after Dalal & Triggs.
  private static let clip: Float = 0.2
  /// The energy of a block, in squared grey levels, below which its gradients are noise.
  private static let quietEnergy: Float = 400

  /// The number of values of a cell.
  static func channelCount(hasColor: Bool) -> Int { orientationCount + lumaCount + (hasColor ? 2 * colorCount : 0) }

  let columns: Int
  let rows: Int
  /// Channel by channel, each row by row: orientations, steps of luma, steps of the two colour differences.
  private(set) var values: [Float] = []

  private var count: Int { columns * rows }

  /// The cells around a point.
  /// - Parameters:
  ///   - hasColor: Whether to look at colour; where the image has none, its values are 0.
  ///   - center: The middle of the grid, in pixels.
  ///   - pitch: The distance of samples in pixels; a cell has ``cellSize`` samples per side.
  init(_ image: AppearanceImage, hasColor: Bool, center: SIMD2<Double>, pitch: SIMD2<Double>, columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    var votes = CellVotes(
      columns: 2 * columns + 2, rows: 2 * rows + 2, channelCount: Self.channelCount(hasColor: hasColor))
    // Half a cell more on each side, and a sample for the gradient.
    let grid = SamplingGrid(
      center: center, pitch: pitch, width: votes.columns * Self.halfSize + 2, height: votes.rows * Self.halfSize + 2)
    votes.add(luma: grid.samples(of: image.luma), stride: grid.width)
    if hasColor, let chrominance = image.chrominance {
      let planes = [chrominance.blueDifference, chrominance.redDifference]
      for (index, plane) in planes.enumerated() {
        let ratio = SIMD2<Double>(
          Double(plane.width) / Double(image.luma.width), Double(plane.height) / Double(image.luma.height))
        // Pixel centres are at whole numbers in both planes.
        let planeCenter: SIMD2<Double> = (center + 0.5) * ratio - 0.5
        let planePitch: SIMD2<Double> = pitch * ratio * SIMD2(repeating: Double(Self.halfSize))
        let grid = SamplingGrid(
          center: planeCenter, pitch: planePitch, width: votes.columns, height: votes.rows)
        votes.add(color: grid.samples(of: plane), index: index)
      }
    }
    values = smoothed(votes)
    normalizeGradients()
  }

  /// The votes of samples for channels of half cells. Cells take four half cells in each direction, weighted 1 3 3 1,
  /// which comes to the bilinear votes of Dalal & Triggs.
  private struct CellVotes {
    let columns: Int
    let rows: Int
    private(set) var values: [Float]

    init(columns: Int, rows: Int, channelCount: Int) {
      self.columns = columns
      self.rows = rows
      values = [Float](repeating: 0, count: channelCount * columns * rows)
    }

    var count: Int { columns * rows }

    /// - Parameter samples: With one more on each side.
    mutating func add(luma samples: [Float], stride: Int) {
      let (columns, rows, count, side) = (columns, rows, count, CellFeatures.halfSize)
      let last = CellFeatures.lumaCount - 1
      let lumaScale = Float(CellFeatures.lumaCount) / 256
      values.withUnsafeMutableBufferPointer { values in
        samples.withUnsafeBufferPointer { samples in
          guard let votes = values.baseAddress, let samples = samples.baseAddress else { return }
          for y in 0..<rows * side {
            let row = samples + (y + 1) * stride + 1
            for x in 0..<columns * side {
              let cell = votes + (y / side) * columns + x / side
              let dx = row[x + 1] - row[x - 1]
              let dy = row[x + stride] - row[x - stride]
              let magnitude = (dx * dx + dy * dy).squareRoot()
              if magnitude > 0 {
                let turn = CellFeatures.halfTurns(dx, dy) * Float(CellFeatures.orientationCount)
                let lower = min(Int(turn), CellFeatures.orientationCount - 1)
                let upper = lower + 1 == CellFeatures.orientationCount ? 0 : lower + 1
                let share = (turn - Float(lower)) * magnitude
                cell[lower * count] += magnitude - share
                cell[upper * count] += share
              }
              let level = min(max(row[x] * lumaScale - 0.5, 0), Float(last))
              let lower = min(Int(level), last - 1)
              let share = level - Float(lower)
              let step = cell + (CellFeatures.orientationCount + lower) * count
              step[0] += 1 - share
              step[count] += share
            }
          }
        }
      }
    }

    /// - Parameter samples: One for each half cell.
    mutating func add(color samples: [Float], index: Int) {
      let steps = CellFeatures.colorCount
      let first = CellFeatures.orientationCount + CellFeatures.lumaCount + index * steps
      let weight = Float(CellFeatures.halfSize * CellFeatures.halfSize)
      for index in 0..<count {
        let position = (samples[index] - 128) / CellFeatures.colorStep + Float(steps - 1) / 2
        let level = min(max(position, 0), Float(steps - 1))
        let lower = min(Int(level), steps - 2)
        let share = level - Float(lower)
        values[(first + lower) * count + index] = weight * (1 - share)
        values[(first + lower + 1) * count + index] = weight * share
      }
    }
  }

  /// The angle of a gradient in half turns, 0…1; opposite gradients have the same.
  ///
  /// A polynomial for the arc tangent (Abramowitz & Stegun 4.4.49, error below 1e-4), as the C library's differs among
  /// processors.
  private static func halfTurns(_ dx: Float, _ dy: Float) -> Float {
    let (a, b) = (dx.magnitude, dy.magnitude)
    let q = a > b ? b / a : a / b
    let s = q * q
    let arc = q * (0.9998660 + s * (-0.3302995 + s * (0.1801410 + s * (-0.0851330 + s * 0.0208351))))
    let angle = (a > b ? arc : Float.pi / 2 - arc) / Float.pi
    return min(max((dx < 0) != (dy < 0) ? 1 - angle : angle, 0), 1)
  }

  /// Sums 4×4 half cells with the weights 1 3 3 1 over 16; steps of luma and colour are then shares of ``fullValue``.
  private func smoothed(_ votes: CellVotes) -> [Float] {
    let channelCount = votes.values.count / votes.count
    var result = [Float](repeating: 0, count: channelCount * count)
    // The weights of a cell's samples sum to 16 times its samples.
    let fullScale = Self.fullValue / Float(16 * Self.cellSize * Self.cellSize)
    votes.values.withUnsafeBufferPointer { values in
      guard let base = values.baseAddress else { return }
      for channel in 0..<channelCount {
        let scale = channel < Self.orientationCount ? 1.0 / 16 : fullScale
        for y in 0..<rows {
          let a = base + channel * votes.count + 2 * y * votes.columns
          let (b, c, d) = (a + votes.columns, a + 2 * votes.columns, a + 3 * votes.columns)
          for x in 0..<columns {
            let i = 2 * x
            let outer = (a[i] + d[i]) + (a[i + 3] + d[i + 3]) + 3 * ((a[i + 1] + d[i + 1]) + (a[i + 2] + d[i + 2]))
            let inner = (b[i] + c[i]) + (b[i + 3] + c[i + 3]) + 3 * ((b[i + 1] + c[i + 1]) + (b[i + 2] + c[i + 2]))
            result[channel * count + y * columns + x] = (outer + 3 * inner) * scale
          }
        }
      }
    }
    return result
  }

  /// Divides gradients by the energies of the four blocks of 2×2 cells that a cell is in, clips, and sums a half each.
  private mutating func normalizeGradients() {
    var energies = [Float](repeating: 0, count: count)
    for channel in 0..<Self.orientationCount {
      for index in 0..<count { energies[index] += values[channel * count + index] * values[channel * count + index] }
    }
    // The block at (x, y) has the cells x, x + 1 and y, y + 1, within the grid.
    var factors = [Float](repeating: 0, count: count)
    for y in 0..<rows {
      let (row, below) = (y * columns, min(y + 1, rows - 1) * columns)
      for x in 0..<columns {
        let right = min(x + 1, columns - 1)
        let energy = (energies[row + x] + energies[row + right]) + (energies[below + x] + energies[below + right])
        factors[row + x] = 1 / (energy + Self.quietEnergy).squareRoot()
      }
    }
    for y in 0..<rows {
      let (row, above) = (y * columns, max(y - 1, 0) * columns)
      for x in 0..<columns {
        let left = max(x - 1, 0)
        let blocks = SIMD4(factors[row + x], factors[row + left], factors[above + x], factors[above + left])
        for channel in 0..<Self.orientationCount {
          let index = channel * count + row + x
          let limited = pointwiseMin(blocks * values[index], SIMD4(repeating: Self.clip))
          values[index] = 0.5 * ((limited.x + limited.y) + (limited.z + limited.w))
        }
      }
    }
  }
}
