// The distance between two maps of one pair of images.

import Imaging

extension Homography {
  /// Returns how far the points that both images show lie from where `other` puts them: root mean square, in pixels.
  package func distance(from other: Homography, floating: PixelSize, reference: PixelSize) -> Double {
    let side = 16
    var (sum, count) = (0.0, 0.0)
    for index in 0..<side * side {
      let x = (Double(index % side) + 0.5) * Double(floating.width) / Double(side) - 0.5
      let y = (Double(index / side) + 0.5) * Double(floating.height) / Double(side) - 0.5
      guard let a = project(x, y), let b = other.project(x, y), a.x >= 0, a.y >= 0, a.x < Double(reference.width),
        a.y < Double(reference.height)
      else { continue }
      sum += (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
      count += 1
    }
    return count > 0 ? (sum / count).squareRoot() : .infinity
  }
}
