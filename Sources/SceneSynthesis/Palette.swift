/// A ramp of colours, indexed by a tone between 0 and 1.
///
/// Colours stay between about 35 and 185 levels, so that shading and changes of light leave them unclipped: a clipped
/// pixel has lost its texture.
struct Palette: Sendable {
  private static let entryCount = 256
  let entries: [SIMD4<Float>]

  /// Spreads the colours evenly over the tones, blending smoothly.
  init(_ stops: [SIMD3<Float>]) {
    entries = (0...Self.entryCount).map { index in
      let position = Float(index) / Float(Self.entryCount) * Float(stops.count - 1)
      let left = min(Int(position), stops.count - 2)
      let weight = smoothStep(0, 1, position - Float(left))
      let color = stops[left] + (stops[left + 1] - stops[left]) * weight
      return SIMD4(color, 0)
    }
  }

  /// The colour at `tone`, clamped to 0…1, as red, green, blue, 0. `entries` are this palette's.
  @inline(__always)
  static func color(_ tone: Float, _ entries: UnsafePointer<SIMD4<Float>>) -> SIMD4<Float> {
    let position = max(0, min(0.9999, tone)) * Float(entryCount)
    let index = Int(Int32(position))
    let weight = position - Float(index)
    return entries[index] + (entries[index &+ 1] - entries[index]) * weight
  }
}

extension Palette {
  /// Deep water to shore, meadow, wood and rock: a landscape from the air.
  static let landscape = Palette([
    [34, 62, 96], [44, 88, 118], [70, 122, 134], [172, 160, 122], [128, 142, 84], [88, 114, 70], [122, 112, 86],
  ])
  static let meadow = Palette([[56, 74, 50], [92, 116, 66], [138, 146, 88], [176, 168, 120]])
  static let stone = Palette([[84, 80, 82], [114, 108, 104], [142, 136, 126], [168, 160, 146]])
  static let brick = Palette([[120, 72, 58], [142, 90, 70], [160, 112, 88], [172, 138, 112]])
  static let coral = Palette([[166, 58, 50], [186, 84, 62], [186, 132, 100], [186, 170, 146]])
  static let gold = Palette([[158, 96, 34], [184, 132, 46], [186, 160, 84], [186, 176, 140]])
  static let mint = Palette([[38, 96, 92], [60, 136, 118], [118, 168, 140], [172, 184, 164]])
  static let plum = Palette([[84, 48, 96], [124, 70, 122], [160, 108, 144], [184, 158, 172]])
  static let sky = Palette([[42, 78, 140], [66, 116, 168], [112, 152, 182], [172, 180, 184]])
  static let cloth = Palette([[58, 50, 62], [84, 66, 70], [128, 78, 66], [168, 140, 112]])
}
