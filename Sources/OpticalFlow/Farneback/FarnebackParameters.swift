/// Parameters of Farnebäck's method. The defaults are OpenCV's sample values.
public struct FarnebackParameters: NamedParameters, Codable {
  /// The ways to average the equations around a pixel.
  public enum WindowKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// All with one weight.
    case box
    /// Weights of a Gaussian with σ = 0.15 · window: somewhat more precise, slower.
    case gaussian
  }

  /// The size of a level in relation to the next finer one, 0.1…0.95. 0.5 is the classical pyramid.
  public var pyramidScale: Double
  /// Levels above the full-size image, 0…20. Fewer are used when a level would have a side under 32 pixels.
  public var levels: Int
  /// The side of the averaging window in pixels, 1…255; even numbers count as the next odd one. Larger windows are
  /// more robust and catch faster motion, but blur motion borders.
  public var windowSize: Int
  /// The shape of the window.
  public var windowKind: WindowKind
  /// Iterations per level, 1…100.
  public var iterations: Int
  /// The polynomial is fitted to the (2n + 1)² pixels around each pixel, n in 1…15.
  public var polynomialNeighborhood: Int
  /// The standard deviation of the Gaussian weights of the fit in pixels, 0.3…10.
  public var polynomialSigma: Double

  /// Values out of range are refused by ``FarnebackEngine`` and by `validate()`, not here.
  public init(
    pyramidScale: Double = 0.5, levels: Int = 3, windowSize: Int = 15, windowKind: WindowKind = .box,
    iterations: Int = 3, polynomialNeighborhood: Int = 5, polynomialSigma: Double = 1.2
  ) {
    self.pyramidScale = pyramidScale
    self.levels = levels
    self.windowSize = windowSize
    self.windowKind = windowKind
    self.iterations = iterations
    self.polynomialNeighborhood = polynomialNeighborhood
    self.polynomialSigma = polynomialSigma
  }

  /// The values of OpenCV's sample program.
  public static let `default` = FarnebackParameters()

  public static let keys: [ParameterKey<FarnebackParameters>] = [
    ParameterKey(
      name: "pyramid-scale", help: "size of a pyramid level in relation to the next finer one",
      storage: .number(\.pyramidScale, 0.1...0.95)),
    ParameterKey(
      name: "levels", help: "pyramid levels above the full-size image", storage: .integer(\.levels, 0...20)),
    ParameterKey(
      name: "window", help: "side of the averaging window in pixels", storage: .integer(\.windowSize, 1...255)),
    ParameterKey(
      name: "window-kind", help: "shape of the averaging window",
      storage: .choice(\.windowKindName, WindowKind.allCases.map(\.rawValue))),
    ParameterKey(name: "iterations", help: "iterations per level", storage: .integer(\.iterations, 1...100)),
    ParameterKey(
      name: "neighborhood", help: "the polynomial is fitted to (2n + 1)² pixels",
      storage: .integer(\.polynomialNeighborhood, 1...15)),
    ParameterKey(
      name: "sigma", help: "standard deviation of the weights of the fit in pixels",
      storage: .number(\.polynomialSigma, 0.3...10)),
  ]

  private var windowKindName: String {
    get { windowKind.rawValue }
    set { windowKind = WindowKind(rawValue: newValue) ?? windowKind }
  }
}
