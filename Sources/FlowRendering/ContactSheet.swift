// Moments of a video on one image.

import Imaging

/// Collects images of a stream whose length nobody knows, and tiles so many of them, evenly spread over it.
///
/// Holds at most four times as many images as are wanted: when there are more, every second one goes, and of the
/// following ones every second one is not asked for.
package struct ContactSheet {
  /// The number of moments that are wanted.
  package let momentCount: Int
  private let size: PixelSize
  private let font: TextFont
  private var moments: [(image: Plane<RGBA8>, caption: FrameCaption)] = []
  private var step = 1
  private var count = 0

  /// The range of the number of moments.
  private static let momentRange = 1...100
  /// The longest side of an image on the sheet, in pixels.
  private static let maximumSide = 480.0
  /// Pixels between the images and around them.
  private static let gap = 6
  /// The share of width and height that is aimed at: that of most screens.
  private static let aspect = 16.0 / 9
  private static let ground = RGBA8(18, 18, 20)

  /// - Parameters:
  ///   - momentCount: The number of images, 1…100.
  ///   - canvasSize: The size of the stream's images.
  /// - Throws: ``RenderingError`` with code `invalidOption`, `emptyImage` or `fontUnavailable`.
  package init(momentCount: Int, canvasSize: PixelSize) throws {
    guard Self.momentRange.contains(momentCount) else {
      throw RenderingError(
        code: .invalidOption,
        message: "\(momentCount) moments; a sheet has \(Self.momentRange.lowerBound)…\(Self.momentRange.upperBound)")
    }
    try canvasSize.requirePixels()
    self.momentCount = momentCount
    let scale = min(1, Self.maximumSide / Double(max(canvasSize.width, canvasSize.height)))
    size = PixelSize(
      width: max(1, Int((Double(canvasSize.width) * scale).rounded())),
      height: max(1, Int((Double(canvasSize.height) * scale).rounded())))
    font = try TextFont(pixelSize: PlateMetrics(size: size).fontSize)
  }

  /// Takes the next image of the stream, if it is wanted.
  /// - Parameter image: Makes the image at the size that it is given.
  package mutating func append(_ caption: FrameCaption, _ image: (PixelSize) throws -> Plane<RGBA8>) rethrows {
    defer { count += 1 }
    guard count % step == 0 else { return }
    if moments.count == 4 * momentCount {
      moments = moments.indices.filter { $0 % 2 == 0 }.map { moments[$0] }
      step *= 2
      guard count % step == 0 else { return }
    }
    moments.append((try image(size), caption))
  }

  private func momentIndex(_ index: Int, of number: Int) -> Int { (2 * index + 1) * moments.count / (2 * number) }

  /// The images that were chosen, from left to right and from top to bottom, each with its time and number; nil of an
  /// empty stream.
  package func image() -> Plane<RGBA8>? {
    let number = min(momentCount, moments.count)
    guard number > 0 else { return nil }
    let chosen = (0..<number).map { moments[momentIndex($0, of: number)] }
    let ideal = (Double(number * size.height) / Double(size.width) * Self.aspect).squareRoot().rounded()
    let columns = min(max(1, Int(ideal)), number)
    let rows = (number + columns - 1) / columns
    let (stepX, stepY) = (size.width + Self.gap, size.height + Self.gap)
    var sheet = Plane(
      size: PixelSize(width: columns * stepX + Self.gap, height: rows * stepY + Self.gap), repeating: Self.ground)
    var captions = CaptionPlate(font: font, metrics: PlateMetrics(size: size), size: size)
    sheet.withMutableView { view in
      for (index, moment) in chosen.enumerated() {
        let (left, top) = (Self.gap + index % columns * stepX, Self.gap + index / columns * stepY)
        moment.image.withView { image in
          for y in 0..<image.height { (view.row(top + y) + left).update(from: image.row(y), count: image.width) }
        }
        guard let plate = captions.plate(moment.caption) else { continue }
        let margin = PlateMetrics(size: size).margin
        plate.pixels.withView { pixels in
          // At the lower left: the HUD is at the upper left, the legend at the lower right.
          let plateTop = max(0, size.height - margin - pixels.height)
          for y in 0..<min(pixels.height, size.height - plateTop) {
            for x in 0..<min(pixels.width, size.width - margin) {
              let color = pixels.row(y)[x]
              view.row(top + plateTop + y)[left + margin + x].lay(color, opacity: Double(color.a) / 255)
            }
          }
        }
      }
    }
    return sheet
  }
}
