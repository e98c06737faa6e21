// One channel of an image: a value with copy-on-write over aligned, padded memory.

/// The values that a plane can hold: plain numbers, or small structs of them.
public typealias PlaneScalar = BitwiseCopyable & Sendable

/// The memory behind a plane. Rows start on 64-byte boundaries and are padded so that a kernel may read, but
/// never write, up to 63 bytes past the end of a row.
@usableFromInline
final class PlaneStorage<Scalar: PlaneScalar>: @unchecked Sendable {
  // SAFETY: the memory is written only through `Plane`, which makes sure that it holds the only reference
  // before it hands out a mutable view.
  @usableFromInline let base: UnsafeMutablePointer<Scalar>
  @usableFromInline let stride: Int
  let byteCount: Int

  static func bytesPerRow(width: Int) -> Int { (width * MemoryLayout<Scalar>.stride + 63) / 64 * 64 + 64 }

  /// - Parameter isZeroed: Pass true to start the pixels as zero bytes; the padding always does.
  init(width: Int, height: Int, isZeroed: Bool = true) {
    stride = Self.bytesPerRow(width: width)
    byteCount = stride * max(height, 1)
    let raw = PlaneMemory.shared.take(byteCount: byteCount)
    if isZeroed {
      raw.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    } else {
      let used = width * MemoryLayout<Scalar>.stride
      for y in 0..<max(height, 1) {
        (raw + (y * stride + used)).initializeMemory(as: UInt8.self, repeating: 0, count: stride - used)
      }
    }
    base = raw.assumingMemoryBound(to: Scalar.self)
  }

  deinit { PlaneMemory.shared.giveBack(UnsafeMutableRawPointer(base), byteCount: byteCount) }
}

/// An image of one channel, `width × height`, row by row from the top.
///
/// A value: copies are cheap and share memory until one of them is written. Pixels start as zero bytes.
public struct Plane<Scalar: PlaneScalar>: Sendable {
  /// Width and height in pixels.
  public let size: PixelSize
  @usableFromInline var storage: PlaneStorage<Scalar>

  /// A plane of zeros. Sizes of zero are allowed and hold nothing.
  public init(width: Int, height: Int) {
    precondition(width >= 0 && height >= 0, "a plane of \(width)×\(height)")
    size = PixelSize(width: width, height: height)
    storage = PlaneStorage(width: width, height: height)
  }

  /// A plane of zeros.
  public init(size: PixelSize) { self.init(width: size.width, height: size.height) }

  /// A plane whose pixels `fill` writes, every one of them: saves the zeros.
  package init(size: PixelSize, filledBy fill: (MutablePlaneView<Scalar>) -> Void) {
    precondition(size.width >= 0 && size.height >= 0, "a plane of \(size)")
    self.size = size
    storage = PlaneStorage(width: size.width, height: size.height, isZeroed: false)
    fill(MutablePlaneView(base: storage.base, stride: storage.stride, size: size))
  }

  /// A plane whose pixels hold anything until they are written: saves the zeros.
  package init(uninitialized size: PixelSize) { self.init(size: size) { _ in } }

  /// A plane of one value.
  public init(size: PixelSize, repeating value: Scalar) {
    self.init(size: size)
    fill(value)
  }

  /// Evaluates `pixel(x, y)` at every pixel.
  public init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) throws -> Scalar) rethrows {
    self.init(width: width, height: height)
    try withMutableView { view in
      for y in 0..<height {
        let row = view.row(y)
        for x in 0..<width { row[x] = try pixel(x, y) }
      }
    }
  }

  /// Pixels in a row.
  public var width: Int { size.width }
  /// Rows.
  public var height: Int { size.height }
  /// Bytes from one row to the next.
  package var stride: Int { storage.stride }

  /// Sets every pixel to one value; the padding of the rows stays as it is.
  public mutating func fill(_ value: Scalar) {
    withMutableView { view in
      for y in 0..<view.height { view.row(y).update(repeating: value, count: view.width) }
    }
  }

  /// Gives access for reading. Rows start on 64-byte boundaries and may be read up to 63 bytes past their end.
  @inlinable
  package func withView<Result, Failure: Error>(
    _ body: (PlaneView<Scalar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(PlaneView(base: UnsafePointer(storage.base), stride: storage.stride, size: size))
  }

  /// Gives access for writing; copies the memory first when another plane shares it.
  @usableFromInline
  package mutating func withMutableView<Result, Failure: Error>(
    _ body: (MutablePlaneView<Scalar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    makeUnique()
    defer { withExtendedLifetime(storage) {} }
    return try body(MutablePlaneView(base: storage.base, stride: storage.stride, size: size))
  }

  private mutating func makeUnique() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    let copy = PlaneStorage<Scalar>(width: size.width, height: size.height, isZeroed: false)
    UnsafeMutableRawPointer(copy.base).copyMemory(from: storage.base, byteCount: storage.byteCount)
    storage = copy
  }

  /// The pixel at (x, y): for tests and single look-ups. Loops use ``withRow(_:_:)``.
  public subscript(x: Int, y: Int) -> Scalar {
    get {
      precondition(size.contains(x: x, y: y), "(\(x), \(y)) is outside \(size)")
      return withView { $0.row(y)[x] }
    }
    set {
      precondition(size.contains(x: x, y: y), "(\(x), \(y)) is outside \(size)")
      withMutableView { $0.row(y)[x] = newValue }
    }
  }
}

extension Plane: Equatable where Scalar: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    guard a.size == b.size else { return false }
    return a.withView { left in
      b.withView { right in
        (0..<a.height).allSatisfy { y in
          let (p, q) = (left.row(y), right.row(y))
          return (0..<a.width).allSatisfy { p[$0] == q[$0] }
        }
      }
    }
  }
}
