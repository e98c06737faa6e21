// Flow onto images: the driver of painters, plates and the compositor.

import FlowKernels
import Imaging

/// Draws the flow of a stream's frames onto their images.
///
/// Owned by one task. Frames are rendered in order, for the automatic scale follows the stream. The same frames and
/// options give the same bytes, whatever the number of threads and the instruction set.
///
///     let renderer = try FlowRenderer(options: options, size: video.size, parallelism: Parallelism())
///     let image = try renderer.image(of: flow)
public final class FlowRenderer {
  /// The options that say what the renderer draws; checked when it was made.
  public let options: RenderingOptions
  /// Size of the flow and of the original image.
  public let size: PixelSize
  /// Size of what is drawn on: twice as wide as `size` for side by side.
  public let canvasSize: PixelSize
  private let parallelism: Parallelism
  /// Rows that one thread paints in a row; even, so that each stripe holds whole chroma samples.
  private static let stripeHeight = 32

  private let kernels: RenderKernels
  private var painter: any FlowPainter
  private var scale: MotionScale
  private var legend: Legend?
  private var hud: CaptionPlate?
  private let metrics: PlateMetrics
  /// The painter of lines; nil before the first one.
  private var lines: LinePainter?
  private var layer: Plane<RGBA8>
  private var scratch: Plane<Float>

  /// - Parameters:
  ///   - options: The options that say what to draw.
  ///   - size: The size of the flow and the original image.
  ///   - parallelism: The number of threads that may paint.
  /// - Throws: ``RenderingError`` with code `invalidOption`, `emptyImage`, or `fontUnavailable` when legend or hud are
  ///   asked for.
  public convenience init(options: RenderingOptions, size: PixelSize, parallelism: Parallelism) throws {
    try self.init(options: options, size: size, parallelism: parallelism, kernels: .current)
  }

  init(options: RenderingOptions, size: PixelSize, parallelism: Parallelism, kernels table: KernelTable) throws {
    try options.validate()
    try size.requirePixels()
    self.options = options
    self.size = size
    self.parallelism = parallelism
    canvasSize = Self.canvasSize(for: options.style, size: size)
    kernels = table.render
    painter = FlowRendering.painter(for: options, size: size, kernels: kernels)
    scale = MotionScale(options: options)
    metrics = PlateMetrics(size: size)
    if options.legend || options.hud {
      let font = try TextFont(pixelSize: metrics.fontSize)
      if options.legend {
        legend = Legend(options: options, font: font, metrics: metrics, size: size, kernels: kernels)
      }
      if options.hud { hud = CaptionPlate(font: font, metrics: metrics, size: size) }
    }
    let stripeCount = (size.height + Self.stripeHeight - 1) / Self.stripeHeight
    let slotCount = min(parallelism.threadCount, stripeCount)
    layer = Plane(width: canvasSize.width, height: slotCount * Self.stripeHeight)
    scratch = Plane(width: canvasSize.width + 16, height: slotCount * StripeScratch.rowCount)
  }

  /// Size of the canvas that a style needs for images of `size`.
  public static func canvasSize(for style: RenderingStyle, size: PixelSize) -> PixelSize {
    style == .sideBySide ? PixelSize(width: 2 * size.width, height: size.height) : size
  }

  /// Draws a frame's flow over its image.
  ///
  /// - Parameters:
  ///   - flow: The flow, of ``size``. Nil for the last frame, which has none: styles over the image leave it as it is,
  ///     the others show the colour of no motion.
  ///   - confidence: The trust in the vectors, 0…1, of ``size``: styles over the image multiply their opacity by it.
  ///     nil: full trust. The styles `confidence` and `occlusion` show it and need it; `saliency` shows a heat, 0…1,
  ///     that comes in its place.
  ///   - contours: The outlines that the style `contours` shows, of ``size``.
  ///   - caption: Time and number for the hud; nil: no hud on this frame.
  ///   - image: Holds the original image in its top left part of ``size``; at least as large as ``canvasSize``.
  ///     The part beyond that (padding) stays as it is.
  /// - Throws: ``RenderingError`` with code `sizeMismatch`, `missingConfidence`, `strideTooSmall` or
  ///   `unsupportedFormat`; then nothing is drawn.
  package func render(
    _ flow: FlowField?, confidence: Plane<Float>? = nil, contours: ContourHierarchy? = nil, caption: FrameCaption?,
    over image: MutableImageView
  ) throws(RenderingError) {
    let image = try canvas(image, for: flow, confidence, contours)
    let summary = flow.map { self.summary(of: $0) }
    draw(flow, confidence, contours, [], summary, range: scale.next(summary), caption: caption, over: image)
  }

