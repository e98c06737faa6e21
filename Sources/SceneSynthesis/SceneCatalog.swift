// The contents of each scene. Speeds are in units a frame (pixels at 640×360).

import Imaging

extension Composition {
  /// The composition of the scene that `parameters` name.
  static func named(_ name: SceneName, on canvas: Canvas) -> Composition {
    switch name {
    case .pan, .noise: pan(canvas, x: 2.25, y: -1.25)
    case .subpixel: pan(canvas, x: 0.25, y: -0.125)
    case .zoom: zoom(canvas)
    case .rotation: rotation(canvas)
    case .perspective: perspective(canvas)
    case .still: Composition(background: .landscape(canvas), camera: canvas.fixedCamera)
    case .flicker: flicker(canvas)
    case .objects: Composition(background: .landscape(canvas), camera: canvas.fixedCamera, objects: crossing(canvas))
    case .objectsPan: objectsPan(canvas)
    case .brightness: brightness(canvas)
    case .shake: shake(canvas)
    case .walkers: walkers(canvas)
    case .demo: demo(canvas)
    case .rain: disturbed(canvas, by: .rain(canvas, count: 240))
    case .snowLight: disturbed(canvas, by: .snow(canvas, count: 70))
    case .snowMedium: disturbed(canvas, by: .snow(canvas, count: 240))
    case .snowHeavy: disturbed(canvas, by: .snow(canvas, count: 650))
    case .flag: disturbed(canvas, by: .flag(canvas))
    case .water: disturbed(canvas, by: .water(canvas))
    case .banner: disturbed(canvas, by: .banner(canvas))
    case .television: disturbed(canvas, by: .television(canvas))
    case .insect: disturbed(canvas, by: .insect(canvas))
    case .rollingBands: disturbed(canvas, by: .rollingBands(canvas))
    case .headlights: headlights(canvas)
    case .equalLuma: equalLuma(canvas)
    case .standingVisitor: standingVisitor(canvas)
    case .slowCamera: slowCamera(canvas)
    case .crossingWalkers: crossingWalkers(canvas)
    case .hiddenWalkers: hiddenWalkers(canvas)
    case .meetingWalkers: meetingWalkers(canvas)
    case .standingWalkers: standingWalkers(canvas)
    }
  }

  // MARK: Cameras

  /// A pan in pixels a frame, whatever the image's size.
  private static func pan(_ canvas: Canvas, x: Double, y: Double) -> Composition {
    let (dx, dy) = (x * canvas.motion, y * canvas.motion)
    return Composition(background: .landscape(canvas), camera: canvas.camera { t in Pose(x: dx * t, y: dy * t) })
  }

  /// Grows by a constant factor a frame, then shrinks back, and so on; about a point off the middle.
  private static func zoom(_ canvas: Canvas) -> Composition {
    let growth = 1 + 0.005 * canvas.motion
    // ln(1 + x) ≈ x: about the number of frames from scale 1 to e^0.22 = 1.25; further in, the texture would be soft.
    let halfPeriod = Int(max(1, min(1e9, 0.22 / (growth - 1))))
    let (x, y) = (0.2 * canvas.halfWidth, -0.1 * canvas.halfHeight)
    return Composition(
      background: .landscape(canvas),
      camera: canvas.camera { t in
        let position = Int(t) % (2 * halfPeriod)
        let steps = position < halfPeriod ? position : 2 * halfPeriod - position
        let scale = (0..<steps).reduce(1.0) { product, _ in product * growth }
        return Pose(x: x - scale * x, y: y - scale * y, scale: scale)
      })
  }

  /// Rolls about a point off the middle.
  private static func rotation(_ canvas: Canvas) -> Composition {
    let rate = 0.6 * radiansPerDegree * canvas.motion
    let center = Pose(x: 0.15 * canvas.halfWidth, y: 0.1 * canvas.halfHeight)
    let back = Homography.translation(x: -center.x, y: -center.y)
    let map = canvas.toPixels
    return Composition(
      background: .meadow(canvas),
      camera: { t in map * center.matrix * Pose(angle: rate * t).matrix * back })
  }

