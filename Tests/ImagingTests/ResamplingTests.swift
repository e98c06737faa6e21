import Foundation
import Imaging
import Testing

@Suite struct ResamplingTests {
  @Test func aRampStaysARampWhenResized() {
    let ramp = Plane<Float>(width: 64, height: 48) { x, y in Float(3 * x) + Float(y) }
    for (width, height) in [(32, 24), (45, 31), (128, 96), (64, 48)] {
      var target = Plane<Float>(width: width, height: height)
      ramp.resize(into: &target, multiplyingBy: 2, parallelism: .serial)
      for (x, y) in [(width / 2, height / 2), (width / 3, height / 4)] {
        let sourceX = (Double(x) + 0.5) * 64 / Double(width) - 0.5
        let sourceY = (Double(y) + 0.5) * 48 / Double(height) - 0.5
        #expect(abs(Double(target[x, y]) - 2 * (3 * sourceX + sourceY)) < 1e-3, "\(width)×\(height)")
      }
    }
  }

  @Test func constantsStayConstantAtEverySize() {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 3), (40, 33)] {
      for (targetWidth, targetHeight) in [(1, 1), (3, 2), (17, 50)] {
        let plane = Plane<Float>(size: PixelSize(width: width, height: height), repeating: 100)
        var target = Plane<Float>(width: targetWidth, height: targetHeight)
        plane.smoothAndResize(
          with: SmoothingKernel(sigma: 1.5, radius: 4), into: &target, parallelism: Parallelism(threadCount: 3))
        for y in 0..<targetHeight { for x in 0..<targetWidth { #expect(abs(target[x, y] - 100) < 1e-3) } }
      }
    }
  }

  @Test func smoothingSpreadsAPointByItsKernel() {
    var point = Plane<Float>(width: 15, height: 13)
    point[7, 6] = 1
    var smooth = Plane<Float>(width: 15, height: 13)
    let kernel = SmoothingKernel(sigma: 1, radius: 3)
    point.smoothAndResize(with: kernel, into: &smooth, parallelism: .serial)
    for y in 3...9 {
      for x in 4...10 { #expect(abs(smooth[x, y] - kernel.weights[x - 4] * kernel.weights[y - 3]) < 1e-7) }
    }
    #expect(smooth[3, 6] == 0 && smooth[7, 10] == 0)
  }

  @Test func theGaussianIsThatOfTheLibrary() {
    for x in stride(from: 0.0, through: 6, by: 0.37) {
      for sigma in [0.3, 1.2, 10] {
        let expected = exp(-x * x / (2 * sigma * sigma))
        #expect(abs(gaussian(x, sigma: sigma) - expected) <= 1e-13 * expected + 1e-22)
      }
    }
  }

  @Test func mirroringGoesBackAndForth() {
    #expect((-5...8).map { reflectedIndex($0, count: 3) } == [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0])
    #expect((-3...3).map { reflectedIndex($0, count: 1) } == [0, 0, 0, 0, 0, 0, 0])
  }
}
