// The outlines of what moves: Vision's contours, drawn around the moving regions of a flow field.

import Imaging

extension FlowField {
  /// Returns the distance that each pixel moves, in pixels; NaN where the vector is unknown.
  public func speed(parallelism: Parallelism = Parallelism()) -> Plane<Float> {
    var speed = Plane<Float>(uninitialized: size)
    let width = size.width
    speed.withMutableView { speed in
      u.withView { u in
        v.withView { v in
          parallelism.forEachStripe(rows: size.height) { rows in
            for y in rows {
              let (uRow, vRow, output) = (u.row(y), v.row(y), speed.row(y))
              for x in 0..<width { output[x] = (uRow[x] * uRow[x] + vRow[x] * vRow[x]).squareRoot() }
            }
          }
        }
      }
    }
    return speed
  }

  /// The outlines of the regions that move by more than `threshold`, outer contours and holes, nested.
  ///
  /// Points lie where the speed, taken for linear between neighbouring pixels, passes the threshold. Unknown vectors
  /// (NaN) count as not moving. The motion of the camera counts: take it out first with
  /// `FlowField.subtract(motionOf:parallelism:)`.
  /// - Parameters:
  ///   - threshold: In pixels per pair of frames, 0 or more.
  ///   - minimumArea: Square pixels; smaller regions are left out, smaller holes filled.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Complexity: O(width · height).
  public func motionContours(
    threshold: Float, minimumArea: Double = 0, parallelism: Parallelism = Parallelism()
  ) -> ContourHierarchy {
    precondition(threshold >= 0, "a threshold of \(threshold) px")
    return ContourHierarchy(speed(parallelism: parallelism), threshold: threshold, minimumArea: minimumArea)
  }

  /// Returns a mask of the pixels that move by more than `threshold`: 255 there, else 0, also where the vector is
  /// unknown.
  public func motionMask(threshold: Float, parallelism: Parallelism = Parallelism()) -> Plane<UInt8> {
    let speed = speed(parallelism: parallelism)
    return speed.withView { speed in
      Plane(width: speed.width, height: speed.height) { x, y in speed.row(y)[x] > threshold ? 255 : 0 }
    }
  }
}
