import Imaging

/// A coloured surface without end, defined at every real point: octaves of noise that shade it and choose its tone,
/// and a pattern.
///
/// Moving it by any fraction of a pixel is exact, as nothing is resampled. Its finest octave is chosen for the
/// smallest scale at which the scene shows it and stays the same over all frames, or its brightness would not be
/// constant.
struct Texture: Sendable {
  /// One octave of noise: where and how large it reads the lattice.
  private struct Octave {
    /// Cells per unit of length along the octave's own axes.
    var cosine: Double
    var sine: Double
    var offsetX: Double
    var offsetY: Double
    /// The factor with which the octave's noise adds to the shade.
    var shade: Float
    /// The factor with which the octave's noise adds to the tone.
    var tone: Float
  }

  /// The finest cell in pixels. Two cells are a period: nothing much lies above one period in 4.4 px.
  static let finestCell = 2.2
  /// The ratio of the cell sizes of one octave and the one before. Not 2: the octaves' lattices should not coincide.
  private static let octaveRatio = 1.93
  /// Keeps lattice coordinates positive: as far as a clip may move away from its start, in cells.
  private static let latticeOrigin = Double(1 << 30)

  private let octaves: [Octave]
  private let palette: Palette
  private let pattern: Pattern

  /// - Parameters:
  ///   - minimumScale: The smallest scale (pixels per unit of length) at which the texture is seen.
  ///   - coarsest: The largest structure, in units of length.
  ///   - contrast: Factor on the shading by fine octaves.
  ///   - tone: The middle of the palette that is used, and how far noise strays from it.
  init(
    seed: UInt64, palette: Palette, pattern: Pattern, minimumScale: Double, coarsest: Double, contrast: Float = 1,
    tone: (middle: Float, spread: Float) = (0.5, 0.22)
  ) {
    var random = SplitMix64(seed: seed)
    var cell = Self.finestCell / minimumScale
    var octaves: [Octave] = []
    repeat {
      let angle = signedUnit(random.next()) * Double.pi
      octaves.append(
        Octave(
          cosine: stableCosine(angle) / cell, sine: stableSine(angle) / cell,
          offsetX: Self.latticeOrigin + signedUnit(random.next()) * 1000,
          offsetY: Self.latticeOrigin + signedUnit(random.next()) * 1000,
          shade: contrast * Self.shade(ofOctave: octaves.count), tone: 0))
      cell *= Self.octaveRatio
    } while cell <= coarsest || octaves.count < 3
    // The three coarsest octaves, each twice as strong as the next finer one, make the tone.
    for (index, weight) in zip(octaves.indices.reversed(), [0.84, 0.47, 0.26] as [Float]) {
      octaves[index].tone = weight * tone.spread
    }
    self.octaves = octaves
    self.palette = palette
    self.pattern = pattern
    middleTone = tone.middle
  }

  private let middleTone: Float

  /// Deviation of the shade by an octave (0: the finest): about equal, as in photographs, whose spectrum falls with
  /// frequency such that every octave has the same energy; the finest is blurred by the lens.
  private static func shade(ofOctave index: Int) -> Float { [0.28, 0.34, 0.30, 0.24, 0.20][min(index, 4)] }

  /// Writes the colours at `count` points into `scratch.colors`; the points are in `scratch.xs` and `scratch.ys`.
  func evaluate(_ scratch: borrowing RowScratch, count: Int, sampler: NoiseLattice.Sampler) {
    for i in 0..<count {
      scratch.shades[i] = 0
      scratch.tones[i] = middleTone
    }
    octaves.withUnsafeBufferPointer { octaves in
      for octave in octaves { Self.add(octave, scratch, count: count, sampler: sampler) }
    }
    palette.entries.withUnsafeBufferPointer { entries in
      guard let base = entries.baseAddress else { return }
      for i in 0..<count {
        let mark = pattern.mark(x: Float(scratch.xs[i]), y: Float(scratch.ys[i]), tone: scratch.tones[i])
        let shade = Self.limited(scratch.shades[i] + mark.shade)
        scratch.colors[i] = Palette.color(scratch.tones[i] + mark.tone, base) * (1 + Self.shadeDepth * shade)
      }
    }
  }

  private static func add(
    _ octave: Octave, _ scratch: borrowing RowScratch, count: Int, sampler: NoiseLattice.Sampler
  ) {
    for i in 0..<count {
      let (x, y) = (scratch.xs[i], scratch.ys[i])
      let u = octave.cosine * x - octave.sine * y + octave.offsetX
      let v = octave.sine * x + octave.cosine * y + octave.offsetY
      let noise = sampler.value(u, v)
      scratch.shades[i] += octave.shade * noise
      scratch.tones[i] += octave.tone * noise
    }
  }

  /// The maximum share by which the shade may lighten or darken a colour.
  private static let shadeDepth: Float = 0.38

  /// Bends any number into -1…1, almost linearly near 0.
  @inline(__always)
  private static func limited(_ x: Float) -> Float { x / (1 + x * x).squareRoot() }
}

/// The memory that a row of an image needs while it is drawn.
struct RowScratch: ~Copyable {
  let xs: UnsafeMutablePointer<Double>
  let ys: UnsafeMutablePointer<Double>
  let shades: UnsafeMutablePointer<Float>
  let tones: UnsafeMutablePointer<Float>
  /// Colours of a segment as red, green, blue, 0.
  let colors: UnsafeMutablePointer<SIMD4<Float>>
  /// The finished row.
  let row: UnsafeMutablePointer<SIMD4<Float>>

  init(width: Int) {
    xs = .allocate(capacity: width)
    ys = .allocate(capacity: width)
    shades = .allocate(capacity: width)
    tones = .allocate(capacity: width)
    colors = .allocate(capacity: width)
    row = .allocate(capacity: width)
  }

  deinit {
    xs.deallocate()
    ys.deallocate()
    shades.deallocate()
    tones.deallocate()
    colors.deallocate()
    row.deallocate()
  }
}
