/// Parameters of dense Lucas-Kanade. The defaults are those of `medium` without its median filter.
public struct LucasKanadeParameters: NamedParameters, Codable {
  /// The ways to weight the equations of a window.
  public enum WindowKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// All alike. Its sums run, so that the time hardly depends on the size of the window.
    case box
    /// Weights of a Gaussian with σ = 0.2 · window. More precise for a given window, and slower.
    case gaussian
  }

  /// The ways to read the second image between its pixels.
  public enum Sampling: String, Sendable, Hashable, CaseIterable, Codable {
    /// Between four pixels, with central differences for the gradient.
    case bilinear
    /// Catmull and Rom's spline, and Scharr's filter for the gradient: more precise, slower.
    case bicubic
  }

  /// The filter that takes single wrong vectors away after each iteration.
  public enum MedianFilter: String, Sendable, Hashable, CaseIterable, Codable {
    /// Vectors stay as they were found.
    case off
    /// Over 3×3 vectors.
    case small = "3"
    /// Over 5×5 vectors.
    case large = "5"
  }

  /// The size of a level in relation to the next finer one, 0.1…0.95. 0.5 is the classical pyramid.
  public var pyramidScale: Double
  /// Levels above the full-size image, 0…50. Fewer are used when a level would have a side under 16 pixels.
  public var levels: Int
  /// The side of the window in pixels, 3…255; even numbers count as the next odd one. Larger windows are more robust,
  /// but take less notice of how motion changes from point to point.
  public var windowSize: Int
  /// The weights of the window.
  public var windowKind: WindowKind
  /// The maximum distance, in units of half the window's side, at which a pixel may look for a window that fits better
  /// than the one around it, 0…1. 0 keeps the window in the middle.
  public var windowShift: Double
  /// Iterations per level, 1…100.
  public var iterations: Int
  /// The way in which the second image is read between its pixels.
  public var sampling: Sampling
  /// The filter after each iteration.
  public var median: MedianFilter
  /// The strength with which a window without texture holds on to the flow of the coarser level, 0.001…1000, in squared
  /// grey levels per pixel.
  public var regularization: Double

  /// Values out of range are refused by ``LucasKanadeEngine`` and by `validate()`, not here.
  public init(
    pyramidScale: Double = 0.5, levels: Int = 10, windowSize: Int = 13, windowKind: WindowKind = .box,
    windowShift: Double = 0.7, iterations: Int = 3, sampling: Sampling = .bilinear, median: MedianFilter = .off,
    regularization: Double = 0.5
  ) {
    self.pyramidScale = pyramidScale
    self.levels = levels
    self.windowSize = windowSize
    self.windowKind = windowKind
    self.windowShift = windowShift
    self.iterations = iterations
    self.sampling = sampling
    self.median = median
    self.regularization = regularization
  }

  /// The parameters of ``medium``.
  public static let `default` = medium

  // Tuned together on the eight Middlebury training pairs, with an eye on Sintel, KITTI and FlyingChairs; see
  // Tests/Benchmarks. Mean endpoint errors on the former: 0.38, 0.35, 0.30 and 0.30 pixels.
  /// Two iterations on each octave.
  public static let low = LucasKanadeParameters(iterations: 2)
  /// Three iterations on each octave, each followed by a small median filter.
  public static let medium = LucasKanadeParameters(median: .small)
  /// Three levels to the octave, smaller windows, which look further for a better one, precise sampling.
  public static let high = LucasKanadeParameters(
    pyramidScale: 0.8, levels: 50, windowSize: 11, windowShift: 0.8, iterations: 2, sampling: .bicubic, median: .large,
    regularization: 1)
  /// Six to seven levels to the octave; all else as in ``high``.
  public static let veryHigh = LucasKanadeParameters(
    pyramidScale: 0.9, levels: 50, windowSize: 11, windowShift: 0.8, iterations: 2, sampling: .bicubic, median: .large,
    regularization: 1)

  public static let keys: [ParameterKey<LucasKanadeParameters>] = [
    ParameterKey(
      name: "pyramid-scale", help: "size of a pyramid level in relation to the next finer one",
      storage: .number(\.pyramidScale, 0.1...0.95)),
    ParameterKey(
      name: "levels", help: "pyramid levels above the full-size image", storage: .integer(\.levels, 0...50)),
    ParameterKey(name: "window", help: "side of the window in pixels", storage: .integer(\.windowSize, 3...255)),
    ParameterKey(
      name: "window-kind", help: "weights of the window",
      storage: .choice(\.windowKindName, WindowKind.allCases.map(\.rawValue))),
    ParameterKey(
      name: "window-shift", help: "how far away a better window may lie, in units of half the window's side",
      storage: .number(\.windowShift, 0...1)),
    ParameterKey(name: "iterations", help: "iterations per level", storage: .integer(\.iterations, 1...100)),
    ParameterKey(
      name: "sampling", help: "how the second image is read between its pixels",
      storage: .choice(\.samplingName, Sampling.allCases.map(\.rawValue))),
    ParameterKey(
      name: "median", help: "side of the median filter after each iteration",
      storage: .choice(\.medianName, MedianFilter.allCases.map(\.rawValue))),
    ParameterKey(
      name: "regularization", help: "how strongly flat surfaces hold on to the coarser flow, in squared grey levels",
      storage: .number(\.regularization, 0.001...1000)),
  ]

  private var windowKindName: String {
    get { windowKind.rawValue }
    set { windowKind = WindowKind(rawValue: newValue) ?? windowKind }
  }

  private var samplingName: String {
    get { sampling.rawValue }
    set { sampling = Sampling(rawValue: newValue) ?? sampling }
  }

  private var medianName: String {
    get { median.rawValue }
    set { median = MedianFilter(rawValue: newValue) ?? median }
  }
}
