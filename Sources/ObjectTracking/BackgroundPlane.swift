import Imaging

/// One plane of a background: its luma, or a colour difference.
struct BackgroundPlane {
  /// The background, in grey levels.
  private(set) var image: Plane<Float>

  /// The median of some planes of one size; at least one.
  init(_ frames: [Plane<Float>]) {
    image = frames[0]
    guard frames.count > 2 else { return }
    let width = image.width
    var rows = [[Float]](repeating: Array(repeating: 0, count: width), count: frames.count)
    image.withMutableView { target in
      for y in 0..<target.height {
        for (index, frame) in frames.enumerated() {
          frame.withView { view in
            for x in 0..<width { rows[index][x] = view.row(y)[x] }
          }
        }
        for x in 0..<width { target.row(y)[x] = rows.map { $0[x] }.median ?? 0 }
      }
    }
  }

  /// Goes a step towards a frame.
  /// - Parameter steps: The most that each pixel changes, row by row.
  mutating func learn(_ frame: Plane<Float>, steps: [Float]) {
    let width = image.width
    frame.withView { frame in
      image.withMutableView { image in
        for y in 0..<image.height {
          let (values, means) = (frame.row(y), image.row(y))
          for x in 0..<width {
            let step = steps[y * width + x]
            means[x] += min(max(values[x] - means[x], -step), step)
          }
        }
      }
    }
  }

  /// Adds how far each pixel of a frame is from the background to numbers, row by row.
  func addDifferences(of frame: Plane<Float>, to differences: inout [Float]) {
    let width = image.width
    frame.withView { frame in
      image.withView { image in
        for y in 0..<image.height {
          let (values, means) = (frame.row(y), image.row(y))
          for x in 0..<width { differences[y * width + x] += abs(values[x] - means[x]) }
        }
      }
    }
  }
}
