// The background of a fixed camera: the view when nobody passes.

import Imaging

/// A frame as objects are found in it: reduced to the analysed size.
struct ObservedImage {
  /// The luma, 0…255.
  var luma: Plane<Float>
  /// The two colour differences, each of half the size (rounded up); empty where they are not known.
  var colors: [Plane<Float>] = []

  var hasColors: Bool { colors.count == 2 }

  /// Calls a closure with a function that returns luma and both colour differences of a pixel; these are zero where
  /// they are not known, and the fourth is.
  @inline(__always)
  func withSamples(_ body: (_ sample: (_ x: Int, _ y: Int) -> SIMD4<Float>) -> Void) {
    luma.withView { luma in
      guard hasColors else { return body { x, y in SIMD4(luma.row(y)[x], 0, 0, 0) } }
      colors[0].withView { blue in
        colors[1].withView { red in
          body { x, y in SIMD4(luma.row(y)[x], blue.row(y / 2)[x / 2], red.row(y / 2)[x / 2], 0) }
        }
      }
    }
  }

  /// Returns the size of the colour differences of an image of a size.
  static func colorSize(of size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
  }
}

/// Learns the background of a fixed camera, and tells what stands out from it. Used by one thread.
///
/// The model begins as the median of the first frames, and follows each pixel by small steps up or down: the
/// approximate median (McFarlane & Schofield 1995, doi:10.1007/BF01215814). Where something is being followed it waits,
/// so that who stands for a while does not become background. Luma and colour each tell by themselves: a red car on
/// asphalt is of the asphalt's brightness, and a shadow of its colour. The constants were chosen on `vtest.avi`, where
/// nothing else is said.
struct BackgroundModel {
  private let size: PixelSize
  private var luma: BackgroundPlane
  private var colors: [BackgroundPlane]

  /// The step of a frame where nothing is, in grey levels.
  private static let step: Float = 0.5
  /// The step of a frame where something is that was seen to move, in grey levels.
  private static let occupiedStep: Float = 0.02
  /// The step of a frame where something is that has not moved since it appeared, in grey levels: most likely something
  /// was there before.
  private static let stillStep: Float = 0.2
  /// The differences from which on a pixel stands out, in grey levels: means of 3×3 pixels.
  fileprivate struct Threshold {
    /// The maximum; shadows on asphalt stay below.
    var maximum: Float
    /// The minimum.
    var minimum: Float
    /// The share of the background's median brightness that is enough: in the dark all differences are less, those of
    /// shadows too.
    var brightnessShare: Float
  }

  private static let threshold = Threshold(maximum: 28, minimum: 8, brightnessShare: 0.28)
  /// The threshold of the sum of the differences of both colours. Chosen on drawn scenes and `overhead_road.avi`: from
  /// 12 to 17 little changes there.
  private static let colorThreshold = Threshold(maximum: 28, minimum: 14, brightnessShare: 0)
  /// The number of pixels to each side by which gaps are closed.
  private static let (closingX, closingY) = (2, 4)

  /// The median of some frames of one size; at least one.
  init(_ frames: [ObservedImage]) {
    size = frames[0].luma.size
    luma = BackgroundPlane(frames.map(\.luma))
    colors =
      frames.allSatisfy { $0.colors.count == 2 }
      ? (0..<2).map { index in BackgroundPlane(frames.map { $0.colors[index] }) } : []
  }

  /// An area whose pixels are learned more slowly.
  struct Occupied {
    var pixels: PixelRect
    /// A Boolean value that tells whether what is there has not moved since it appeared.
    var isStill: Bool
  }

  /// Takes a frame.
  mutating func learn(_ frame: ObservedImage, occupied: [Occupied]) {
    luma.learn(frame.luma, steps: Self.steps(size, occupied, reduction: 1))
    guard !colors.isEmpty, !frame.colors.isEmpty else { return }
    let steps = Self.steps(ObservedImage.colorSize(of: size), occupied, reduction: 2)
    for index in colors.indices { colors[index].learn(frame.colors[index], steps: steps) }
  }

