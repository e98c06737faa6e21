import Imaging

/// A textured moving scene whose truth is known exactly: images, flow, occlusion, camera and events.
///
/// A scene is a background and objects before it, each with a texture that exists at every real point, moved by a
/// homography per frame. Every pixel is a function of the parameters and its position and time alone: frames may be
/// asked for in any order, from any thread, and always have the same bytes.
public struct Scene: Sendable {
  /// The parameters that were asked for; checked.
  public let parameters: SceneParameters
  /// The number of threads that draw; it never changes a result.
  public var parallelism: Parallelism

  var composition: Composition
  let lattice: NoiseLattice
  /// The background's texture, then those of the objects from back to front.
  let textures: [Texture]

  /// - Throws: ``SceneError`` when a parameter is out of range.
  public init(_ parameters: SceneParameters, parallelism: Parallelism = Parallelism()) throws {
    try parameters.validate()
    self.parameters = parameters
    self.parallelism = parallelism
    let canvas = Canvas(parameters)
    composition = .named(parameters.name, on: canvas)
    lattice = NoiseLattice(seed: parameters.seed)
    textures = composition.textures(canvas, size: parameters.size)
  }

  /// The size of every frame.
  public var size: PixelSize { parameters.size }
  /// Frames in the scene; one pair less.
  public var frameCount: Int { parameters.frameCount }
  /// The objects' names, from back to front; the object `i` is layer `i + 1` of ``layers(_:)``.
  public var objectNames: [String] { composition.objects.map(\.name) }

  /// Returns the time at which frame `t` is shown.
  public func presentationTime(_ t: Int) -> MediaTime {
    let rate = parameters.frameRate
    return MediaTime(value: Int64(t), timeBase: Rational(rate.denominator, rate.numerator))
  }

  /// The factor on all colours of frame `t`: 1 but in scenes about light.
  public func gain(_ t: Int) -> Double { composition.gain(t) }

  func checkFrame(_ t: Int) { precondition(0..<frameCount ~= t, "frame \(t) of \(frameCount)") }
  func checkPair(_ t: Int) { precondition(0..<frameCount - 1 ~= t, "pair \(t) of \(frameCount) frames") }
}

extension Composition {
  /// One texture for the background and each object, with octaves for the smallest scale at which each is seen.
  fileprivate func textures(_ canvas: Canvas, size: PixelSize) -> [Texture] {
    let scales = minimumScales(canvas)
    let shorter = Double(min(size.width, size.height))
    let backdrop = Texture(
      background, seed: SplitMix64.hash(canvas.seed &+ 1), scale: scales[0], coarsest: shorter / 4 / scales[0])
    return [backdrop]
      + objects.enumerated().map { index, object in
        let extent = Double(max(object.shape.extent.x, object.shape.extent.y))
        return Texture(
          object.surface, seed: SplitMix64.hash(canvas.seed &+ 2 &+ UInt64(index)), scale: scales[index + 1],
          coarsest: extent / 1.5)
      }
  }

  /// Returns the smallest scale of the background and of each object over (a good sample of) the frames and the image.
  private func minimumScales(_ canvas: Canvas) -> [Double] {
    let (right, bottom) = (2 * canvas.halfWidth, 2 * canvas.halfHeight)
    let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom), (right / 2, bottom / 2)]
    var smallest = [Double](repeating: .infinity, count: objects.count + 1)
    for t in stride(from: 0, to: canvas.frameCount, by: max(1, canvas.frameCount / 200)) {
      let layers = LayerPose.all(of: self, frame: t, canvas: canvas)
      for (x, y) in corners { smallest[0] = min(smallest[0], layers[0].toOwn.minimumScale(atPixel: x, y)) }
      for index in objects.indices {
        let center = layers[index + 1].toImage.apply(x: 0, y: 0)
        guard center.x > -right, center.x < 2 * right, center.y > -bottom, center.y < 2 * bottom else { continue }
        smallest[index + 1] = min(
          smallest[index + 1], layers[index + 1].toOwn.minimumScale(atPixel: center.x, center.y))
      }
    }
    return smallest.map { $0.isFinite ? $0 : 1 }
  }
}

extension Texture {
  fileprivate init(_ surface: Surface, seed: UInt64, scale: Double, coarsest: Double) {
    self.init(
      seed: seed, palette: surface.palette, pattern: surface.pattern, minimumScale: scale, coarsest: coarsest,
      contrast: surface.contrast, tone: surface.tone)
  }
}
