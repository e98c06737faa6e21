// One image with less noise out of many: register → warp → combine.
//
// Each frame is registered with the reference, never with the frame before, so that nothing adds up. A mean runs along
// with the frames: one pass. For the median and for clipping, all samples of a pixel must be there at once: they are
// collected for as many rows as fit into `Stacking.sampleMemory`, and the input is read again for the next rows.

import Foundation
import Imaging
import Registration
import VideoIO

/// Combines a burst, as a video or as images, into one image.
///
/// Memory: with the mean 16 bytes for each pixel and some frames; else `sampleMemory` more. Colours are combined as
/// they are coded, with 16 bits a channel.
public struct Stacking: VideoJob {
  /// The method that makes one sample of the samples of a pixel.
  public enum Method: String, Sendable, CaseIterable {
    /// The mean: noise falls with the square root of the number of frames; what moves leaves traces.
    case mean
    /// The middle sample: what shows at a pixel in less than half of the frames vanishes; 25 % more noise than the
    /// mean.
    case median
    /// The mean of the samples that lie within three standard deviations of the median.
    case sigmaClip = "sigma-clip"
  }

  /// The input: one video, or two or more images.
  public var inputs: [String]
  /// The PNG file to write, or `-`.
  public var output: String
  /// The part of a video to read, and the filters ahead of everything else; of no use for images.
  public var reading: VideoReader.Options
  /// The family of maps from each frame to the reference.
  public var model: TransformModel
  /// The method that makes one sample of the samples of a pixel.
  public var method: Method
  /// The index, from 0, among the frames or images that are used, of the one that the others are aligned to.
  public var reference: Int
  /// The number of bits a channel in the output, 8 or 16.
  public var bitDepth: Int
  /// A Boolean value that tells whether an existing file is replaced.
  public var overwrite: Bool
  /// The threads of registration and warping; they change no pixel.
  public var parallelism: Parallelism

  /// The number of bytes for the samples of the median: more rows at a time mean fewer passes.
  public static let sampleMemory = 256 << 20

  /// Makes a job for the mean about the first frame with 16 bits a channel, nothing replaced, unless given.
  public init(
    inputs: [String], output: String, reading: VideoReader.Options = .init(), model: TransformModel = .homography,
    method: Method = .mean, reference: Int = 0, bitDepth: Int = 16, overwrite: Bool = false,
    parallelism: Parallelism = .init()
  ) {
    self.inputs = inputs
    self.output = output
    self.reading = reading
    self.model = model
    self.method = method
    self.reference = reference
    self.bitDepth = bitDepth
    self.overwrite = overwrite
    self.parallelism = parallelism
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// The size of the image that was written: that of the reference.
    public var size: PixelSize
    /// The number of frames or images in the stack, the reference among them.
    public var frames: Int
    /// The notes about what was not stacked, one line each.
    public var leftOut: [String]
    /// The number of times that the input was read.
    public var passes: Int
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The time from start to end with all passes, in seconds.
    public var seconds: Double
    /// A Boolean value that tells whether the work was stopped early; the output holds the frames up to there.
    public var wasInterrupted: Bool
  }

  /// Stacks the input and writes the image.
  ///
  /// - Parameters:
  ///   - interruption: Setting it stops the registration; what is registered is stacked.
  ///   - progress: Called after each frame of each pass.
  /// - Throws: `MediaError`, or `PanoramaError` `tooFewConnected` when no frame fits the reference, `interrupted` when
  ///   none was registered before the interruption.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try validate()
    let monitor = JobMonitor(interruption, progress)
    var work = StackWork(task: self)
    let image = try work.stacked(monitor)
    try interruption.checkCancellation()
    if bitDepth == 16 {
      try StillImage.writePNG(image, to: output, overwrite: overwrite)
    } else {
      try StillImage.writePNG(image.narrowed, to: output, overwrite: overwrite)
    }
    return Report(
      size: image.size, frames: work.frameCount, leftOut: work.leftOut, passes: work.passCount, gaps: work.gaps,
      seconds: monitor.elapsed, wasInterrupted: interruption.isSet)
  }

  private func validate() throws {
    guard !inputs.isEmpty else { throw MediaError(.invalidOption, "name a video, or two or more images") }
    guard bitDepth == 8 || bitDepth == 16 else {
      throw MediaError(.invalidOption, "the bit depth is 8 or 16, not \(bitDepth)")
    }
    guard reference >= 0, inputs.count == 1 || reference < inputs.count else {
      throw MediaError(.invalidOption, "the reference is 0…\(max(inputs.count - 1, 0)), not \(reference)")
    }
    if inputs.contains("-"), inputs.count > 1 || method != .mean || reference > 0 {
      throw MediaError(
        .cannotOpen, "a pipe is read once, which is enough for the mean about the first frame only: give a file",
        file: "-")
    }
    try OutputFile.check(path: output, overwrite: overwrite, inputs: inputs)
  }
}

extension Plane where Scalar == RGB16 {
  /// A copy of the image with 8 bits a channel, rounded.
  fileprivate var narrowed: Plane<RGBA8> {
    // 257 of 65535 are one of 255.
    func narrow(_ value: UInt16) -> UInt8 { UInt8((UInt32(value) + 128) / 257) }
    return withView { source in
      Plane<RGBA8>(
        size: size,
        filledBy: { target in
          for y in 0..<source.height {
            let (from, to) = (source.row(y), target.row(y))
            for x in 0..<source.width { to[x] = RGBA8(narrow(from[x].r), narrow(from[x].g), narrow(from[x].b)) }
          }
        })
    }
  }
}