  /// Turns about three axes before a wall that slants away: K·R·(wall's own homography).
  private static func perspective(_ canvas: Canvas) -> Composition {
    let focalLength = 2.2 * canvas.halfWidth
    let motion = canvas.motion
    let map = canvas.toPixels
    return Composition(
      background: .bricks(.brick, width: canvas.detail(64), height: canvas.detail(26)),
      camera: { t in
        let phase = t * motion * 2 * Double.pi / 120
        let yaw = 7 * stableSine(phase) + 8
        let pitch = 6 * stableSine(0.7 * phase + 0.4) - 5
        let roll = 5 * stableSine(0.9 * phase)
        return map * Homography.turned(yaw: yaw, pitch: pitch, roll: roll, focalLength: focalLength)
      })
  }

  /// Jitter of some pixels and half a degree, as of a camera in the hand; and a box that passes.
  private static func shake(_ canvas: Canvas) -> Composition {
    let (oscillation, motion) = (canvas.unit * canvas.motion, canvas.motion)
    let slow = (0..<3).map { Jitter(seed: canvas.seed &+ 100 &+ UInt64($0), period: 8) }
    let fast = (0..<3).map { Jitter(seed: canvas.seed &+ 200 &+ UInt64($0), period: 2) }
    let passing = SceneObject(
      name: "box",
      shape: .roundedRectangle(width: canvas.length(92), height: canvas.length(60), corner: canvas.length(14)),
      surface: .object(.coral, .stripes(period: canvas.detail(23))),
      path: canvas.straight(x: -0.9, y: 0.15, vx: 4.5, vy: -0.3))
    return Composition(
      background: .bricks(.stone, width: canvas.detail(58), height: canvas.detail(24)),
      camera: canvas.camera { t in
        Pose(
          x: oscillation * (7 * slow[0].value(t) + 2.5 * fast[0].value(t)),
          y: oscillation * (5 * slow[1].value(t) + 2.5 * fast[1].value(t)),
          angle: motion * radiansPerDegree * (0.5 * slow[2].value(t) + 0.2 * fast[2].value(t)))
      },
      objects: [passing])
  }

  // MARK: Light

  /// Lamps that flicker, and dim for the middle of the clip.
  private static func flicker(_ canvas: Canvas) -> Composition {
    let dimmed = canvas.frameCount * 2 / 5..<canvas.frameCount * 3 / 5
    let jitter = Jitter(seed: canvas.seed &+ 300, period: 1)
    return Composition(
      background: .bricks(.stone, width: canvas.detail(58), height: canvas.detail(24)),
      camera: canvas.fixedCamera,
      gain: { t in (dimmed.contains(t) ? 0.72 : 1) * (1 + 0.04 * jitter.value(Double(t))) })
  }

  /// A disc that rolls while the light grows from 0.75 to 1.1 over the clip.
  private static func brightness(_ canvas: Canvas) -> Composition {
    let disc = SceneObject(
      name: "disc", shape: .disc(radius: canvas.length(58)),
      surface: .object(.gold, .gores(count: 6, radius: canvas.length(58))),
      path: canvas.round(x: 0, y: 0, rx: 0.6, ry: 0.4, period: 140, phase: 0.5, spin: 1))
    let last = max(1, canvas.frameCount - 1)
    return Composition(
      background: .meadow(canvas),
      camera: canvas.fixedCamera, objects: [disc],
      gain: { t in 0.75 + 0.35 * Double(t) / Double(last) })
  }
}

extension Homography {
  /// The image of the plane z = focal length seen by a camera that has turned, angles in degrees.
  static func turned(yaw: Double, pitch: Double, roll: Double, focalLength f: Double) -> Homography {
    let (cy, sy) = (stableCosine(yaw * radiansPerDegree), stableSine(yaw * radiansPerDegree))
    let (cp, sp) = (stableCosine(pitch * radiansPerDegree), stableSine(pitch * radiansPerDegree))
    let (cr, sr) = (stableCosine(roll * radiansPerDegree), stableSine(roll * radiansPerDegree))
    let aboutY = Homography([cy, 0, sy, 0, 1, 0, -sy, 0, cy])
    let aboutX = Homography([1, 0, 0, 0, cp, -sp, 0, sp, cp])
    let aboutZ = Homography([cr, -sr, 0, sr, cr, 0, 0, 0, 1])
    let lens = Homography([f, 0, 0, 0, f, 0, 0, 0, 1])
    let lensBack = Homography([1 / f, 0, 0, 0, 1 / f, 0, 0, 0, 1])
    return lens * aboutZ * aboutX * aboutY * lensBack
  }
}
