// Flow fields between C's pairs of floats and planes.

import Imaging

/// Returns the size of something of that name, checked: it must be possible to have memory for it.
func checkedSize(_ width: Int64, _ height: Int64, _ name: String) throws -> PixelSize {
  guard (1...Int64(Int32.max)).contains(width), (1...Int64(Int32.max)).contains(height) else {
    throw InvalidArgument("\(name) is \(width)×\(height) pixels: both sides are 1…\(Int32.max)")
  }
  let size = PixelSize(width: Int(width), height: Int(height))
  guard size.area > largePixelCount else { return size }
  do {
    try FrameMemory.require(byteCount: size.area * bytesPerPixel)
  } catch {
    throw InvalidArgument("\(name) is \(width)×\(height) pixels: there is no memory for so many")
  }
  return size
}

/// The number of pixels from which the system is asked whether there is memory for them.
private let largePixelCount = 1 << 24
/// The memory that the work on a pixel takes at the least, in bytes.
private let bytesPerPixel = 32

/// Returns the size of a field or an image, checked.
func checkedSize(_ width: Int64, _ height: Int64) throws -> PixelSize {
  try checkedSize(width, height, "the size")
}

extension FlowField {
  /// A field out of pairs. Vectors with a component that is no finite number are unknown.
  init(pairs: UnsafePointer<Float>, size: PixelSize) {
    self.init(uninitialized: size)
    u.withMutableView { u in
      v.withMutableView { v in
        for y in 0..<size.height {
          let (source, uRow, vRow) = (pairs + 2 * y * size.width, u.row(y), v.row(y))
          for x in 0..<size.width {
            let (first, second) = (source[2 * x], source[2 * x + 1])
            let isKnown = first.isFinite && second.isFinite
            uRow[x] = isKnown ? first : .nan
            vRow[x] = isKnown ? second : .nan
          }
        }
      }
    }
  }

  /// Writes the field as pairs.
  func write(pairs: UnsafeMutablePointer<Float>, _ parallelism: Parallelism = .serial) {
    let size = size
    // SAFETY: each stripe writes its own rows of the caller's memory, which outlives the call.
    nonisolated(unsafe) let pairs = pairs
    u.withView { u in
      v.withView { v in
        parallelism.adapted(to: size).forEachStripe(rows: size.height) { rows in
          for y in rows {
            let (target, uRow, vRow) = (pairs + 2 * y * size.width, u.row(y), v.row(y))
            for x in 0..<size.width {
              target[2 * x] = uRow[x]
              target[2 * x + 1] = vRow[x]
            }
          }
        }
      }
    }
  }
}

extension Plane {
  /// A plane out of rows without gaps.
  init(rows: UnsafePointer<Scalar>, size: PixelSize) {
    self.init(size: size) { output in
      for y in 0..<size.height { output.row(y).update(from: rows + y * size.width, count: size.width) }
    }
  }

  /// Writes the plane as rows without gaps.
  func write(rows: UnsafeMutablePointer<Scalar>) {
    withView { view in
      for y in 0..<view.height { (rows + y * view.width).update(from: view.row(y), count: view.width) }
    }
  }
}
