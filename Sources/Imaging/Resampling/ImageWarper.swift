// Images of whole numbers or of floats as they look through a projective map.

import FlowKernelTypes
import FlowKernels

/// Warps images of 8 to 16 bits in place, plane by plane, and planes of floats.
///
/// Where the map moves nothing, samples stay as they are, bit for bit. Keeps its working memory between images: one
/// float per sample of the largest plane. One owner, one task. The result does not depend on the number of threads.
package final class ImageWarper {
  /// The interpolation between pixels; bicubic is Catmull and Rom's spline.
  package let interpolation: Interpolation
  private let parallelism: Parallelism
  private let source = GridMemory()
  private let kernels = KernelTable.current

  /// The distance beyond the borders at which `sampleRow` may read, in pixels.
  private static let margin = 16

  /// A warper without memory yet; the first image allocates it.
  package init(interpolation: Interpolation = .bicubic, parallelism: Parallelism = .serial) {
    self.interpolation = interpolation
    self.parallelism = parallelism
  }

  /// Makes the pixel p of `image` show what its pixel `map`(p) showed.
  ///
  /// - Parameters:
  ///   - image: 8 to 16 bits, any chroma layout; its samples are replaced.
  ///   - map: Pixels of the warped image to pixels of the present one.
  ///   - border: What is seen beyond the borders: black (`constant`) or the nearest pixel.
  /// - Complexity: O(pixels), some 40 operations each.
  package func warp(_ image: MutableImageView, by map: Homography, border: WarpBorder) {
    guard map != .identity, !image.size.isEmpty else { return }
    for index in 0..<image.format.planeCount {
      let isChroma = image.format.colorModel == .yuv && index > 0
      let planeMap =
        isChroma ? map.betweenMeans(x: 1 << image.format.chromaShiftX, y: 1 << image.format.chromaShiftY) : map
      let task = PlaneTask(
        map: planeMap.normalized, border: border, fill: image.format.black(plane: index),
        largest: Float((1 << image.format.bitDepth) - 1), size: image.format.planeSize(index, of: image.size))
      if image.format.bytesPerSample == 1 {
        warp(
          image.plane(index, as: UInt8.self), task, kernels.resample.convertRow8, kernels.warp.narrowRow8)
      } else {
        warp(
          image.plane(index, as: UInt16.self), task, kernels.resample.convertRow16, kernels.warp.narrowRow16)
      }
    }
  }

  /// Returns the image whose pixel p shows what the pixel `map`(p) of another one showed: beyond the borders the
  /// nearest pixel.
  ///
  /// - Parameters:
  ///   - image: Any numbers.
  ///   - map: Pixels of the warped image to pixels of `image`.
  /// - Complexity: O(pixels), some 40 operations each.
  package func warped(_ image: Plane<Float>, by map: Homography) -> Plane<Float> {
    let size = image.size
    guard map != .identity, !size.isEmpty else { return image }
    source.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: Self.margin)
    let grid = source.view
    image.withView { image in
      parallelism.forEachStripe(rows: size.height) { stripe in
        for y in stripe { grid.row(y).update(from: image.row(y), count: size.width) }
      }
    }
    return Plane(size: size) { target in
      forEachRow(of: size, by: map.normalized) { y, values, _ in
        target.row(y).update(from: values, count: size.width)
      }
    }
  }

  private struct PlaneTask: Sendable {
    var map: Homography
    var border: WarpBorder
    var fill: Float
    var largest: Float
    var size: PixelSize
  }

  private func warp<Scalar: PlaneScalar>(
    _ plane: MutablePlaneView<Scalar>, _ task: PlaneTask,
    _ convert: @escaping @Sendable (UnsafePointer<Scalar>, UnsafeMutablePointer<Float>, Int, Float) -> Void,
    _ narrow:
      @escaping @Sendable (
        UnsafePointer<Float>, UnsafePointer<Float>, Float, Float, UnsafeMutablePointer<Scalar>, Int
      ) -> Void
  ) {
    let size = task.size
    source.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: Self.margin)
    let grid = source.view
    parallelism.forEachStripe(rows: size.height) { stripe in
      for y in stripe { convert(UnsafePointer(plane.row(y)), grid.row(y), size.width, 1) }
    }
    forEachRow(of: size, by: task.map) { y, values, inside in
      if task.border == .replicate { inside.update(repeating: 1, count: size.width) }
      narrow(values, inside, task.fill, task.largest, plane.row(y), size.width)
    }
  }

  /// Samples the image in `source` at the positions to which a map takes each pixel; hands on the values of each row,
  /// and 1 where the position lies inside the image, else 0.
  private func forEachRow(
    of size: PixelSize, by map: Homography,
    _ body: @Sendable (_ y: Int, _ values: UnsafeMutablePointer<Float>, _ inside: UnsafeMutablePointer<Float>) -> Void
  ) {
    let grid = source.view
    grid.replicateBorders(of: size, margin: Self.margin)
    let kernels = kernels
    let sampleRow = interpolation == .bicubic ? kernels.variational.sampleRow : kernels.warp.sampleRowBilinear
    parallelism.forEachStripe(rows: size.height) { stripe in
      let scratch = ScratchRows(count: 7, width: size.width, margin: 16)
      let image = ImageRows(grid, size)
      scratch.row(6).withMemoryRebound(to: Int32.self, capacity: size.width + 16) { origins in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 7) { coefficients in
          for y in stripe {
            coefficients.baseAddress!.initialize(from: map.rowCoefficients(y), count: 7)
            let (u, v, inside, values) = (scratch.row(0), scratch.row(1), scratch.row(4), scratch.row(5))
            let positions = PositionRow(origins: origins, fx: scratch.row(2), fy: scratch.row(3), inside: inside)
            kernels.warp.projectRow(coefficients.baseAddress!, u, v, size.width)
            kernels.variational.locateRow(FlowRow(u: u, v: v), y, image, positions)
            sampleRow(StridedRow(grid, 0), positions, values, size.width)
            body(y, values, inside)
          }
        }
      }
    }
  }
}

extension ImageFormat {
  /// The sample of black in plane `index`. ITU-T H.273, equations 20 to 43.
  fileprivate func black(plane index: Int) -> Float {
    let step = Float(1 << (bitDepth - 8))
    switch colorModel {
    case .rgb: return 0
    case .yuv where index > 0: return 128 * step
    case .gray, .yuv: return isFullRange ? 0 : 16 * step
    }
  }
}
