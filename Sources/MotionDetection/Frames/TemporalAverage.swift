import Imaging

/// The mean of images that follow each other, all as seen from where the first was taken: noise goes down with their
/// number, and what moves is blurred along its way. Used by one thread.
struct TemporalAverage {
  private var sum: Plane<Float>
  /// The number of images that the mean holds.
  private(set) var count = 0
  /// The map from pixels of the first image to those of the last; nil while the camera stands still.
  private(set) var motion: Homography?
  /// The time of the first image, in seconds.
  private(set) var start = 0.0
  private let warper: ImageWarper

  /// - Parameter size: The size of the images, in pixels.
  init(size: PixelSize, parallelism: Parallelism) {
    sum = Plane(size: size, repeating: 0)
    warper = ImageWarper(parallelism: parallelism)
  }

  /// Begins anew with the next image.
  mutating func reset() { count = 0 }

  /// Adds the next image.
  /// - Parameter camera: The map from pixels of the image before to those of this one; nil: the camera stood still.
  mutating func add(_ image: Plane<Float>, camera: Homography?, seconds: Double) {
    if count == 0 {
      (motion, start) = (nil, seconds)
    } else if let camera {
      motion = motion.map { camera * $0 } ?? camera
    }
    accumulate(motion.map { warper.warped(image, by: $0) } ?? image)
    count += 1
  }

  private mutating func accumulate(_ image: Plane<Float>) {
    let isFirst = count == 0
    image.withView { source in
      sum.withMutableView { target in
        for y in 0..<source.height {
          let (from, to) = (source.row(y), target.row(y))
          if isFirst {
            for x in 0..<source.width { to[x] = from[x] }
          } else {
            for x in 0..<source.width { to[x] += from[x] }
          }
        }
      }
    }
  }

  /// The mean of at least one image, smoothed by (1, 2, 1) / 4 along rows and columns: of the noise of single pixels a
  /// third remains, of what is four pixels wide nearly all.
  var image: Plane<Float> {
    let share = 1 / Float(16 * max(count, 1))
    return sum.withView { view in
      Plane(size: sum.size) { target in
        var columns = [Float](repeating: 0, count: view.width)
        for y in 0..<view.height {
          let (row, above, below) = (view.row(y), view.row(max(y - 1, 0)), view.row(min(y + 1, view.height - 1)))
          for x in 0..<view.width { columns[x] = share * (above[x] + 2 * row[x] + below[x]) }
          Self.smooth(columns, into: target.row(y))
        }
      }
    }
  }

  private static func smooth(_ row: [Float], into target: UnsafeMutablePointer<Float>) {
    let last = row.count - 1
    guard last > 0 else { return target.update(repeating: 4 * (row.first ?? 0), count: row.count) }
    target[0] = 3 * row[0] + row[1]
    target[last] = 3 * row[last] + row[last - 1]
    guard last > 1 else { return }
    for x in 1..<last { target[x] = row[x - 1] + 2 * row[x] + row[x + 1] }
  }
}
