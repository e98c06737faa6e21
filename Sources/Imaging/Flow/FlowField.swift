/// Dense motion between two images: a vector for every pixel of `previous`.
///
/// `previous(x, y)` shows what `current(x + u, y + v)` shows. `u` points right, `v` points down, both in pixels of
/// the full-size image. An unknown vector is NaN in both components.
public struct FlowField: Sendable {
  /// Horizontal components, in pixels, positive to the right.
  public var u: Plane<Float>
  /// Vertical components, in pixels, positive downwards.
  public var v: Plane<Float>

  /// Zero motion.
  public init(size: PixelSize) {
    u = Plane(size: size)
    v = Plane(size: size)
  }

  /// Vectors that hold anything until they are written: saves the zeros.
  public init(uninitialized size: PixelSize) {
    u = Plane(uninitialized: size)
    v = Plane(uninitialized: size)
  }

  /// The two components must have one size.
  public init(u: Plane<Float>, v: Plane<Float>) {
    precondition(u.size == v.size, "components of \(u.size) and \(v.size)")
    self.u = u
    self.v = v
  }

  /// Evaluates `vector(x, y)` at every pixel.
  public init(width: Int, height: Int, vector: (_ x: Int, _ y: Int) throws -> (u: Float, v: Float)) rethrows {
    self.init(size: PixelSize(width: width, height: height))
    for y in 0..<height {
      for x in 0..<width {
        let value = try vector(x, y)
        u[x, y] = value.u
        v[x, y] = value.v
      }
    }
  }

  /// The size of both components.
  public var size: PixelSize { u.size }
  /// Vectors in a row.
  public var width: Int { u.width }
  /// Rows of vectors.
  public var height: Int { u.height }

  /// The vector at the pixel (x, y); NaN in both components when it is unknown.
  public subscript(x: Int, y: Int) -> (u: Float, v: Float) {
    get { (u[x, y], v[x, y]) }
    set {
      u[x, y] = newValue.u
      v[x, y] = newValue.v
    }
  }

  /// Returns whether the vector at (x, y) is known.
  public func isKnown(x: Int, y: Int) -> Bool { !u[x, y].isNaN && !v[x, y].isNaN }
}

extension FlowField {
  /// The mean of the known vectors, in pixels; zero when none is known.
  public var meanVector: (u: Float, v: Float) {
    var sum = (u: 0.0, v: 0.0)
    var count = 0
    u.withView { u in
      v.withView { v in
        for y in 0..<u.height {
          let (uRow, vRow) = (u.row(y), v.row(y))
          for x in 0..<u.width where !uRow[x].isNaN && !vRow[x].isNaN {
            sum.u += Double(uRow[x])
            sum.v += Double(vRow[x])
            count += 1
          }
        }
      }
    }
    return count > 0 ? (Float(sum.u / Double(count)), Float(sum.v / Double(count))) : (0, 0)
  }
}
