// One panorama out of a panning video or of several images: register → plan → balance → paint.
//
// Of images, all pairs are registered by their features and refined photometrically. Of a video, each frame is
// registered with the last key frame; a new key frame begins where the overlap falls under 60 %, so that a pan of one
// screen is one registration long, and key frames that come to lie on each other again are registered, too. Either way
// the placements are then adjusted together. The inputs are read twice: reduced images are kept in between, and the
// second time each image is painted as it comes.

import Foundation
import Imaging
import Registration
import VideoIO

/// Stitches a panorama.
///
/// Memory: some 30 bytes for each pixel of the panorama, 30 for each of one image, and of each image or key frame a
/// copy of at most 640 pixels a side (1600 while images are registered).
public struct Stitching: VideoJob {
  /// The input: one video, or two or more images.
  public var inputs: [String]
  /// The PNG file to write, or `-`.
  public var output: String
  /// The part of a video to read, and the filters ahead of everything else; of no use for images.
  public var reading: VideoReader.Options
  /// The family of maps between images.
  public var model: TransformModel
  /// The surface to paint on; nil: the plane of the central image, or a cylinder where the plane would stretch too
  /// much.
  public var projection: PanoramaProjection?
  /// The maximum length of the panorama's longer side, in pixels; what is larger is scaled down.
  public var maximumSide: Int
  /// A Boolean value that tells whether only the largest rectangle without clear pixels is kept.
  public var cropsToCovered: Bool
  /// A Boolean value that tells whether an existing file is replaced.
  public var overwrite: Bool
  /// The threads of registration and painting; they change no pixel.
  public var parallelism: Parallelism

  /// The default of ``maximumSide``, in pixels: an 8192 × 2048 panorama takes half a gigabyte.
  public static let defaultMaximumSide = 8192
  /// The values that ``maximumSide`` may have, in pixels.
  public static let maximumSideRange = 64...32768

  /// Makes a job with projective maps, the surface that suits, nothing cropped, nothing replaced, unless given.
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

  /// The result of the work.
  public struct Report: Sendable {
    /// The size of the image that was written.
    public var size: PixelSize
    /// The surface that the panorama was painted on.
    public var projection: PanoramaProjection
    /// The number of pixels of the panorama per pixel of the central image.
    public var scale: Double
    /// The number of images or key frames that the panorama is made of.
    public var imageCount: Int
    /// The number of frames of the video that were registered; 0 for images.
    public var frameCount: Int
    /// The name of the image that the others are placed around.
    public var center: String
    /// The factors for R, G and B of each image.
    public var gains: [SIMD3<Double>]
    /// The notes about what was not stitched, one line each.
    public var leftOut: [String]
    /// The notes about what had to be changed, one line each.
    public var notes: [String]
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// A Boolean value that tells whether the work was stopped early; the output is valid up to there.
    public var wasInterrupted: Bool
  }

  /// Stitches the panorama and writes it.
  ///
  /// - Parameters:
  ///   - interruption: Setting it stops the registration; what is registered is stitched.
  ///   - progress: Called after each frame or pair that was registered, and each image that was painted or skipped.
  /// - Throws: `MediaError` or `PanoramaError`, `interrupted` when no two images were tied together before the
  ///   interruption; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let monitor = JobMonitor(interruption, progress)
    let set: ImageSet =
      try inputs.count == 1
      ? PanTracker.images(of: inputs[0], self, monitor)
      : ImageMatcher(task: self).images(monitor)
    let plan: PanoramaPlan
    do { plan = try set.plan(model: model) } catch let error as PanoramaError {
      guard interruption.isSet, error.code == .tooFewConnected else { throw error }
      try interruption.checkCancellation()
      throw PanoramaError(.interrupted, "interrupted before two images were registered; nothing is written")
    }
    let layout = try plan.layout(projection: projection, maximumSide: maximumSide)
    let composition = PanoramaComposition(set: set, plan: plan, layout: layout, parallelism: parallelism)
    var image = try composition.painted(monitor)
    image = cropped(image)
    try interruption.checkCancellation()
    try StillImage.writePNG(image, to: output, overwrite: overwrite)
    if !interruption.isSet { monitor.finish() }
    return Report(
      size: image.size, projection: layout.projection, scale: layout.scale, imageCount: plan.members.count,
      frameCount: set.frameCount, center: set.names[plan.center], gains: composition.gains,
      leftOut: set.leftOut(plan), notes: notes(layout), gaps: set.gaps, seconds: monitor.elapsed,
      wasInterrupted: interruption.isSet)
  }

  private func validate() throws {
    guard !inputs.isEmpty else { throw MediaError(.invalidOption, "name a video, or two or more images") }
    guard Self.maximumSideRange.contains(maximumSide) else {
      let range = Self.maximumSideRange
      throw MediaError(
        .invalidOption, "the longest side is \(range.lowerBound)…\(range.upperBound) pixels, not \(maximumSide)")
    }
    guard !inputs.contains("-") else {
      throw MediaError(.cannotOpen, "a pipe cannot be read twice, which stitching needs: give a file", file: "-")
    }
    try OutputFile.check(path: output, overwrite: overwrite, inputs: inputs)
  }

  /// Returns the image without clear borders, or, with `cropsToCovered`, without any clear pixels.
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
