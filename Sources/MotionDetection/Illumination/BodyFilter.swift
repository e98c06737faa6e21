// The choice of bodies: light, shade, clouds and insects travel, too.

import Imaging

/// Leaves out of what travels what is no body: light, shade, clouds, and insects close to the lens. Used by one thread.
struct BodyFilter: Sendable {
  private let grid: CellGrid
  private var light: SoftLightMap
  private var shade: ShadeMap
  private var sky: SkyMap
  private var insects: InsectTracker
  private var lastSeconds: Double?

  /// The mean grey level below which it is night: drawn roads have 22 to 53 with a car on them.
  private static let nightBrightness: Float = 70
  /// The distance of the pixels that are looked at for that, in both directions.
  private static let brightnessStride = 8

  /// A frame.
  struct View {
    /// Its luma, of the grid's size.
    var image: Plane<Float>
    /// Its colour differences, a sample for each cell; nil: they are not known, or the camera moves.
    var colors: ChrominancePlanes?
    /// A Boolean value that tells whether much moves here and there.
    var isRestless: Bool
    var seconds: Double
  }

  /// - Parameters:
  ///   - grid: The cells of the image.
  ///   - enlargement: The factor by which frames were enlarged, 1 or more.
  init(grid: CellGrid, enlargement: Float) {
    self.grid = grid
    light = SoftLightMap(grid: grid, enlargement: enlargement)
    shade = ShadeMap(grid: grid)
    sky = SkyMap(grid: grid)
    insects = InsectTracker(grid: grid)
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    light.reset()
    shade.reset()
    sky.reset()
    insects.reset()
    lastSeconds = nil
  }

  /// Returns an observation of the next frame without what is no body.
  mutating func filtered(_ observation: MotionObservation, in view: View) -> MotionObservation {
    var kept = observation
    let components = grid.components(of: observation.movingCells)
    let widths = light.advance(components, in: view.image, seconds: view.seconds)
    let isNight = widths.contains { $0 >= InsectTracker.softWidth } && self.isNight(view.image)
    let shades = shade.advance(
      components, widths: widths, in: view.image, blur: light.blur, isNight: isNight, seconds: view.seconds)
    let kinds = insects.advance(
      components, widths: widths, isRestless: view.isRestless, isNight: isNight, seconds: view.seconds)
    let frame = SkyMap.Frame(
      image: view.image, colors: view.colors, seconds: view.seconds,
      interval: Float(view.seconds - (lastSeconds ?? view.seconds)))
    lastSeconds = view.seconds
    var lightCount = 0
    kept.movingCells = []
    for (index, component) in components.enumerated() {
      if widths[index] >= SoftLightMap.lightWidth, shades[index]?.isBody != true {
        lightCount += component.count
      } else if kinds[index] == .insect {
        kept.insectCells += component.map(\.cell)
      } else if shades[index]?.isShade == true {
        lightCount += component.count
      } else if let residual = shades[index]?.residual, sky.isCloud(component, residual: residual, in: frame) {
        continue
      } else {
        kept.movingCells += component
        if kinds[index] == .undecided { kept.undecidedCells += component.map(\.cell) }
      }
    }
    kept.lightShare = min(1, kept.lightShare + Double(lightCount) / Double(max(grid.count, 1)))
    return kept
  }

  /// Returns whether an image is so dark that headlights glare in it.
  private func isNight(_ image: Plane<Float>) -> Bool {
    let rows = stride(from: 0, to: image.height, by: Self.brightnessStride)
    let columns = stride(from: 0, to: image.width, by: Self.brightnessStride)
    var (sum, count) = (0 as Float, 0 as Float)
    image.withView { image in
      for y in rows {
        for x in columns { (sum, count) = (sum + image.row(y)[x], count + 1) }
      }
    }
    return sum < Self.nightBrightness * count
  }
}
