// The scenes that try the detection of motion: first a disturbance alone, then somebody who passes as well.

import Imaging

extension Composition {
  /// The frame in which the passer-by begins to walk in the scenes with disturbances: what is seen before is no event.
  static let entry = 150

  /// A yard with a disturbance, through which somebody walks from frame ``entry`` on.
  static func disturbed(_ canvas: Canvas, by disturbance: Disturbance) -> Composition {
    Composition(
      background: .yard(canvas), camera: canvas.fixedCamera,
      objects: [
        walker(canvas, "passer-by", height: 130, palette: .cloth, y: 0.3, from: -1, speed: 8.5, start: entry)
      ], disturbances: [disturbance])
  }

  /// A dark yard over whose walls the light of cars wanders, twice before somebody passes and once while they do.
  static func headlights(_ canvas: Canvas) -> Composition {
    var composition = disturbed(
      canvas, by: .headlights(canvas, sweeps: [25...65, 85...130, 170...215]))
    composition.gain = { _ in 0.55 }
    return composition
  }

  /// Somebody of the ground's own brightness, but of another colour.
  static func equalLuma(_ canvas: Canvas) -> Composition {
    var person = walker(
      canvas, "passer-by", height: 140, palette: .cloth, y: 0.25, from: 1, speed: 6, start: 75)
    person.paint = .tint(blueDifference: 38, redDifference: -30)
    return Composition(background: .yard(canvas), camera: canvas.fixedCamera, objects: [person])
  }

  /// Somebody comes, stands for eight seconds and shifts their weight now and then, and leaves.
  static func standingVisitor(_ canvas: Canvas) -> Composition {
    var visitor = walker(
      canvas, "visitor", height: 150, palette: .coral, y: 0.2, from: -1, speed: 7, start: 40, pause: 95..<295)
    let walk = visitor.path
    let maximumLean = canvas.motion > 0 ? 2.2 * radiansPerDegree : 0
    visitor.path = { t in
      var pose = walk(t)
      pose.angle = maximumLean * lean(t)
      return pose
    }
    return Composition(background: .yard(canvas), camera: canvas.fixedCamera, objects: [visitor])
  }

  /// Returns how far the standing visitor leans to one side at frame `t`: 0 to 1, and at the next shift back.
  private static func lean(_ t: Double) -> Double {
    weightShifts.enumerated().reduce(0) { sum, shift in
      let part = Double(smoothStep(0, weightShiftLength, Float(t - shift.element)))
      return sum + (shift.offset % 2 == 0 ? part : -part)
    }
  }

  /// The frames in which the standing visitor begins to shift their weight.
  private static let weightShifts = [112.0, 140, 171, 196, 231, 262]
  /// The length of such a shift in frames.
  private static let weightShiftLength: Float = 10

  /// A camera with two frames a second, before which somebody passes in six seconds.
  static func slowCamera(_ canvas: Canvas) -> Composition {
    Composition(
      background: .yard(canvas), camera: canvas.fixedCamera,
      objects: [walker(canvas, "passer-by", height: 130, palette: .gold, y: 0.25, from: -1, speed: 55, start: 16)])
  }
}

extension Surface {
  /// A paved yard.
  fileprivate static func yard(_ canvas: Canvas) -> Surface {
    .bricks(.stone, width: canvas.detail(72), height: canvas.detail(30))
  }
}
