// The mean of frames as they come.

import Imaging

/// Means of warped images, pixel by pixel over those that show it.
struct RunningMean {
  /// The mean so far, and in the last channel the number of its samples.
  private var means: Plane<SIMD4<Float>>
  private let parallelism: Parallelism

  init(size: PixelSize, parallelism: Parallelism) {
    means = Plane(size: size)
    self.parallelism = parallelism
  }

  /// Adds an image.
  /// - Parameter map: The map from pixels of `image` to those of the mean.
  mutating func add(_ image: Plane<RGB16>, _ map: Homography) {
    guard let view = WarpedView(map, of: image.size) else { return }
    let parallelism = parallelism
    image.withSampler { sampler in
      means.withMutableView { means in
        parallelism.forEachStripe(rows: means.height) { stripe in
          for y in stripe {
            let row = means.row(y)
            view.forEachPosition(row: y, columns: 0..<means.width) { x, position in
              let mean = row[x]
              let count = mean.w + 1
              // Limited as it will be stored: bicubic samples overshoot.
              let sample = sampler.bicubic(position).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 65535))
              var next = mean + (sample - mean) / count
              next.w = count
              row[x] = next
            }
          }
        }
      }
    }
  }

  /// The mean, rounded; black where no image was.
  var image: Plane<RGB16> {
    means.withView { means in
      Plane(
        size: means.size,
        filledBy: { target in
          for y in 0..<means.height {
            let (from, to) = (means.row(y), target.row(y))
            for x in 0..<means.width { to[x] = RGB16(channels: from[x]) }
          }
        })
    }
  }
}

/// A view of an image that tells where the pixels of a result lie in it.
struct WarpedView: Sendable {
  private let inverse: Homography
  private let size: PixelSize

  /// Makes a view; nil when the map has no inverse.
  /// - Parameter map: The map from pixels of the image to those of the result.
  init?(_ map: Homography, of size: PixelSize) {
    guard let inverse = map.inverse else { return nil }
    self.inverse = inverse
    self.size = size
  }

  /// Calls `body` for the pixels of a row that the image shows, with their positions in it.
  @inline(__always)
  func forEachPosition(row y: Int, columns: Range<Int>, _ body: (Int, SIMD2<Double>) -> Void) {
    let e = inverse.elements
    let start = SIMD3(e[1], e[4], e[7]) * Double(y) + SIMD3(e[2], e[5], e[8])
    let across = SIMD3(e[0], e[3], e[6])
    // Rounding must not push the image's own border outside.
    let (right, bottom) = (Double(size.width) - 0.99, Double(size.height) - 0.99)
    for x in columns {
      let p = start + across * Double(x)
      let position = SIMD2(p.x, p.y) / p.z
      guard p.z > 0, position.x >= -0.01, position.y >= -0.01, position.x <= right, position.y <= bottom else {
        continue
      }
      body(x, position)
    }
  }
}
