import FlowKernelTypes
import Imaging

extension ImageRows {
  /// The rows of a plane of the given size.
  init(_ view: GridView, _ size: PixelSize) {
    self.init(base: view.base, stride: view.stride, width: size.width, height: size.height)
  }
}
