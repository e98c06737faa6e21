// The mean of frames as they come.

/// Means of warped pictures, pixel by pixel over those that show it.
struct RunningMean {
  /// The mean so far, and in the last channel how many samples it has.
  private var means: Plane<SIMD4<Float>>
  private let parallelism: Parallelism

  init(size: PixelSize, parallelism: Parallelism) {
    means = Plane(size: size)
    self.parallelism = parallelism
  }

  /// - Parameter map: From pixels of `picture` to those of the mean.
  mutating func add(_ picture: Plane<RGB16>, _ map: Homography) {
    guard let view = WarpedView(map, of: picture.size) else { return }
    let parallelism = parallelism
    picture.withSampler { sampler in
      means.withMutableView { means in
        parallelism.forEachStripe(rows: means.height) { stripe in
          for y in stripe {
            let row = means.row(y)
            view.forEachPlace(row: y, columns: 0..<means.width) { x, place in
              let mean = row[x]
              let count = mean.w + 1
              // Limited as it will be stored: bicubic samples overshoot.
              let sample = sampler.bicubic(place).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 65535))
              var next = mean + (sample - mean) / count
              next.w = count
              row[x] = next
            }
          }
        }
      }
    }
  }

  /// The mean, rounded; black where no picture was.
  var picture: Plane<RGB16> {
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

/// Where the pixels of a result lie in a picture.
struct WarpedView: Sendable {
  private let inverse: Homography
  private let size: PixelSize

  /// - Parameter map: From pixels of the picture to those of the result.
  init?(_ map: Homography, of size: PixelSize) {
    guard let inverse = map.inverse else { return nil }
    self.inverse = inverse
    self.size = size
  }

  /// Calls `body` for the pixels of a row that the picture shows, with their places in it.
  @inline(__always)
  func forEachPlace(row y: Int, columns: Range<Int>, _ body: (Int, SIMD2<Double>) -> Void) {
    let e = inverse.elements
    let start = SIMD3(e[1], e[4], e[7]) * Double(y) + SIMD3(e[2], e[5], e[8])
    let across = SIMD3(e[0], e[3], e[6])
    // Rounding must not push the picture's own border outside.
    let (right, bottom) = (Double(size.width) - 0.99, Double(size.height) - 0.99)
    for x in columns {
      let p = start + across * Double(x)
      let place = SIMD2(p.x, p.y) / p.z
      guard p.z > 0, place.x >= -0.01, place.y >= -0.01, place.x <= right, place.y <= bottom else { continue }
      body(x, place)
    }
  }
}
