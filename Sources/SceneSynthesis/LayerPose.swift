import Imaging

/// The position of the background or an object in one frame.
struct LayerPose: Sendable {
  /// The map from own coordinates to pixels.
  let toImage: Homography
  /// The map from pixels back to own coordinates.
  let toOwn: Homography
  /// The shape of the layer; nil for the background, which is everywhere.
  let shape: Shape?
  /// Pixels per own unit, at the object's origin.
  let scale: Float
  /// The columns of whole pixels that the layer may touch, clipped to the image; empty when it is outside.
  let columns: Range<Int>
  /// The rows of whole pixels that the layer may touch, clipped to the image; empty when it is outside.
  let rows: Range<Int>

  /// The background, then the objects from back to front.
  static func all(of composition: Composition, frame t: Int, canvas: Canvas) -> [LayerPose] {
    let time = Double(t)
    let camera = composition.camera(time)
    let background = LayerPose(toImage: camera, shape: nil, canvas: canvas)
    return [background]
      + composition.objects.map { object in
        let ground = object.ground == .scene ? camera : canvas.toPixels
        return LayerPose(toImage: ground * object.path(time).matrix, shape: object.shape(at: time), canvas: canvas)
      }
  }

  private init(toImage: Homography, shape: Shape?, canvas: Canvas) {
    guard let inverse = toImage.inverse else { preconditionFailure("a layer seen edge on") }
    self.toImage = toImage
    self.toOwn = inverse
    self.shape = shape
    let (width, height) = (Int(2 * canvas.halfWidth) + 1, Int(2 * canvas.halfHeight) + 1)
    guard let shape else {
      scale = 1
      columns = 0..<width
      rows = 0..<height
      return
    }
    let origin = toImage.apply(x: 0, y: 0)
    scale = Float(inverse.minimumScale(atPixel: origin.x, origin.y))
    let (ex, ey) = (Double(shape.extent.x), Double(shape.extent.y))
    let corners = [(-ex, -ey), (ex, -ey), (-ex, ey), (ex, ey)].map { toImage.apply(x: $0.0, y: $0.1) }
    columns = Self.pixels(corners.map(\.x), limit: width)
    rows = Self.pixels(corners.map(\.y), limit: height)
  }

  /// The whole numbers in 0 ..< limit between the smallest and the largest value, and two more for the soft edge.
  private static func pixels(_ values: [Double], limit: Int) -> Range<Int> {
    let clamped = values.map { max(-10, min(Double(limit) + 10, $0)) }
    let low = max(0, Int((clamped.min() ?? 0).rounded(.down)) - 2)
    let high = min(limit, Int((clamped.max() ?? 0).rounded(.up)) + 3)
    return low..<max(low, high)
  }

  /// The signed distance in pixels from the point (x, y) of the image to the layer's outline, negative inside.
  @inline(__always)
  func distance(x: Double, y: Double) -> Float {
    guard let shape else { return -.infinity }
    let own = toOwn.apply(x: x, y: y)
    return shape.distance(x: Float(own.x), y: Float(own.y)) * scale
  }

  /// Returns whether the layer covers the point (x, y) of the image.
  @inline(__always)
  func covers(x: Double, y: Double) -> Bool { distance(x: x, y: y) <= 0 }
}
