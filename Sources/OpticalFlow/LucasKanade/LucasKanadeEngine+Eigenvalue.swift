// How well Lucas and Kanade's equations can be solved at a point, apart from any motion.

import FlowKernels
import Imaging

extension LucasKanadeEngine {
  /// The smaller eigenvalue of the structure tensor around every pixel of the full-size image, averaged over the
  /// engine's window: the confidence that Lucas and Kanade's method has in itself.
  ///
  /// Near 0 the motion in at least one direction comes from the surroundings (the aperture problem). In squared grey
  /// levels per pixel; 1 is a faint texture, 100 a clear one.
  /// - Complexity: O(pixels); independent of the box window's size.
  public func minimumEigenvalue(of prepared: Prepared) -> Plane<Float> {
    let (size, window) = (prepared.size, SummationWindow(parameters))
    let kernels = KernelTable.current.lucasKanade
    var result = Plane<Float>(size: size)
    prepared.withFullSizeView { image in
      result.withMutableView { output in
        parallelism.forEachStripe(rows: size.height, stripeHeight: LucasKanadeRefinement.stripeHeight) { stripe in
          var tensors = WindowSums(size: size, bandCount: 3, window: window) { y, row, stride in
            kernels.formTensors(image.row(y), image.stride, row, stride, size.width)
          }
          let sums = ScratchRows(count: 3, width: size.width)
          for y in stripe {
            tensors.move(to: y, into: sums.row(0), stride: sums.stride)
            kernels.smallerEigenvalue(sums.row(0), sums.stride, window.scale, output.row(y), size.width)
          }
        }
      }
    }
    return result
  }
}
