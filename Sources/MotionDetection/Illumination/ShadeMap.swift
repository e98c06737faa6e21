// The map of shade: shadows of clouds are no bodies, however clearly they travel.

import Imaging

/// Tells what changes by a smooth gain alone, and remembers it for a short time: its parts are too small to be
/// measured. Used by one thread. The constants were chosen as those of ``GainResidual``.
struct ShadeMap: Sendable {
  private let grid: CellGrid
  private var meter: GainResidual
  private var (shares, sharesOfSmall): (RecentCellMeans, RecentCellMeans)
  private var lastSeconds: Double?

  /// The share that a smooth gain leaves, as of a small change, below which it is shade. Most bodies have 0.35 to 0.9,
  /// people who sit down and transparent bottles 0.25 and more; shadows have 0.05 to 0.25.
  private static let maximumShare: Float = 0.25
  /// The width of edges, in pixels, below which less must be left, and how much less.
  private static let (sharpWidth, maximumSharpShare): (Float, Float) = (2.3, 0.15)
  /// The maximum speed of shade, in longest sides of the image a second: what is faster is blurred, and may be a body.
  private static let maximumSpeed: Float = 0.3
  /// The number of cells around a component that may be parts of it.
  private static let reachInCells = 2
  /// The time in which a share is forgotten, in seconds.
  private static let memoryInSeconds = 0.7

  init(grid: CellGrid) {
    self.grid = grid
    meter = GainResidual(grid: grid)
    shares = RecentCellMeans(grid: grid, reachInCells: Self.reachInCells, memoryInSeconds: Self.memoryInSeconds)
    sharesOfSmall = shares
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    meter.reset()
    shares.reset()
    sharesOfSmall.reset()
    lastSeconds = nil
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - components: All that seems to travel in it.
  ///   - image: The frame, of the grid's size.
  ///   - blur: By how much edges are wider than those of a scene in focus, at least 1.
  /// - Returns: The residual of the change of each component, as a mean of late; nil: it is too fast
  ///   to be shade, or was not measured.
  mutating func advance(
    _ components: [[MotionObservation.MovingCell]], in image: Plane<Float>, blur: Float, seconds: Double
  ) -> [GainResidual.Residual?] {
    let interval = Float(seconds - (lastSeconds ?? seconds))
    lastSeconds = seconds
    meter.append(image, blur: blur, seconds: seconds)
    let slow = components.map { interval > 0 && isSlow($0, interval: interval) ? $0.map(\.cell) : [] }
    for cells in slow where !cells.isEmpty {
      guard let residual = meter.residual(of: cells, in: image, blur: blur, seconds: seconds) else { continue }
      shares.note(residual.share, weight: 1, of: cells, seconds: seconds)
      sharesOfSmall.note(residual.shareOfSmall, weight: 1, of: cells, seconds: seconds)
    }
    return slow.map { cells in
      guard let share = shares.mean(of: cells, seconds: seconds) else { return nil }
      return GainResidual.Residual(
        share: share, shareOfSmall: sharesOfSmall.mean(of: cells, seconds: seconds) ?? share)
    }
  }

  /// Returns whether a component is shade.
  /// - Parameters:
  ///   - residual: The residual of its change.
  ///   - width: The width of its edges, in pixels; 0: it was not measured.
  static func isShade(_ residual: GainResidual.Residual, width: Float) -> Bool {
    residual.shareOfSmall < (width > 0 && width < sharpWidth ? maximumSharpShare : maximumShare)
  }

  private func isSlow(_ component: [MotionObservation.MovingCell], interval: Float) -> Bool {
    let motion = component.meanMotion
    let limit = Self.maximumSpeed * Float(max(grid.size.width, grid.size.height)) * interval
    return (motion * motion).sum() <= limit * limit
  }
}
