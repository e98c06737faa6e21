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
  /// The width of edges, in pixels, from which on what is faster may be light that sweeps over a wall at night, and the
  /// share below which it is: that leaves 0.03 to 0.15, cars with the glare of their headlights leave 0.19 to 0.43.
  private static let (sweepingWidth, maximumSweepingShare): (Float, Float) = (4.5, 0.17)
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
  ///   - widths: The width of the edges of each component, in pixels; 0: it was not measured.
  ///   - image: The frame, of the grid's size.
  ///   - blur: By how much edges are wider than those of a scene in focus, at least 1.
  ///   - isNight: A Boolean value that tells whether it is so dark that headlights sweep over walls.
  /// - Returns: What each component is; nil: it is too fast to be shade, or was not measured.
  mutating func advance(
    _ components: [[MotionObservation.MovingCell]], widths: [Float], in image: Plane<Float>, blur: Float,
    isNight: Bool, seconds: Double
  ) -> [Shade?] {
    let interval = Float(seconds - (lastSeconds ?? seconds))
    lastSeconds = seconds
    meter.append(image, blur: blur, seconds: seconds)
    let isSlow = components.map { self.isSlow($0, interval: interval) }
    let cellLists = components.indices.map { index in
      interval > 0 && (isSlow[index] || isNight && widths[index] >= Self.sweepingWidth)
        ? components[index].map(\.cell) : []
    }
    for cells in cellLists where !cells.isEmpty {
      guard let residual = meter.residual(of: cells, in: image, blur: blur, seconds: seconds) else { continue }
      shares.note(residual.share, weight: 1, of: cells, seconds: seconds)
      sharesOfSmall.note(residual.shareOfSmall, weight: 1, of: cells, seconds: seconds)
    }
    return components.indices.map { index in
      guard let share = shares.mean(of: cellLists[index], seconds: seconds) else { return nil }
      let residual = GainResidual.Residual(
        share: share, shareOfSmall: sharesOfSmall.mean(of: cellLists[index], seconds: seconds) ?? share)
      return Shade(
        residual: isSlow[index] ? share : nil,
        isShade: Self.isShade(residual, width: widths[index], isSlow: isSlow[index]),
        isBody: isNight && residual.shareOfSmall >= Self.maximumShare)
    }
  }

  /// The kind of a component, by how much of its change a smooth gain leaves, as a mean of late.
  struct Shade: Sendable {
    /// The share of the change that it leaves, 0…1; nil: it is too fast to be the shadow of a cloud.
    var residual: Float?
    /// A Boolean value that tells whether so little is left that it is shade, or light.
    var isShade: Bool
    /// A Boolean value that tells whether so much is left at night that it is none, however soft its edges are.
    var isBody: Bool
  }

  /// Returns whether a component is shade, or light.
  /// - Parameters:
  ///   - residual: The residual of its change.
  ///   - width: The width of its edges, in pixels; 0: it was not measured.
  static func isShade(_ residual: GainResidual.Residual, width: Float, isSlow: Bool) -> Bool {
    guard isSlow else { return width >= sweepingWidth && residual.shareOfSmall < maximumSweepingShare }
    return residual.shareOfSmall < (width > 0 && width < sharpWidth ? maximumSharpShare : maximumShare)
  }

  private func isSlow(_ component: [MotionObservation.MovingCell], interval: Float) -> Bool {
    let motion = component.meanMotion
    let limit = Self.maximumSpeed * Float(max(grid.size.width, grid.size.height)) * interval
    return (motion * motion).sum() <= limit * limit
  }
}