  /// Forgets the scale of the frames before: another scene begins.
  public func startScene() { scale.startScene() }

  /// Returns the summary of a frame's flow that the scale of the stream and the caption need.
  package func summary(of flow: FlowField) -> MotionSummary { scale.summary(of: flow, kernels: kernels) }

  /// Draws a frame's flow over its image at a range that was chosen before, so that frames may be drawn in any order.
  ///
  /// - Parameters:
  ///   - flow: The flow, of ``size``; nil for the last frame.
  ///   - confidence: The trust in the vectors, as for ``render(_:confidence:contours:caption:over:)``.
  ///   - contours: The outlines that the style `contours` shows.
  ///   - trails: The paths to draw over the image.
  ///   - summary: The summary of the flow from ``summary(of:)``; nil without a flow.
  ///   - range: The range that a scale of the same options makes of the summaries of all frames up to this one, in
  ///     their order.
  ///   - caption: Time and number for the hud; nil: no hud on this frame.
  ///   - image: The image to draw on, as for ``render(_:confidence:contours:caption:over:)``.
  /// - Throws: ``RenderingError``; then nothing is drawn.
  package func render(
    _ flow: FlowField?, confidence: Plane<Float>?, contours: ContourHierarchy? = nil, trails: [MotionTrail] = [],
    summary: MotionSummary?, range: MotionRange, caption: FrameCaption?, over image: MutableImageView
  ) throws(RenderingError) {
    let image = try canvas(image, for: flow, confidence, contours)
    draw(flow, confidence, contours, trails, summary, range: range, caption: caption, over: image)
  }

  private func canvas(
    _ image: MutableImageView, for flow: FlowField?, _ confidence: Plane<Float>?, _ contours: ContourHierarchy?
  ) throws(RenderingError) -> MutableImageView {
    if let confidence, confidence.size != size {
      throw RenderingError(code: .sizeMismatch, message: "the confidence is \(confidence.size), the image \(size)")
    }
    if let contours, contours.size != size {
      throw RenderingError(code: .sizeMismatch, message: "the contours are of \(contours.size), the image \(size)")
    }
    if flow != nil, confidence == nil, options.style.needsConfidence {
      throw RenderingError(
        code: .missingConfidence, message: "the style \(options.style.rawValue) shows a confidence, and there is none")
    }
    if let flow, flow.size != size {
      throw RenderingError(code: .sizeMismatch, message: "the flow is \(flow.size), the image \(size)")
    }
    return try image.canvas(canvasSize)
  }

  private func draw(
    _ flow: FlowField?, _ confidence: Plane<Float>?, _ contours: ContourHierarchy?, _ trails: [MotionTrail],
    _ summary: MotionSummary?, range: MotionRange, caption: FrameCaption?, over image: MutableImageView
  ) {
    let compositor = Compositor(format: image.format, kernels: kernels)
    draw(flow, options.style.showsConfidence ? confidence : nil, range: range, onto: image, compositor: compositor)
    let shownContours = options.style == .contours && flow != nil ? contours : nil
    if shownContours != nil || !trails.isEmpty {
      var painter = lines ?? LinePainter(size: size, options: options, kernels: kernels)
      painter.draw(contours: shownContours, along: flow, trails: trails)
      painter.blend(onto: image.cropped(x: 0, y: 0, size: size))
      lines = painter
    }
    if let plate = legend?.plate(range) {
      let (width, height) = (canvasSize.width - metrics.margin, canvasSize.height - metrics.margin)
      lay(plate, x: width - plate.size.width, y: height - plate.size.height, onto: image, compositor: compositor)
    }
    if let caption, let plate = hud?.plate(caption, meanMotion: summary?.mean) {
      lay(plate, x: metrics.margin, y: metrics.margin, onto: image, compositor: compositor)
    }
  }

