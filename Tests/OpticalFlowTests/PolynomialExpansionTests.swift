import Imaging
import Testing

@testable import OpticalFlow

@Suite struct PolynomialExpansionTests {
  /// A quadratic is its own expansion, so the coefficients are known exactly.
  @Test func aQuadraticIsRecovered() {
    let (c, bx, by, axx, ayy, axy) = (10.0, 1.5, -0.75, 0.05, -0.02, 0.03)
    let image = Plane<Float>(width: 40, height: 30) { x, y in
      let (x, y) = (Double(x), Double(y))
      return Float(c + bx * x + by * y + axx * x * x + ayy * y * y + axy * x * y)
    }
    var expansion = PolynomialExpansion()
    expansion.expand(image, with: PolynomialFit(neighborhood: 5, sigma: 1.2), parallelism: .serial)
    for (x, y) in [(10, 10), (20, 15), (34, 24)] {
      let (px, py) = (Double(x), Double(y))
      let expected = [bx + 2 * axx * px + axy * py, by + 2 * ayy * py + axy * px, axx, ayy, axy / 2]
      for (band, value) in expected.enumerated() {
        #expect(abs(Double(expansion.bands[x, 1 + band * 30 + y]) - value) < 1e-4, "band \(band) at (\(x), \(y))")
      }
    }
  }

  @Test func theFiltersAreAFit() {
    for (radius, sigma) in [(1, 0.3), (2, 1.0), (5, 1.2), (7, 1.5), (15, 10)] {
      let weights = PolynomialFit(neighborhood: radius, sigma: sigma).weights.map(Double.init)
      let x = (0...radius).map(Double.init)
      func moment(_ filter: Int, _ power: (Double) -> Double) -> Double {
        let w = weights[filter * (radius + 1)..<(filter + 1) * (radius + 1)].map { $0 }
        return (0...radius).reduce(0) { $0 + w[$1] * power(x[$1]) * ($1 == 0 ? 1 : 2) }
      }
      #expect(abs(moment(0) { _ in 1 } - 1) < 1e-6)
      #expect(abs(moment(1) { $0 } - 1) < 1e-6)
      #expect(abs(moment(2) { _ in 1 }) < 1e-6)
      #expect(abs(moment(2) { $0 * $0 } - 1) < 1e-5)
    }
  }
}
