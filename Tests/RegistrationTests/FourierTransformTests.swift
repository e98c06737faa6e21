import Imaging
import Testing

@testable import Registration

@Suite struct FourierTransformTests {
  @Test(arguments: [(4, 1), (7, 5), (32, 30), (50, 33)])
  func imagesComeBackTimesTheirSamples(width: Int, height: Int) {
    guard let transform = FourierTransform(atLeast: PixelSize(width: width, height: height)) else {
      Issue.record("no memory for a transform of \(width)×\(height)")
      return
    }
    let size = transform.size
    #expect(size.width >= width && size.height >= height && size.width % 2 == 0)
    #expect(FourierTransform.fastSize(atLeast: size) == size)
    let samples = (0..<size.area).map { index -> Float in
      let number = (37 * index + 11 * index * index) % 101
      return Float(number) - 50
    }
    var spectrum = [SIMD2<Float>](repeating: .zero, count: transform.columns * size.height)
    transform.transform(samples, into: &spectrum)
    #expect(abs(spectrum[0].x - samples.reduce(0, +)) < 0.1 && abs(spectrum[0].y) < 1e-3)
    var output = [Float](repeating: 0, count: size.area)
    transform.restore(&spectrum, into: &output)
    for (before, after) in zip(samples, output) { #expect(abs(after / Float(size.area) - before) < 1e-2) }
  }
}
