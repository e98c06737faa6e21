// The scenes that are about objects.

import Imaging

extension Composition {
  /// Five objects on closed ways that cross in the middle.
  static func crossing(_ canvas: Canvas, ground: SceneObject.Ground = .scene) -> [SceneObject] {
    [
      SceneObject(
        name: "stripes",
        shape: .roundedRectangle(width: canvas.length(120), height: canvas.length(78), corner: canvas.length(18)),
        surface: .object(.mint, .stripes(period: canvas.detail(26))), ground: ground,
        path: canvas.round(x: 0.1, y: 0.05, rx: 0.62, ry: 0.3, period: 260, phase: 0.45, spin: 0.4)),
      SceneObject(
        name: "large disc", shape: .disc(radius: canvas.length(58)),
        surface: .object(.coral, .dots(period: canvas.detail(28))), ground: ground,
        path: canvas.round(x: -0.1, y: 0, rx: 0.5, ry: 0.45, period: -220, phase: 0.1, spin: -0.8)),
      SceneObject(
        name: "ring", shape: .ring(radius: canvas.length(62), thickness: canvas.length(30)),
        surface: .object(.plum, .gores(count: 7, radius: canvas.length(62))), ground: ground,
        path: canvas.round(x: 0.3, y: -0.1, rx: 0.45, ry: 0.42, period: 320, phase: 0.7, spin: 1.2)),
      SceneObject(
        name: "square",
        shape: .roundedRectangle(width: canvas.length(70), height: canvas.length(70), corner: canvas.length(12)),
        surface: .object(.gold, .rings(period: canvas.detail(24))), ground: ground,
        path: canvas.round(x: -0.2, y: 0.15, rx: 0.66, ry: 0.5, period: 300, phase: 0.22, spin: -1.6)),
      SceneObject(
        name: "small disc", shape: .disc(radius: canvas.length(34)),
        surface: .object(.sky, .gores(count: 6, radius: canvas.length(34))), ground: ground,
        path: canvas.round(x: 0, y: 0, rx: 0.75, ry: 0.6, period: -180, phase: 0.85, spin: 2)),
    ]
  }

  /// Returns the objects of ``crossing(_:ground:)`` before a background that drifts by.
  static func objectsPan(_ canvas: Canvas) -> Composition {
    let (dx, dy) = (-1.75 * canvas.unit * canvas.motion, 0.5 * canvas.unit * canvas.motion)
    return Composition(
      background: .landscape(canvas), camera: canvas.camera { t in Pose(x: dx * t, y: dy * t) },
      objects: crossing(canvas, ground: .image))
  }

  /// A yard with a parked cart. One person crosses from the left, one from the right; a third stops on the way.
  /// At 250 frames of 640×360 nobody is in the image at first, between the first two, and at last.
  static func walkers(_ canvas: Canvas) -> Composition {
    let cart = SceneObject(
      name: "cart",
      shape: .roundedRectangle(width: canvas.length(130), height: canvas.length(64), corner: canvas.length(16)),
      surface: .object(.sky, .stripes(period: canvas.detail(32))),
      path: { _ in Pose(x: 0.55 * canvas.halfWidth, y: -0.3 * canvas.halfHeight) })
    return Composition(
      background: .bricks(.stone, width: canvas.detail(72), height: canvas.detail(30)),
      camera: canvas.fixedCamera,
      objects: [
        cart,
        walker(canvas, "first", height: 120, palette: .coral, y: 0.1, from: -1, speed: 9.5, start: 20),
        walker(canvas, "second", height: 138, palette: .cloth, y: 0.3, from: 1, speed: 8.5, start: 125),
        walker(
          canvas, "third", height: 150, palette: .gold, y: 0.42, from: -1, speed: 10, start: 135, pause: 160..<178),
      ])
  }

  /// A person who comes in from one side (-1 left, 1 right) at frame `start` and leaves on the other, with a slight
  /// bob.
  static func walker(
    _ canvas: Canvas, _ name: String, height: Double, palette: Palette, y: Double, from side: Double, speed: Double,
    start: Int, pause: Range<Int> = 0..<0
  ) -> SceneObject {
    let edge = side * (canvas.halfWidth + 0.6 * 0.14 * height * canvas.unit * 2)
    let velocity = -side * speed * canvas.unit * canvas.motion
    let unit = canvas.unit
    let paused = (Double(pause.lowerBound), Double(pause.count))
    let bobRate = 2 * Double.pi / 16 * canvas.motion
    let y0 = y * canvas.halfHeight
    return SceneObject(
      name: name, shape: .person(height: canvas.length(height)),
      surface: .object(palette, .stripes(period: canvas.detail(22))),
      path: { t in
        let elapsed = t - min(max(t - paused.0, 0), paused.1) - Double(start)
        return Pose(x: edge + velocity * elapsed, y: y0 + 1.5 * unit * stableSine(bobRate * elapsed))
      })
  }

  /// Balloons over a landscape: the camera drifts, rolls and climbs a little; every balloon goes its own way.
  static func demo(_ canvas: Canvas) -> Composition {
    let unit = canvas.unit
    let motion = canvas.motion
    func balloon(_ name: String, _ radius: Double, _ palette: Palette, gores: Float, _ path: @escaping ObjectPath)
      -> SceneObject
    {
      SceneObject(
        name: name, shape: .disc(radius: canvas.length(radius)),
        surface: .object(palette, .gores(count: gores, radius: canvas.length(radius))),
        ground: .image, path: path)
    }
    return Composition(
      background: .landscape(canvas),
      camera: canvas.camera { t in
        let phase = t * motion * 2 * Double.pi / 400
        return Pose(
          x: -1.1 * unit * motion * t, y: 14 * unit * stableSine(phase), angle: 0.05 * stableSine(phase),
          scale: 1.06 - 0.06 * stableCosine(phase))
      },
      objects: [
        SceneObject(
          name: "raft",
          shape: .roundedRectangle(width: canvas.length(96), height: canvas.length(58), corner: canvas.length(14)),
          surface: .object(.cloth, .stripes(period: canvas.detail(24))), ground: .image,
          path: canvas.straight(x: -0.75, y: 0.62, vx: 3.2, vy: -0.25, spin: 0.25)),
        balloon(
          "mint", 40, .mint, gores: 7, canvas.round(x: 0.45, y: -0.35, rx: 0.36, ry: 0.32, period: 170, spin: -1)),
        SceneObject(
          name: "star", shape: .star(radius: canvas.length(56), rounding: canvas.length(8)),
          surface: .object(.plum, .rings(period: canvas.detail(26))), ground: .image,
          path: canvas.round(x: 0.3, y: 0.3, rx: 0.5, ry: 0.3, period: -240, phase: 0.1, spin: 1.6)),
        balloon(
          "gold", 52, .gold, gores: 8, canvas.straight(x: 0.7, y: 0.05, vx: -4.2, vy: 0.35, spin: 0.9)),
        balloon(
          "coral", 70, .coral, gores: 9,
          canvas.round(x: -0.4, y: -0.15, rx: 0.2, ry: 0.36, period: 210, phase: 0.6, spin: 0.6)),
      ])
  }
}
