import Imaging

/// The parts of a scene, before textures are drawn: a camera, a background and objects.
struct Composition: Sendable {
  var background: Surface
  /// Scene coordinates are pixels around the image's middle, as the camera sees them at rest.
  var camera: CameraPath
  /// The objects, from back to front.
  var objects: [SceneObject] = []
  /// Factor on all colours in frame `t`.
  var gain: @Sendable (_ t: Int) -> Double = { _ in 1 }
  /// Weather, cloth, water, screens and light, which are drawn over the layers.
  var disturbances: [Disturbance] = []
}

/// A description of how a texture is to look.
struct Surface: Sendable {
  var palette: Palette
  var pattern: Pattern
  var contrast: Float = 1
  /// The middle of the palette that is used, and how far noise strays from it.
  var tone: (middle: Float, spread: Float) = (0.5, 0.22)

  /// Sea, shores and hills, as on a map.
  static func landscape(_ canvas: Canvas) -> Surface {
    Surface(palette: .landscape, pattern: canvas.contours(9), tone: (0.5, 0.26))
  }

  static func meadow(_ canvas: Canvas) -> Surface { Surface(palette: .meadow, pattern: canvas.contours(7)) }

  /// An object's surface: less noise, so that the pattern stands out.
  static func object(_ palette: Palette, _ pattern: Pattern) -> Surface {
    Surface(palette: palette, pattern: pattern, contrast: 0.75, tone: (0.5, 0.13))
  }

  /// A wall or a pavement.
  static func bricks(_ palette: Palette, width: Float, height: Float) -> Surface {
    Surface(
      palette: palette, pattern: .bricks(width: width, height: height), contrast: 0.95, tone: (0.5, 0.12))
  }
}

/// A textured shape that moves before the background.
struct SceneObject: Sendable {
  /// The ground that the object's path leads through.
  enum Ground: Sendable {
    /// Scene coordinates: the camera's motion adds to the object's.
    case scene
    /// Pixels around the image's middle: the object keeps up with the camera.
    case image
  }

  /// The way in which the object hides what is behind it.
  enum Paint: Sendable {
    /// The object shows its own surface.
    case surface
    /// The object shows what is behind it in another colour of exactly the same luma, by these differences of BT.601 in
    /// 8-bit levels.
    case tint(blueDifference: Float, redDifference: Float)
  }

  var name: String
  var shape: Shape
  var surface: Surface
  var ground = Ground.scene
  var paint = Paint.surface
  var path: ObjectPath
  /// The swing of the limbs of a walker at frame `t`, -1…1; nil: they do not swing.
  var swing: (@Sendable (_ t: Double) -> Double)?

  /// The outline at frame `t`.
  func shape(at t: Double) -> Shape {
    guard case .walker(let height, _) = shape, let swing else { return shape }
    return .walker(height: height, swing: Float(swing(t)))
  }
}

extension SceneObject.Paint {
  /// Returns the colour of a pixel of the object.
  /// - Parameters:
  ///   - surface: The colour of the object's surface.
  ///   - ground: The colour of what is behind it.
  @inline(__always)
  func color(_ surface: SIMD4<Float>, over ground: SIMD4<Float>) -> SIMD4<Float> {
    guard case .tint(let blue, let red) = self else { return surface }
    let luma = 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2]
    let (r, b) = (luma + 1.402 * red, luma + 1.772 * blue)
    return SIMD4(r, (luma - 0.299 * r - 0.114 * b) / 0.587, b, 0)
  }
}

/// The image's size in the terms that scenes are written in.
struct Canvas: Sendable {
  /// Half the width of the image, in pixels.
  let halfWidth: Double
  /// Half the height of the image, in pixels.
  let halfHeight: Double
  /// The scene's unit of length: 1/360 of the shorter side, so that an image of 640×360 is in pixels.
  let unit: Double
  /// Factor on all speeds.
  let motion: Double
  let frameCount: Int
  let seed: UInt64

  init(_ parameters: SceneParameters) {
    halfWidth = Double(parameters.size.width - 1) / 2
    halfHeight = Double(parameters.size.height - 1) / 2
    unit = Double(min(parameters.size.width, parameters.size.height)) / 360
    motion = parameters.motion
    frameCount = parameters.frameCount
    seed = parameters.seed
  }

  /// The map from coordinates around the image's middle to pixels.
  var toPixels: Homography { .translation(x: halfWidth, y: halfHeight) }

  /// A camera at rest.
  var fixedCamera: CameraPath {
    let map = toPixels
    return { _ in map }
  }

  /// A camera whose image is moved by `pose` around the image's middle.
  func camera(_ pose: @escaping ObjectPath) -> CameraPath {
    let map = toPixels
    return { t in map * pose(t).matrix }
  }

  /// A straight way from (x, y) in fractions of the half sides, by (vx, vy) units a frame, turning `spin` degrees a
  /// frame.
  func straight(x: Double, y: Double, vx: Double, vy: Double, spin: Double = 0) -> ObjectPath {
    let (x0, y0) = (x * halfWidth, y * halfHeight)
    let (dx, dy, turn) = (vx * unit * motion, vy * unit * motion, spin * radiansPerDegree * motion)
    return { t in Pose(x: x0 + dx * t, y: y0 + dy * t, angle: turn * t) }
  }

  /// A closed way around (x, y): an ellipse of half axes (rx, ry), all in fractions of the half sides, once in `period`
  /// frames from `phase` turns on, turning `spin` degrees a frame. A negative period goes round the other way.
  func round(
    x: Double, y: Double, rx: Double, ry: Double, period: Double, phase: Double = 0, spin: Double = 0
  ) -> ObjectPath {
    let (x0, y0, ax, ay) = (x * halfWidth, y * halfHeight, rx * halfWidth, ry * halfHeight)
    let rate = 2 * Double.pi / period * motion
    let turn = spin * radiansPerDegree * motion
    return { t in
      let angle = rate * t + phase * 2 * Double.pi
      return Pose(x: x0 + ax * stableCosine(angle), y: y0 + ay * stableSine(angle), angle: turn * t)
    }
  }

  /// A length in units as the shapes take it.
  func length(_ units: Double) -> Float { Float(units * unit) }

  /// A length in units for a pattern: in small images no shorter than the pixels it was made for, as its lines would
  /// become too fine.
  func detail(_ units: Double) -> Float { Float(units * max(1, unit)) }

  /// Lines of equal tone. The slopes of small images are steeper, so they have fewer.
  func contours(_ perTone: Double) -> Pattern { .contours(perTone: Float(perTone * min(1, unit))) }
}
