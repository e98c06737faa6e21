// Motion detection for programs with frames of their own: what `rheo detect` finds, without files and threads.

import Imaging
import Registration

/// Finds the events of motion in frames that come one after the other, from wherever they come.
///
/// Per frame two steps follow each other: the comparison with the frame before (cells that move, camera, light), which
/// also learns the noise and the oscillation of cells, and what takes its evidence in order (temporal averages, zones,
/// events). Frames that repeat the one before are left out, and, where much moves in frames that follow each other by a
/// twentieth of a second or less, those with odd numbers, unless the camera moves: they have the statistics of the
/// frame before. Used by one thread; memory is bounded by the frame size.
public final class MotionDetector {
  /// Options of a detector.
  public struct Options: Sendable {
    /// The zones, which tell where motion counts.
    public var zones: ZoneSet
    /// Thresholds and times of events.
    public var events: EventParameters
    /// The camera's motion that is taken out; `identity`: none.
    public var compensation: TransformModel
    /// The number of threads to use; changes no result.
    public var parallelism: Parallelism

    /// Everywhere, with the defaults of events and a camera that may move, unless given.
    public init(
      zones: ZoneSet = .everywhere, events: EventParameters = .init(), compensation: TransformModel = .homography,
      parallelism: Parallelism = .init()
    ) {
      self.zones = zones
      self.events = events
      self.compensation = compensation
      self.parallelism = parallelism
    }
  }

  /// An update that a frame brings.
  public enum Update: Sendable, Hashable {
    /// A frame was measured.
    case frame(FrameStatistics)
    /// An event is certain: it has lasted long enough. Once for each event, before its end.
    case started(MotionEvent)
    /// An event is over.
    case ended(MotionEvent)
    /// A time in which light, camera or a cut changed the image is over.
    case suppressed(SuppressedPeriod)
  }

  private let size: PixelSize
  private let scaling: ImageScaling
  private let pairs: FramePairAnalyzer
  private let zones: ZoneAnalyzer
  private var events: EventDetector
  private var colorReduction = ColorReduction()
  private var frameCount = 0

  /// A detector that has seen no frame.
  ///
  /// - Parameters:
  ///   - size: The size of all frames, in pixels; they are analysed at a longest side of
  ///     ``MotionParameters/analysisSide``, to which smaller ones are enlarged, to twice their size at most.
  ///   - options: Where motion counts, and what makes an event.
  /// - Throws: ``MotionDetectionError`` `invalidOption` for event parameters out of range or an empty size.
  public init(size: PixelSize, options: Options = Options()) throws {
    guard !size.isEmpty else {
      throw MotionDetectionError(.invalidOption, "frames have at least one pixel, not \(size.width)×\(size.height)")
    }
    try options.events.validate()
    self.size = size
    let analyzedSize = Self.analyzedSize(of: size, longestSide: MotionParameters.analysisSide)
    scaling = ImageScaling(from: size, to: analyzedSize)
    pairs = FramePairAnalyzer(
      analyzedSize: analyzedSize, compensation: options.compensation, parallelism: options.parallelism,
      isThinned: true)
    zones = ZoneAnalyzer(zones: options.zones, size: size, analyzedSize: analyzedSize)
    events = EventDetector(zones: options.zones, parameters: options.events)
  }

  /// Takes the next frame.
  ///
  /// - Parameters:
  ///   - luma: `height × width`, 0…255, of the detector's size.
  ///   - chrominance: The colour of the frame; nil: it is not known. Who has the brightness of the wall behind is seen
  ///     by it alone.
  ///   - time: When the frame shows; later than the frame before.
  /// - Returns: Its statistics, then the periods and events that end with it, then the event that becomes certain.
  /// - Throws: ``MotionDetectionError`` `invalidOption` when the size differs.
  public func detect(
    _ luma: Plane<UInt8>, chrominance: ChrominancePlanes? = nil, at time: MediaTime
  ) throws -> [Update] {
    try requireSize(luma.size)
    return detect(scaled: luma.withView(scaling.scaled), chrominance, at: time)
  }

  /// Takes the next frame.
  ///
  /// - Parameters:
  ///   - luma: `height × width`, 0…255, finite, of the detector's size.
  ///   - chrominance: The colour of the frame; nil: it is not known.
  ///   - time: When the frame shows; later than the frame before.
  /// - Returns: As with samples of 8 bits.
  /// - Throws: The same errors.
  public func detect(
    _ luma: Plane<Float>, chrominance: ChrominancePlanes? = nil, at time: MediaTime
  ) throws -> [Update] {
    try requireSize(luma.size)
    return detect(scaled: scaling.scaled(luma), chrominance, at: time)
  }

  /// Ends all that is still going on with the last frame.
  public func finish() -> [Update] {
    updates(events.finish())
  }

  private func requireSize(_ other: PixelSize) throws {
    guard other == size else {
      throw MotionDetectionError(
        .invalidOption, "a frame of \(other.width)×\(other.height) in a detector of \(size.width)×\(size.height)")
    }
  }

  private func detect(
    scaled image: Plane<Float>, _ chrominance: ChrominancePlanes?, at time: MediaTime
  ) -> [Update] {
    defer { frameCount += 1 }
    let colors = chrominance.flatMap { colorReduction.reduce($0, to: CellGrid(size: image.size).colorSize) }
    let evidence = pairs.measure(AnalyzedFrame(number: frameCount, time: time, image: image, colors: colors))
    let frame = zones.measure(evidence).statistics
    return [.frame(frame)] + updates(events.append(frame))
  }

  /// Returns the updates of events: an event begins before it ends.
  private func updates(_ ended: [MotionEvent]) -> [Update] {
    let started = events.started
    let isOver = ended.contains { $0.number == started?.number }
    let begins = started.map { [Update.started($0)] } ?? []
    return events.takeSuppressed().map { .suppressed($0) } + (isOver ? begins : []) + ended.map { .ended($0) }
      + (isOver ? [] : begins)
  }

  /// The size at which frames of `size` are analysed: so that the longest side is `longestSide`, but no more than twice
  /// as long as it is.
  package static func analyzedSize(of size: PixelSize, longestSide: Int) -> PixelSize {
    let longest = max(size.width, size.height)
    let target = min(longestSide, maximumEnlargement * longest)
    func scaled(_ side: Int) -> Int { max(1, (side * target + longest / 2) / longest) }
    return PixelSize(width: scaled(size.width), height: scaled(size.height))
  }

  /// The maximum factor by which small frames are enlarged: of what is smaller, colours have fewer samples than the
  /// analysis has cells.
  private static let maximumEnlargement = 2
}
