// Step 2 of Farnebäck's method: the displacement that carries one expansion into the other, averaged over a window.

import FlowKernels
import Imaging

/// The equations of one level and the estimate that they lead to.
struct DisplacementField {
  static let bandCount = 5
  /// Added to the determinant, which is of fourth order in grey levels (OpenCV's value).
  static let regularization: Float = 1e-3
  /// Near the border the polynomials lean on replicated pixels: the weights of the outermost five columns and rows,
  /// outermost first (OpenCV's values).
  static let borderWeights: [Float] = [0.14, 0.14, 0.4472, 0.4472, 0.4472]

  private(set) var size: PixelSize
  private(set) var u: Plane<Float>
  private(set) var v: Plane<Float>
  /// G₁₁, G₁₂, G₂₂, h₁, h₂, one band below the other.
  private var equations: Plane<Float>

  /// Zero motion.
  init(size: PixelSize) {
    self.size = size
    u = Plane(size: size)
    v = Plane(size: size)
    equations = Plane(width: size.width, height: size.height * Self.bandCount)
  }

  private var bandStride: Int { size.height * equations.stride / MemoryLayout<Float>.stride }

  /// Back to zero motion.
  mutating func reset() {
    u.fill(0)
    v.fill(0)
  }

  /// Takes over the estimate of a coarser level, whose vectors are `1 / factor` as long.
  mutating func initialize(from coarser: DisplacementField, factor: Float, parallelism: Parallelism) {
    coarser.u.resize(into: &u, multiplyingBy: factor, parallelism: parallelism)
    coarser.v.resize(into: &v, multiplyingBy: factor, parallelism: parallelism)
  }

  /// Forms the equations of every pixel from the estimate so far.
  mutating func formEquations(
    previous: PolynomialExpansion, current: PolynomialExpansion, parallelism: Parallelism
  ) {
    let kernel = KernelTable.current.farneback.formEquations
    let (size, bandStride) = (size, bandStride)
    let columnWeights = Self.weights(count: size.width)
    let rowWeights = Self.weights(count: size.height)
    let rowStride = current.bands.stride / MemoryLayout<Float>.stride
    previous.bands.withView { previous in
      current.bands.withView { current in
        u.withView { u in
          v.withView { v in
            equations.withMutableView { output in
              parallelism.forEachStripe(rows: size.height) { stripe in
                for y in stripe {
                  kernel(
                    previous.row(y), current.row(0), rowStride, rowStride * size.height, u.row(y), v.row(y), y,
                    size.width, size.height, columnWeights, rowWeights[y], output.row(y), bandStride)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Averages the equations over the window and solves them: the new estimate.
  mutating func solve(averagingOver window: AveragingWindow, parallelism: Parallelism) {
    let kernels = KernelTable.current
    let size = size
    equations.withView { equations in
      u.withMutableView { u in
        v.withMutableView { v in
          parallelism.forEachStripe(rows: size.height) { stripe in
            var average = WindowAverage(
              equations: equations, size: size, bandCount: Self.bandCount, window: window, filter: kernels.filter)
            for y in stripe {
              average.move(to: y)
              kernels.farneback.solveEquations(
                average.sums.row(0), average.sums.stride, window.scale, Self.regularization, u.row(y), v.row(y),
                size.width)
            }
          }
        }
      }
    }
  }

  /// The weight of each place along an axis. The last entries are room for reading whole vectors.
  private static func weights(count: Int) -> [Float] {
    let inner = (0..<count).map { index in
      let near = index < borderWeights.count ? borderWeights[index] : 1
      let far = count - 1 - index < borderWeights.count ? borderWeights[count - 1 - index] : 1
      return near * far
    }
    return inner + [Float](repeating: 0, count: 16)
  }
}
