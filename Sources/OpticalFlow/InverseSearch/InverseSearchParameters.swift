/// Parameters of dense inverse search with variational refinement.
public struct InverseSearchParameters: NamedParameters, Codable {
  /// Pyramid levels from one size to its half, 1…10: 1 is the classical pyramid, 6 shrinks by 0.89 each time. More make
  /// the method less likely to lock onto a wrong match.
  public var levelsPerOctave: Int
  /// The finest level at which flow is computed, 0…60; 0 is full size, `levelsPerOctave` is half of it. Images that
  /// would have a side under 64 pixels there are taken at a finer level.
  public var finestLevel: Int
  /// The minimum side of a level but the finest, 4…256 pixels.
  public var minimumSide: Int
  /// The finest octave in which patches are searched for, 0…20: 2 means at a quarter of the size and coarser. It is
  /// finer where a side would have fewer than 40 pixels.
  public var searchOctave: Int
  /// The maximum distance at which a patch that no descent explains is looked for, in pixels of its level, 0…32; 0 for
  /// not at all. It finds small objects that move fast.
  public var searchRadius: Int
  /// The standard deviation of the difference, in grey levels, up to which a patch is explained and not searched for
  /// any further, 0…255; 0: every patch is searched for. It saves time where a camera stands and most patches differ by
  /// noise.
  public var searchTolerance: Double
  /// Gauß-Newton steps per patch and round, 0…100.
  public var searchIterations: Int
  /// Rounds in which patches try their neighbours' shifts, 0…10; 0 for no search at all.
  public var propagations: Int
  /// Pixels from one patch to the next, 1…8.
  public var patchStride: Int
  /// The number of grey levels by which the search's flow must explain a pixel better to be taken over, 0…255.
  public var minimumImprovement: Double
  /// The maximum number of planes that are looked for in the flow of each octave with a search, 0…32; 0 for none. They
  /// complete the flow where the image does not show it, as beyond its borders.
  public var planes: Int
  /// Times that the second image is warped per level, 0…20.
  public var warps: Int
  /// Levels of this octave and coarser ones are coarse, 0…20: they cost little and decide which of several matches the
  /// flow comes to rest on. So they are warped `coarseWarps` times, and edges of the image do not lower smoothness
  /// there: what one surface shows must reach its neighbors.
  public var coarseOctave: Int
  /// Times that the second image is warped per coarse level, 0…20.
  public var coarseWarps: Int
  /// The weight of smoothness on coarse levels, 0.01…1000. It is lower than elsewhere: what is small there must keep
  /// its own motion.
  public var coarseSmoothness: Double
  /// 5×5 median filterings after each warp of a coarse level, 0…4.
  public var coarseMedianFilterPasses: Int
  /// Updates of the nonlinear factors per warp, 1…20.
  public var innerIterations: Int
  /// Relaxation sweeps per update, 1…100.
  public var relaxationIterations: Int
  /// The step of the relaxation, 1…1.99.
  public var overrelaxation: Double
  /// α, the weight of smoothness, 0.01…1000.
  public var smoothnessWeight: Double
  /// δ, the weight of constant brightness, 0…1000.
  public var brightnessWeight: Double
  /// γ, the weight of constant gradient, 0…1000.
  public var gradientWeight: Double
  /// ζ, the gradient in grey levels below which the data count less, 0.001…10.
  public var noise: Double
  /// The contrast of the image's edges that lowers the smoothness on levels that are not coarse: by the factor
  /// 1 / (1 + (d / edgeContrast)²) for a difference of d grey levels, 0.1…1000.
  public var edgeContrast: Double
  /// The minimum weight of smoothness across edges, 0.01…1; 1 for no influence of edges.
  public var edgeFloor: Double
  /// 5×5 median filterings after each warp, 0…4.
  public var medianFilterPasses: Int
  /// The weights, ω and the search were tuned on the pairs "for choosing" of `Benchmarks flow` (every other pair of
  /// Middlebury, of fast motion and of others) and of `Benchmarks masks`; the other halves judge. δ : γ is close to
  /// that of DeepFlow (Weinzaepfel et al. 2013). Few sweeps want a long step.
  public init(
    levelsPerOctave: Int = 3, finestLevel: Int = 0, minimumSide: Int = 8, searchOctave: Int = 2,
    searchRadius: Int = 16, searchTolerance: Double = 0, searchIterations: Int = 8, propagations: Int = 3,
    patchStride: Int = 4, minimumImprovement: Double = 0, planes: Int = 8, warps: Int = 1, coarseOctave: Int = 2,
    coarseWarps: Int = 2, coarseSmoothness: Double = 8, coarseMedianFilterPasses: Int = 1, innerIterations: Int = 3,
    relaxationIterations: Int = 5, overrelaxation: Double = 1.85, smoothnessWeight: Double = 22,
    brightnessWeight: Double = 5, gradientWeight: Double = 10, noise: Double = 0.2, edgeContrast: Double = 5,
    edgeFloor: Double = 0.05, medianFilterPasses: Int = 1
  ) {
    self.levelsPerOctave = levelsPerOctave
    self.finestLevel = finestLevel
    self.minimumSide = minimumSide
    self.searchOctave = searchOctave
    self.searchRadius = searchRadius
    self.searchTolerance = searchTolerance
    self.searchIterations = searchIterations
    self.propagations = propagations
    self.patchStride = patchStride
    self.minimumImprovement = minimumImprovement
    self.planes = planes
    self.warps = warps
    self.coarseOctave = coarseOctave
    self.coarseWarps = coarseWarps
    self.coarseSmoothness = coarseSmoothness
    self.coarseMedianFilterPasses = coarseMedianFilterPasses
    self.innerIterations = innerIterations
    self.relaxationIterations = relaxationIterations
    self.overrelaxation = overrelaxation
    self.smoothnessWeight = smoothnessWeight
    self.brightnessWeight = brightnessWeight
    self.gradientWeight = gradientWeight
    self.noise = noise
    self.edgeContrast = edgeContrast
    self.edgeFloor = edgeFloor
    self.medianFilterPasses = medianFilterPasses
  }

