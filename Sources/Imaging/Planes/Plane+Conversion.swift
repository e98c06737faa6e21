import FlowKernels

extension Plane where Scalar == Float {
  /// `samples · scale`, element by element.
  package init(converting samples: PlaneView<UInt8>, scale: Float = 1, parallelism: Parallelism = .serial) {
    let convert = KernelTable.current.resample.convertRow8
    self.init(uninitialized: samples.size)
    withMutableView { target in
      parallelism.forEachStripe(rows: samples.height) { rows in
        for y in rows { convert(samples.row(y), target.row(y), samples.width, scale) }
      }
    }
  }

  /// `samples · scale`, element by element.
  package init(converting samples: PlaneView<UInt16>, scale: Float, parallelism: Parallelism = .serial) {
    let convert = KernelTable.current.resample.convertRow16
    self.init(uninitialized: samples.size)
    withMutableView { target in
      parallelism.forEachStripe(rows: samples.height) { rows in
        for y in rows { convert(samples.row(y), target.row(y), samples.width, scale) }
      }
    }
  }
}
