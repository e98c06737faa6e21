// One panorama out of a panning video or of several images: register → plan → balance → paint.
//
// Of images, all pairs are registered by their features and refined photometrically. Of a video, each frame is registered
// with the last key frame; a new key frame begins where the overlap falls under 60 %, so that a pan of one screen is one
// registration long, and key frames that come to lie on each other again are registered, too. Either way the placements
// are then adjusted together. The inputs are read twice: reduced images are kept in between, and the second time
// each image is painted as it comes.

import Foundation

/// Stitches a panorama.
///
/// Memory: some 30 bytes for each pixel of the panorama, 30 for each of one image, and of each image or key frame a copy
/// of at most 640 pixels a side (1600 while images are registered).
public struct Stitching: Sendable {
  /// One video, or two or more images.
  public var inputs: [String]
  /// The PNG file to write, or `-`.
  public var output: String
  /// Which part of a video, and filters ahead of everything else; of no use for images.
  public var reading: VideoReader.Options
  /// The family of maps between images.
  public var model: TransformModel
  /// Nil: the plane of the central image, or a cylinder where the plane would stretch too much.
  public var projection: PanoramaProjection?
  /// The longest side of the panorama in pixels; what is larger is scaled down.
  public var maximumSide: Int
  /// Whether only the largest rectangle without clear pixels is kept.
  public var cropsToCovered: Bool
  /// Whether an existing file is replaced.
  public var overwrite: Bool
  /// Threads of registration and painting; changes no pixel.
  public var parallelism: Parallelism

  /// An 8192 × 2048 panorama takes half a gigabyte.
  public static let defaultMaximumSide = 8192
  /// What ``maximumSide`` may be, in pixels.
  public static let maximumSideRange = 64...32768

  /// Projective maps, the surface that suits, nothing cropped, nothing replaced, unless given.
  public init(
    inputs: [String], output: String, reading: VideoReader.Options = .init(), model: TransformModel = .homography,
    projection: PanoramaProjection? = nil, maximumSide: Int = defaultMaximumSide, cropsToCovered: Bool = false,
    overwrite: Bool = false, parallelism: Parallelism = .init()
  ) {
    self.inputs = inputs
    self.output = output
    self.reading = reading
    self.model = model
    self.projection = projection
    self.maximumSide = maximumSide
    self.cropsToCovered = cropsToCovered
    self.overwrite = overwrite
    self.parallelism = parallelism
  }

  /// What came of it.
  public struct Report: Sendable {
    /// Of the image that was written.
    public var size: PixelSize
    /// The surface that it was painted on.
    public var projection: PanoramaProjection
    /// Pixels of the panorama per pixel of the central image.
    public var scale: Double
    /// Images or key frames that it is made of.
    public var imageCount: Int
    /// Frames of the video that were registered; 0 for images.
    public var frameCount: Int
    /// The name of the image that the others are placed around.
    public var center: String
    /// Factors for R, G, B, of each image.
    public var gains: [SIMD3<Double>]
    /// What was not stitched, one line each.
    public var leftOut: [String]
    /// What had to be changed, one line each.
    public var notes: [String]
    /// Damaged places of the input.
    public var gaps: [MediaGap]
    /// Seconds from start to end.
    public var seconds: Double
    /// Whether the work was stopped early; the output is valid up to there.
    public var wasInterrupted: Bool
  }

  /// Does the work.
  ///
  /// - Parameters:
  ///   - interruption: Setting it stops the registration; what is registered is stitched.
  ///   - progress: Called after each frame or pair that was registered, and each image that was painted or skipped.
  /// - Throws: `MediaError` or `PanoramaError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((Annotation.Progress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let meter = ProgressMeter(progress)
    let set: ImageSet =
      try inputs.count == 1
      ? PanTracker.images(of: inputs[0], self, interruption, meter)
      : ImageMatcher(task: self).images(interruption, meter)
    let plan = try set.plan(model: model)
    let layout = try plan.layout(projection: projection, maximumSide: maximumSide)
    let composition = PanoramaComposition(set: set, plan: plan, layout: layout, parallelism: parallelism)
    var image = try composition.painted(meter)
    image = cropped(image)
    try StillImage.writePNG(image, to: output, overwrite: overwrite)
    return Report(
      size: image.size, projection: layout.projection, scale: layout.scale, imageCount: plan.members.count,
      frameCount: set.frameCount, center: set.names[plan.center], gains: composition.gains,
      leftOut: set.leftOut(plan), notes: notes(layout), gaps: set.gaps, seconds: meter.elapsed,
      wasInterrupted: interruption.isSet)
  }

  private func validate() throws {
    guard !inputs.isEmpty else { throw MediaError(.invalidOption, "name a video, or two or more pictures") }
    guard Self.maximumSideRange.contains(maximumSide) else {
      throw MediaError(
        .invalidOption,
        "the longest side is \(Self.maximumSideRange.lowerBound)…\(Self.maximumSideRange.upperBound) pixels, not \(maximumSide)"
      )
    }
    guard !inputs.contains("-") else {
      throw MediaError(.cannotOpen, "a pipe cannot be read twice, which stitching needs: give a file", file: "-")
    }
    try OutputFile.check(path: output, overwrite: overwrite)
  }

  /// Without clear borders, or without anything clear.
  private func cropped(_ image: Plane<RGBA8>) -> Plane<RGBA8> {
    let rect = image.withView { view in
      cropsToCovered
        ? PixelRect.largest(view.size) { view.row($1)[$0].a == 255 }
        : PixelRect.bounding(view.size) { view.row($1)[$0].a == 255 }
    }
    return rect.map { image.cropped(to: $0) } ?? image
  }

  private func notes(_ layout: PanoramaLayout) -> [String] {
    guard layout.scale < 1 else { return [] }
    let share = String(format: "%.0f", layout.scale * 100)
    return ["the panorama is scaled to \(share) %, so that its longer side is \(maximumSide) pixels"]
  }
}
