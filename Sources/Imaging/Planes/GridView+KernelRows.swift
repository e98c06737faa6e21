import FlowKernelTypes

extension ImageRows {
  /// The rows of a plane of the given size.
  package init(_ view: GridView, _ size: PixelSize) {
    self.init(base: view.base, stride: view.stride, width: size.width, height: size.height)
  }
}

extension StridedRow {
  /// The row `y` of a plane.
  package init(_ view: GridView, _ y: Int) { self.init(base: view.row(y), stride: view.stride) }
}

extension MutableStridedRow {
  /// The row `y` of a plane.
  package init(_ view: GridView, _ y: Int) { self.init(base: view.row(y), stride: view.stride) }
}

extension FlowRow {
  /// The row `y` of two planes.
  package init(_ u: GridView, _ v: GridView, _ y: Int) { self.init(u: u.row(y), v: v.row(y)) }
}

extension MutableFlowRow {
  /// The row `y` of two planes.
  package init(_ u: GridView, _ v: GridView, _ y: Int) { self.init(u: u.row(y), v: v.row(y)) }
}