  /// Paints and blends, stripe by stripe, so that a stripe of the layer is still in the cache when it is blended.
  private func draw(
    _ flow: FlowField?, _ confidence: Plane<Float>?, range: MotionRange, onto image: MutableImageView,
    compositor: Compositor
  ) {
    if flow == nil && options.style.isOverlay { return }
    guard let flow else {
      let (ground, width) = (painter.ground, size.width)
      forEachStripe(of: image, compositor) { rows, layer, _ in
        for y in rows {
          UnsafeMutableRawPointer(layer.row(y)).assumingMemoryBound(to: RGBA8.self).update(
            repeating: ground, count: width)
        }
      }
      return
    }
    let paint = { (view: FlowView) in
      self.painter.prepare(view, range: range)
      let painter = self.painter
      self.forEachStripe(of: image, compositor) { rows, layer, memory in
        painter.paint(view, range: range, rows: rows, into: layer, scratch: memory)
      }
    }
    flow.u.withView { u in
      flow.v.withView { v in
        guard let confidence else { return paint(FlowView(u: u, v: v)) }
        confidence.withView { paint(FlowView(u: u, v: v, confidence: $0)) }
      }
    }
  }

  /// Lets each stripe of the layer be painted, and blends it onto the image.
  private func forEachStripe(
    of image: MutableImageView, _ compositor: Compositor,
    _ paint: @Sendable (Range<Int>, LayerView, StripeScratch) -> Void
  ) {
    let (canvasSize, parallelism, height) = (canvasSize, parallelism, size.height)
    let firstColumn = canvasSize.width - size.width
    scratch.withMutableView { scratch in
      layer.withMutableView { layer in
        parallelism.forEachStripeInSlot(rows: height, stripeHeight: Self.stripeHeight) { rows, slot in
          let memory = StripeScratch(scratch, slot: slot)
          let size = PixelSize(width: canvasSize.width, height: rows.count)
          let stripe = MutablePlaneView(
            base: layer.row(slot * Self.stripeHeight), stride: layer.stride, size: size)
          paint(rows, LayerView(plane: stripe, firstRow: rows.lowerBound, firstColumn: firstColumn), memory)
          compositor.blend(
            stripe.readOnly, firstColumn: firstColumn & ~(Plate.grid - 1), rows: 0..<rows.count,
            onto: image.cropped(x: 0, y: rows.lowerBound, size: size), scratch: memory.base, pitch: memory.pitch)
        }
      }
    }
  }

  /// Lays a plate onto the image, its corner moved up and left to a whole chroma sample.
  private func lay(_ plate: Plate, x: Int, y: Int, onto image: MutableImageView, compositor: Compositor) {
    let (x, y) = (x & ~(Plate.grid - 1), y & ~(Plate.grid - 1))
    let size = plate.pixels.size
    guard x >= 0, y >= 0, x + size.width <= image.size.width, y + size.height <= image.size.height else { return }
    let target = image.cropped(x: x, y: y, size: size)
    scratch.withMutableView { scratch in
      let memory = StripeScratch(scratch, slot: 0)
      plate.pixels.withView { pixels in
        compositor.blend(
          pixels, rows: 0..<size.height, onto: target, scratch: memory.base, pitch: memory.pitch)
      }
    }
  }
}

extension StripeScratch {
  init(_ plane: MutablePlaneView<Float>, slot: Int) {
    base = plane.row(slot * Self.rowCount)
    pitch = plane.stride / MemoryLayout<Float>.stride
  }
}
