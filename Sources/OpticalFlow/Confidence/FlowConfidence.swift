// The confidence of flow, from the two images and the flow in one direction.
//
// A vector is believed as far as it explains the images: the second one, brought to the first by the flow, has to show
// the same structure around the pixel, whatever the light (soft census differences, as in PlaneProposals), and a vector
// that moves has to do so better than no motion at all (see `flowConfidenceRow`). What leads out of the image is not
// seen. Occluded pixels, the halo of motion that windows and smoothness leave around what moves, and the inside of even
// surfaces are what fails.
//
// The check of the opposite flow (Sundaram, Brox & Keutzer, ECCV 2010) takes a second flow, this one a small share of
// the first: it works at half the size or less, for errors of flow are as wide as the windows that it was found with.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Estimates the confidence of flow between images of one size. Keeps its working memory; used by one thread.
package final class FlowConfidence {
  // Without another source, a number here was chosen by hand.

  /// The maximum longer side of the reduced size, in pixels: larger ones are halved once more.
  private static let maximumSide = 480
  /// The minimum side of an image that is reduced, in pixels.
  private static let minimumSide = 32
  /// The difference of grey levels at which structure errors are limited: less than the texture of most things, or what
  /// resampling takes from fine texture counts as an error. What leads out of the image has, as its neighbors see it,
  /// the error of unrelated structure.
  private static let limits = ErrorLimits(limit: 8, outside: 1)
  /// The error at which what stands still has the confidence ½: that of noise of 5 grey levels.
  private static let errorLimit: Float = 0.5
  /// The steepness of the confidence: what moves has the confidence ½ where the flow leaves 1/1.25 of the change, less
  /// the noise. With the contrast and the smoothing tuned by eye: walkers of 30 × 80 pixels and the fine bricks of a
  /// pan stay visible, the halo around cars fades.
  private static let sharpness: Float = 1.25
  /// The error that noise makes of what is explained; tuned like `sharpness`.
  private static let noiseError: Float = 0.01
  /// The length from about which on vectors count as moving, in pixels of the full size: what noise makes of still
  /// surfaces is less.
  private static let stillLength: Float = 0.5
  /// The distance by which vectors may lead out of the image, in pixels of the reduced size: noise must not make its
  /// border unknown.
  private static let borderSlack: Float = 0.5
  /// The window over which errors are averaged, in pixels of the reduced size; tuned by eye, see `sharpness`.
  private static let errorSmoothing = SmoothingKernel(sigma: 1.2, radius: 3)

  /// The size of the images.
  private let size: PixelSize
  private let reducedSize: PixelSize
  private let reducing: Resampler
  private let enlarging: Resampler
  /// The column of the full size at the middle of each column of the reduced size; `rows` holds the same of the rows.
  private let columns: [Int]
  private let rows: [Int]
  private let parallelism: Parallelism
  private let warped = GridMemory()
  private let vectors: (u: GridMemory, v: GridMemory) = (GridMemory(), GridMemory())
  private let inside = GridMemory()
  private let errors = GridMemory()
  private let changes = GridMemory()
  private let kernels = KernelTable.current

  /// - Parameters:
  ///   - size: The size of the images; at least one pixel.
  ///   - parallelism: The number of threads to use; changes no result.
  package init(size: PixelSize, parallelism: Parallelism) {
    precondition(!size.isEmpty, "images of \(size)")
    self.size = size
    reducedSize = Self.reduced(size)
    self.parallelism = parallelism.adapted(to: reducedSize)
    reducing = Resampler(
      horizontal: Self.axis(source: size.width, target: reducedSize.width),
      vertical: Self.axis(source: size.height, target: reducedSize.height))
    enlarging = Resampler(
      horizontal: ResamplingAxis(source: reducedSize.width, target: size.width),
      vertical: ResamplingAxis(source: reducedSize.height, target: size.height))
    columns = (0..<reducedSize.width).map { [reducedSize] in (2 * $0 + 1) * size.width / (2 * reducedSize.width) }
    rows = (0..<reducedSize.height).map { [reducedSize] in (2 * $0 + 1) * size.height / (2 * reducedSize.height) }
  }

  /// Returns the reduced image, which the confidence of flow from or to an image needs.
  ///
  /// - Parameter image: Luma, 0…255, of the size of the images.
  package func reduced(_ image: Plane<Float>) -> PaddedPlane {
    precondition(image.size == size, "an image of \(image.size) instead of \(size)")
    var reduced = PaddedPlane(size: reducedSize)
    let (reducing, reducedSize) = (reducing, reducedSize)
    image.withView { image in
      reduced.withMutableView { reduced in
        let input = GridView(image)
        parallelism.forEachStripe(rows: reducedSize.height) { stripe in
          reducing.resize(input, into: reduced, rows: stripe)
          reduced.replicateBorders(of: reducedSize, margin: PaddedPlane.margin, aroundRows: stripe)
        }
      }
    }
    return reduced
  }

  /// The confidence of each vector, 0…1; 0 where it is unknown or leads out of the image.
  ///
  /// - Parameters:
  ///   - flow: From `first` to `second`, in pixels of the full size.
  ///   - first, second: From ``reduced(_:)``.
  package func confidence(of flow: FlowField, from first: PaddedPlane, to second: PaddedPlane) -> Plane<Float> {
    precondition(flow.size == size, "flow of \(flow.size) instead of \(size)")
    for memory in [warped, vectors.u, vectors.v, inside, errors, changes] {
      memory.reshape(rows: reducedSize.height, width: reducedSize.width, margin: 16, marginRows: 2)
    }
    warp(second, by: flow)
    compare(first, second)
    let reduced = conclude()
    return Plane(size: size) { full in
      reduced.withView { enlarging.resize(GridView($0), into: GridView(full.readOnly), parallelism: parallelism) }
    }
  }

  private static func reduced(_ size: PixelSize) -> PixelSize {
    guard min(size.width, size.height) >= minimumSide else { return size }
    var divisor = 2
    while max(size.width, size.height) > divisor * maximumSide { divisor *= 2 }
    return PixelSize(width: max(1, size.width / divisor), height: max(1, size.height / divisor))
  }

  private static func axis(source: Int, target: Int) -> ResamplingAxis {
    let scale = Double(source) / Double(target)
    guard scale > 1 else { return ResamplingAxis(source: source, target: target) }
    // Less than the 0.6 of the flow's pyramids: fine structure is what a match is judged by.
    let sigma = 0.4 * (scale * scale - 1).squareRoot()
    return ResamplingAxis(
      source: source, target: target,
      smoothing: SmoothingKernel(sigma: sigma, radius: Int((2 * sigma).rounded(.up))))
  }

  /// Takes the vectors at the middle of each reduced pixel, and brings the second image to the first.
  private func warp(_ second: PaddedPlane, by flow: FlowField) {
    let (size, full, columns, rows) = (reducedSize, size, columns, rows)
    let (warped, inside, flowU, flowV) = (warped.view, inside.view, vectors.u.view, vectors.v.view)
    let scale = (
      u: Float(size.width) / Float(full.width), v: Float(size.height) / Float(full.height)
    )
    let endInside = kernels.confidence.endInsideRow
    let (right, bottom) = (Float(size.width - 1), Float(size.height - 1))
    second.withView { image in
      flow.u.withView { u in
        flow.v.withView { v in
          parallelism.forEachStripe(rows: size.height) { stripe in
            let warper = RowWarper(width: size.width)
            for y in stripe {
              let (rowU, rowV) = (flowU.row(y), flowV.row(y))
              let (fullU, fullV) = (u.row(rows[y]), v.row(rows[y]))
              columns.withUnsafeBufferPointer { columns in
                for x in 0..<size.width {
                  rowU[x] = fullU[columns[x]] * scale.u
                  rowV[x] = fullV[columns[x]] * scale.v
                }
              }
              endInside(rowU, 0, 1, right, Self.borderSlack, size.width)
              endInside(rowV, Float(y), 0, bottom, Self.borderSlack, size.width)
              warper.warp(image, y, rowU, rowV, size: size, into: warped.row(y), inside: inside.row(y))
            }
            warped.replicateBorders(of: size, margin: 2, aroundRows: stripe)
          }
        }
      }
    }
  }

  /// Errors of the flow and of no motion, smoothed along the rows.
  private func compare(_ first: PaddedPlane, _ second: PaddedPlane) {
    let (size, warped, inside) = (reducedSize, warped.view, inside.view)
    let (errors, changes, kernel) = (errors.view, changes.view, Self.errorSmoothing)
    let (structureErrorRow, weightedSum) = (kernels.planes.structureErrorRow, kernels.filter.weightedSum)
    first.withView { first in
      second.withView { second in
        parallelism.forEachStripe(rows: size.height) { stripe in
          let scratch = ScratchRows(count: 2, width: size.width, margin: 16)
          let taps = (-kernel.radius...kernel.radius).map { UnsafePointer(scratch.row(0) + $0) }
          // Without motion, nothing leads out of the image.
          scratch.row(1).update(repeating: 1, count: size.width)
          for y in stripe {
            for (other, known, output) in [(warped, inside.row(y), errors), (second, scratch.row(1), changes)] {
              structureErrorRow(
                StridedRow(first, y), StridedRow(other, y), known, Self.limits, scratch.row(0), size.width)
              scratch.replicateBorders(ofRow: 0)
              weightedSum(taps, kernel.weights, kernel.weights.count, output.row(y), size.width)
            }
          }
        }
      }
    }
  }

  /// Smooths the errors down the columns too, and judges the vectors.
  private func conclude() -> Plane<Float> {
    let (size, errors, changes) = (reducedSize, errors.view, changes.view)
    let (u, v, inside) = (vectors.u.view, vectors.v.view, inside.view)
    let flowConfidenceRow = kernels.confidence.flowConfidenceRow
    let stillLength = Self.stillLength * Float(size.width) / Float(self.size.width)
    let confidenceLimits = [Self.errorLimit, Self.sharpness, Self.noiseError, stillLength * stillLength]
    return Plane(size: size) { confidence in
      parallelism.forEachStripe(rows: size.height) { stripe in
        let smooth = ScratchRows(count: 2, width: size.width)
        for y in stripe {
          for (row, input) in [errors, changes].enumerated() {
            Self.errorSmoothing.smoothColumns(input, y, size: size, into: smooth.row(row))
          }
          flowConfidenceRow(
            ErrorRows(flow: smooth.row(0), still: smooth.row(1)), FlowRow(u, v, y), inside.row(y), confidenceLimits,
            confidence.row(y), size.width)
        }
      }
    }
  }
}