  /// The step of each pixel, row by row.
  /// - Parameter reduction: The pixels of the analysed image to one of the plane, in each direction.
  private static func steps(_ size: PixelSize, _ occupied: [Occupied], reduction: Int) -> [Float] {
    var steps = [Float](repeating: step, count: size.area)
    for area in occupied where !area.pixels.rows.isEmpty && !area.pixels.columns.isEmpty {
      let value = area.isStill ? stillStep : occupiedStep
      let (rows, columns) = (area.pixels.rows, area.pixels.columns)
      for y in rows.lowerBound / reduction...(rows.upperBound - 1) / reduction {
        for x in columns.lowerBound / reduction...(columns.upperBound - 1) / reduction {
          steps[y * size.width + x] = value
        }
      }
    }
    return steps
  }

  /// Forgets all but a frame: the light has changed, or the camera was moved.
  mutating func restart(with frame: ObservedImage) { self = BackgroundModel([frame]) }

  /// Returns what stands out of a frame, with gaps closed.
  func foreground(of frame: ObservedImage) -> BitMask {
    var mask = Self.outstanding([(luma, frame.luma)], size, threshold: Self.threshold)
    if !colors.isEmpty, !frame.colors.isEmpty {
      let colorSize = ObservedImage.colorSize(of: size)
      let colored = Self.outstanding(Array(zip(colors, frame.colors)), colorSize, threshold: Self.colorThreshold)
      for y in 0..<size.height {
        for x in 0..<size.width where colored[x / 2, y / 2] { mask[x, y] = true }
      }
    }
    return mask.closed(x: Self.closingX, y: Self.closingY)
  }

  /// Returns the pixels where the sum over planes of the differences, a mean of 3×3 pixels, is above a threshold.
  private static func outstanding(
    _ planes: [(background: BackgroundPlane, frame: Plane<Float>)], _ size: PixelSize, threshold: Threshold
  ) -> BitMask {
    let (width, height) = (size.width, size.height)
    var differences = [Float](repeating: 0, count: size.area)
    for plane in planes { plane.background.addDifferences(of: plane.frame, to: &differences) }
    // Sums of three columns, then of three rows; what lies outside counts as the border.
    var sums = [Float](repeating: 0, count: size.area)
    for row in stride(from: 0, to: width * height, by: width) {
      for x in 0..<width {
        sums[row + x] =
          differences[row + max(x - 1, 0)] + differences[row + x] + differences[row + min(x + 1, width - 1)]
      }
    }
    for y in 0..<height {
      let (above, below) = (max(y - 1, 0) * width, min(y + 1, height - 1) * width)
      for x in 0..<width { differences[y * width + x] = (sums[above + x] + sums[y * width + x] + sums[below + x]) / 9 }
    }
    let limit = threshold.limit(background: planes[0].background.image, differences: differences)
    var mask = BitMask(size: size)
    for y in 0..<height {
      for x in 0..<width { mask[x, y] = differences[y * width + x] > limit }
    }
    return mask
  }
}

extension BackgroundModel.Threshold {
  /// The multiple of the median difference, which is that of noise, that stands out of it.
  private static let noiseFactor: Float = 3
  /// The number of pixels in each direction of which one stands for all in a median.
  private static let step = 4

  /// Returns the difference from which on a pixel stands out.
  /// - Parameters:
  ///   - background: One of the planes.
  ///   - differences: Those from a frame, row by row.
  fileprivate func limit(background: Plane<Float>, differences: [Float]) -> Float {
    var (brightness, noise): ([Float], [Float]) = ([], [])
    background.withView { view in
      for y in stride(from: 0, to: view.height, by: Self.step) {
        for x in stride(from: 0, to: view.width, by: Self.step) {
          brightness.append(view.row(y)[x])
          noise.append(differences[y * view.width + x])
        }
      }
    }
    let least = max(minimum, Self.noiseFactor * (noise.median ?? 0))
    return min(max(brightnessShare * (brightness.median ?? 0), least), maximum)
  }
}
