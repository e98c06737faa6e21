import Imaging

extension Scene {
  /// Frame `t` in colour: opaque, rounded to 8 bits after the noise is added.
  ///
  /// - Complexity: O(pixels · octaves), about 25 ms for 640×360 on one core.
  public func frame(_ t: Int) -> Plane<RGBA8> {
    drawn(t) { color, noise in
      let levels = color + noise + 0.5
      return RGBA8(Self.byte(levels[0]), Self.byte(levels[1]), Self.byte(levels[2]))
    }
  }

  /// The luma of frame `t` (ITU-R BT.601, 0…255): the exact brightness with noise, neither rounded nor clamped; or
  /// as an 8-bit camera would give it.
  public func luma(_ t: Int, roundedTo8Bit: Bool = false) -> Plane<Float> {
    drawn(t) { color, noise in
      let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] + noise
      return roundedTo8Bit ? Float(Self.byte(luma + 0.5)) : luma
    }
  }

  private static func byte(_ level: Float) -> UInt8 { UInt8(max(0, min(255, level))) }

  /// Draws frame `t`; `finish` makes a pixel of its colour and noise.
  private func drawn<Pixel: PlaneScalar>(
    _ t: Int, _ finish: @Sendable (_ color: SIMD4<Float>, _ noise: Float) -> Pixel
  ) -> Plane<Pixel> {
    checkFrame(t)
    let layers = poses(t)
    let time = Double(t) * parameters.motion
    let (behind, before) = (painters(time, behindObjects: true), painters(time, behindObjects: false))
    let gain = Float(composition.gain(t))
    let sigma = Float(parameters.noiseSigma)
    let noise = SensorNoise(seed: parameters.seed, frame: t)
    var result = Plane<Pixel>(size: size)
    result.withMutableView { view in
      parallelism.forEachStripe(rows: view.height) { rows in
        lattice.withSampler { sampler in
          let scratch = RowScratch(width: view.width)
          for y in rows {
            let row = UnsafeMutableBufferPointer(start: scratch.row, count: view.width)
            draw(0..<1, of: layers, row: y, sampler, scratch)
            for paint in behind { paint(y, row) }
            draw(1..<layers.count, of: layers, row: y, sampler, scratch)
            for paint in before { paint(y, row) }
            let output = view.row(y)
            for x in 0..<view.width {
              let added = sigma > 0 ? sigma * noise.value(x: x, y: y) : 0
              output[x] = finish(scratch.row[x] * gain, added)
            }
          }
        }
      }
    }
    return result
  }

  /// Returns the painters of the disturbances before or behind the objects.
  private func painters(_ time: Double, behindObjects: Bool) -> [Disturbance.RowPainter] {
    composition.disturbances.filter { $0.isBehindObjects == behindObjects }.map { $0.painter(time) }
  }

  /// Paints some of the layers over each other into `scratch.row`, from back to front.
  private func draw(
    _ indices: Range<Int>, of layers: [LayerPose], row y: Int, _ sampler: NoiseLattice.Sampler,
    _ scratch: borrowing RowScratch
  ) {
    for index in indices where layers[index].rows.contains(y) {
      let layer = layers[index]
      let columns = layer.columns
      Self.locate(row: y, columns: columns, layer.toOwn, scratch)
      textures[index].evaluate(scratch, count: columns.count, sampler: sampler)
      let first = scratch.row + columns.lowerBound
      guard let shape = layer.shape else {
        first.update(from: scratch.colors, count: columns.count)
        continue
      }
      let paint = composition.objects[index - 1].paint
      for i in 0..<columns.count {
        let distance = shape.distance(x: Float(scratch.xs[i]), y: Float(scratch.ys[i]))
        let coverage = Self.coverage(distance * layer.scale)
        guard coverage > 0 else { continue }
        let color = paint.color(scratch.colors[i] * Self.rim(distance), over: first[i])
        first[i] += (color - first[i]) * coverage
      }
    }
  }

  /// The share of a pixel that lies inside an outline, by the distance of its centre: a ramp 1.5 px wide, as an
  /// ordinary lens draws it.
  @inline(__always)
  private static func coverage(_ distance: Float) -> Float { max(0, min(1, 0.5 - distance / 1.5)) }

  /// A darker rim inside the outline sets objects off; it is part of their texture.
  @inline(__always)
  private static func rim(_ distance: Float) -> Float { 1 - 0.3 * smoothStep(-5, -1, distance) }

  /// Writes the own coordinates of the pixels of a row into `scratch.xs` and `scratch.ys`.
  private static func locate(
    row y: Int, columns: Range<Int>, _ toOwn: Homography, _ scratch: borrowing RowScratch
  ) {
    let e = toOwn.elements
    let row = Double(y)
    let (x0, y0, w0) = (e[1] * row + e[2], e[4] * row + e[5], e[7] * row + e[8])
    let (xStep, yStep, wStep) = (e[0], e[3], e[6])
    for i in 0..<columns.count {
      let column = Double(columns.lowerBound &+ i)
      let w = wStep * column + w0
      scratch.xs[i] = (xStep * column + x0) / w
      scratch.ys[i] = (yStep * column + y0) / w
    }
  }

  func poses(_ t: Int) -> [LayerPose] { LayerPose.all(of: composition, frame: t, canvas: Canvas(parameters)) }
}
