import TestSupport
import Testing

@testable import Imaging

@Suite struct AreaAverageTests {
  @Test func eachPixelIsTheMeanOfWhatItCovers() {
    let image = Plane<Float>(width: 5, height: 4) { x, y in Float(x * x + 10 * y) }
    let average = AreaAverage(source: image.size, target: PixelSize(width: 2, height: 2))
    let reduced = image.withView(average.means)
    // (0 + 1 + 4/2) / 2.5 and (4/2 + 9 + 16) / 2.5; rows 0, 1 and 2, 3.
    for (x, y, mean) in [(0, 0, 6.2), (1, 0, 15.8), (0, 1, 26.2), (1, 1, 35.8)] {
      #expect(abs(Double(reduced[x, y]) - mean) < 1e-4, "\(x) \(y) \(reduced[x, y])")
    }
  }

  @Test func whatLiesBesideTheImageHasNoSay() {
    let size = PixelSize(width: 37, height: 20)
    let wide = Plane<Float>(width: 90, height: 20) { x, y in x < size.width ? Float(x + y) : .nan }
    let alone = Plane<Float>(width: size.width, height: size.height) { x, y in Float(x + y) }
    let average = AreaAverage(source: size, target: PixelSize(width: 16, height: 9))
    let reduced = wide.withView { average.means(of: PlaneView(base: $0.base, stride: $0.stride, size: size)) }
    #expect(reduced == alone.withView(average.means))
  }

  /// Fewer rows than sixteen, as many, some more; columns likewise; one side or none reduced.
  static let sizes = [
    (PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 1)),
    (PixelSize(width: 9, height: 40), PixelSize(width: 3, height: 16)),
    (PixelSize(width: 70, height: 37), PixelSize(width: 17, height: 33)),
    (PixelSize(width: 768, height: 57), PixelSize(width: 320, height: 23)),
    (PixelSize(width: 33, height: 50), PixelSize(width: 33, height: 7)),
    (PixelSize(width: 100, height: 18), PixelSize(width: 1, height: 18)),
  ]

  @Test(arguments: sizes)
  func meansAreThoseOfTheDefinition(source: PixelSize, target: PixelSize) {
    var random = FixedRandom(seed: 91)
    let image = Plane<UInt8>(width: source.width, height: source.height) { _, _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let average = AreaAverage(source: source, target: target)
    let reduced = image.withView(average.means)
    let numbers = Plane<Float>(width: source.width, height: source.height) { Float(image[$0, $1]) }
    #expect(reduced == numbers.withView(average.means))
    // Working memory of the image before leaves no trace.
    #expect(reduced == image.withView(average.means))
    for y in 0..<target.height {
      for x in 0..<target.width {
        let mean = mean(image, x, y, target)
        #expect(abs(Double(reduced[x, y]) - mean) < 1e-4, "(\(x), \(y)): \(reduced[x, y]) for \(mean)")
      }
    }
  }

  private func mean(_ image: Plane<UInt8>, _ x: Int, _ y: Int, _ target: PixelSize) -> Double {
    func cover(_ index: Int, _ source: Int, _ target: Int) -> [(position: Int, share: Double)] {
      let (start, end) = (
        Double(index * source) / Double(target), Double((index + 1) * source) / Double(target)
      )
      return (0..<source).compactMap { position in
        let covered = min(end, Double(position + 1)) - max(start, Double(position))
        return covered > 0 ? (position, covered / (end - start)) : nil
      }
    }
    var sum = 0.0
    for row in cover(y, image.height, target.height) {
      for column in cover(x, image.width, target.width) {
        sum += row.share * column.share * Double(image[column.position, row.position])
      }
    }
    return sum
  }
}
