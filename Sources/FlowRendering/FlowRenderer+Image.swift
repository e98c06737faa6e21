import Imaging

extension FlowRenderer {
  /// A still image of a flow field, drawn exactly as over a frame of planar RGB.
  ///
  /// - Parameters:
  ///   - flow: The flow, of ``size``.
  ///   - confidence: The trust in the vectors, 0…1, of ``size``; nil: full trust.
  ///   - contours: The outlines that the style `contours` shows, of ``size``.
  ///   - background: The image that styles over the image draw on, and the left half of side by side; nil: black. Its
  ///     opacity is ignored.
  ///   - caption: The time and number for the hud.
  /// - Returns: An opaque image of ``canvasSize``.
  /// - Throws: ``RenderingError`` with code `sizeMismatch` when `flow`, `confidence` or `background` is not of
  ///   ``size``, or `missingConfidence` when the style needs it.
  public func image(
    of flow: FlowField, confidence: Plane<Float>? = nil, contours: ContourHierarchy? = nil,
    background: Plane<RGBA8>? = nil, caption: FrameCaption? = nil
  ) throws -> Plane<RGBA8> {
    for (name, other) in [("flow", flow.size), ("background", background?.size ?? size)] where other != size {
      throw RenderingError(code: .sizeMismatch, message: "the \(name) is \(other), the image \(size)")
    }
    var (red, green, blue) = (
      Plane<UInt8>(size: canvasSize), Plane<UInt8>(size: canvasSize), Plane<UInt8>(size: canvasSize)
    )
    var image = Plane<RGBA8>(size: canvasSize)
    try red.withMutableView { red in
      try green.withMutableView { green in
        try blue.withMutableView { blue in
          background?.withView { background in
            for y in 0..<background.height {
              for x in 0..<background.width {
                let pixel = background.row(y)[x]
                (red.row(y)[x], green.row(y)[x], blue.row(y)[x]) = (pixel.r, pixel.g, pixel.b)
              }
            }
          }
          let planes = [red, green, blue].map {
            MutableImageView.RawPlane(base: UnsafeMutableRawPointer($0.base), stride: $0.stride)
          }
          try render(
            flow, confidence: confidence, contours: contours, caption: caption,
            over: MutableImageView(
              size: canvasSize, format: ImageFormat(colorModel: .rgb, isFullRange: true), planes: planes))
          image.withMutableView { image in
            for y in 0..<image.height {
              for x in 0..<image.width { image.row(y)[x] = RGBA8(red.row(y)[x], green.row(y)[x], blue.row(y)[x]) }
            }
          }
        }
      }
    }
    return image
  }
}