  /// The keys of reports, which keep the name that `minimumSide` had before.
  private enum CodingKeys: String, CodingKey {
    case levelsPerOctave, finestLevel
    case minimumSide = "smallestSide"
    case searchOctave, searchRadius, searchTolerance, searchIterations, propagations, patchStride, minimumImprovement,
      planes, warps
    case coarseOctave, coarseWarps, coarseSmoothness, coarseMedianFilterPasses, innerIterations, relaxationIterations
    case overrelaxation, smoothnessWeight, brightnessWeight, gradientWeight, noise, edgeContrast, edgeFloor
    case medianFilterPasses
  }

  /// The parameters for a quarter of the size, patches at an eighth.
  public static let low = InverseSearchParameters(
    levelsPerOctave: 2, finestLevel: 4, searchOctave: 3, propagations: 1, planes: 4, coarseOctave: 3, coarseWarps: 1,
    coarseSmoothness: 10, coarseMedianFilterPasses: 0, innerIterations: 2, relaxationIterations: 4, smoothnessWeight: 30
  )
  /// The parameters for half the size.
  public static let medium = InverseSearchParameters(finestLevel: 3, innerIterations: 2)
  /// The parameters for full size.
  public static let high = InverseSearchParameters()
  /// The parameters for full size in finer steps, warped twice at each.
  public static let veryHigh = InverseSearchParameters(
    levelsPerOctave: 6, warps: 2, coarseWarps: 3, relaxationIterations: 4, smoothnessWeight: 34, brightnessWeight: 3)

