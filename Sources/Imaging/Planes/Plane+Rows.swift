// The rows of a plane for callers of the library. Spans, which cannot leave the closure, came with Swift 6.2; before
// it, closures of the same text get pointers with a count, of which nothing keeps them from leaving.

#if compiler(>=6.2)
  extension Plane {
    /// Gives access to the row `y`, which must lie inside, for reading.
    public func withRow<Result, Failure: Error>(
      _ y: Int, _ body: (Span<Scalar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      precondition(y >= 0 && y < height, "row \(y) of \(size)")
      return try withView { view throws(Failure) in
        try body(UnsafeBufferPointer(start: view.row(y), count: view.width).span)
      }
    }

    /// Gives access to the row `y`, which must lie inside, for writing; copies the memory first when another plane
    /// shares it.
    public mutating func withMutableRow<Result, Failure: Error>(
      _ y: Int, _ body: (inout MutableSpan<Scalar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      precondition(y >= 0 && y < height, "row \(y) of \(size)")
      return try withMutableView { view throws(Failure) in
        var row = UnsafeMutableBufferPointer(start: view.row(y), count: view.width).mutableSpan
        return try body(&row)
      }
    }
  }
#else
  extension Plane {
    /// Gives access to the row `y`, which must lie inside, for reading.
    public func withRow<Result, Failure: Error>(
      _ y: Int, _ body: (UnsafeBufferPointer<Scalar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      precondition(y >= 0 && y < height, "row \(y) of \(size)")
      return try withView { view throws(Failure) in
        try body(UnsafeBufferPointer(start: view.row(y), count: view.width))
      }
    }

    /// Gives access to the row `y`, which must lie inside, for writing; copies the memory first when another plane
    /// shares it.
    public mutating func withMutableRow<Result, Failure: Error>(
      _ y: Int, _ body: (inout UnsafeMutableBufferPointer<Scalar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      precondition(y >= 0 && y < height, "row \(y) of \(size)")
      return try withMutableView { view throws(Failure) in
        var row = UnsafeMutableBufferPointer(start: view.row(y), count: view.width)
        return try body(&row)
      }
    }
  }
#endif