  public static let keys: [ParameterKey<InverseSearchParameters>] = [
    ParameterKey(
      name: "levels-per-octave", help: "pyramid levels from one size to its half",
      storage: .integer(\.levelsPerOctave, 1...10)),
    ParameterKey(
      name: "finest-level", help: "finest pyramid level; 0 is full size", storage: .integer(\.finestLevel, 0...60)),
    ParameterKey(
      name: "smallest-side", help: "shortest side of a level in pixels", storage: .integer(\.minimumSide, 4...256)),
    ParameterKey(
      name: "search-octave", help: "finest octave in which patches are searched for",
      storage: .integer(\.searchOctave, 0...20)),
    ParameterKey(
      name: "search-radius", help: "how far a patch is looked for that no descent explains; 0: nowhere",
      storage: .integer(\.searchRadius, 0...32)),
    ParameterKey(
      name: "search-tolerance", help: "difference in grey levels up to which a patch is not searched for; 0: none is",
      storage: .number(\.searchTolerance, 0...255)),
    ParameterKey(
      name: "search-iterations", help: "most steps of a patch per round",
      storage: .integer(\.searchIterations, 0...100)),
    ParameterKey(
      name: "propagations", help: "rounds in which patches try their neighbours' shifts; 0: no search",
      storage: .integer(\.propagations, 0...10)),
    ParameterKey(
      name: "patch-stride", help: "pixels from one patch to the next", storage: .integer(\.patchStride, 1...8)),
    ParameterKey(
      name: "minimum-improvement", formerName: "reluctance", help: "grey levels by which the search must be better",
      storage: .number(\.minimumImprovement, 0...255)
    ),
    ParameterKey(
      name: "planes", help: "most planes that complete the flow where it is not seen; 0: none",
      storage: .integer(\.planes, 0...32)),
    ParameterKey(
      name: "coarse-octave", help: "the finest octave that is coarse: edges do not count there",
      storage: .integer(\.coarseOctave, 0...20)),
    ParameterKey(name: "coarse-warps", help: "warps per coarse level", storage: .integer(\.coarseWarps, 0...20)),
    ParameterKey(
      name: "coarse-smoothness", help: "weight of smoothness on coarse levels",
      storage: .number(\.coarseSmoothness, 0.01...1000)),
    ParameterKey(
      name: "coarse-median-filter-passes", formerName: "coarse-medians",
      help: "5×5 median filterings per warp of a coarse level",
      storage: .integer(\.coarseMedianFilterPasses, 0...4)),
    ParameterKey(name: "warps", help: "warps per level", storage: .integer(\.warps, 0...20)),
    ParameterKey(
      name: "inner-iterations", help: "updates of the nonlinear factors per warp",
      storage: .integer(\.innerIterations, 1...20)),
    ParameterKey(
      name: "relaxation-iterations", formerName: "sweeps", help: "relaxation sweeps per update",
      storage: .integer(\.relaxationIterations, 1...100)),
    ParameterKey(
      name: "overrelaxation", help: "step of the relaxation", storage: .number(\.overrelaxation, 1...1.99)),
    ParameterKey(
      name: "smoothness", help: "weight of smoothness", storage: .number(\.smoothnessWeight, 0.01...1000)),
    ParameterKey(
      name: "brightness", help: "weight of constant brightness", storage: .number(\.brightnessWeight, 0...1000)),
    ParameterKey(name: "gradient", help: "weight of constant gradient", storage: .number(\.gradientWeight, 0...1000)),
    ParameterKey(
      name: "noise", help: "gradient in grey levels below which the data count less",
      storage: .number(\.noise, 0.001...10)),
    ParameterKey(
      name: "edge-contrast", help: "difference in grey levels that halves smoothness",
      storage: .number(\.edgeContrast, 0.1...1000)),
    ParameterKey(
      name: "edge-floor", help: "least smoothness across edges; 1: edges do not count",
      storage: .number(\.edgeFloor, 0.01...1)),
    ParameterKey(
      name: "median-filter-passes", formerName: "medians", help: "5×5 median filterings after each warp",
      storage: .integer(\.medianFilterPasses, 0...4)),
  ]
}
