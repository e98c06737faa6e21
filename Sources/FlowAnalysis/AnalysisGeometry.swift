// Where an engine really works: a region of the picture, possibly at a reduced size, and the way back.

import Imaging

/// Maps between full-size pictures and what an engine sees of them.
struct AnalysisGeometry {
  /// Whole pixels of the full-size picture.
  struct PixelRect: Equatable {
    var x: Int
    var y: Int
    var size: PixelSize
  }

  /// Pixels around the region that the engine sees too, so that motion into and out of the region is found.
  private static let margin = 32
  /// Smoothing ahead of shrinking to scale s: σ = 0.6·√(1/s² − 1), a Gaussian that leaves little above the new
  /// Nyquist frequency without blurring what remains.
  private static let smoothingFactor = 0.6

  let fullSize: PixelSize
  /// What the caller asked for: outside it the flow is unknown.
  let region: PixelRect
  /// The region with its margin.
  private let seen: PixelRect
  /// The size that the engine works at.
  private let analysisSize: PixelSize

  init(size: PixelSize, regionOfInterest: NormalizedRect, maximumDimension: Int?) {
    fullSize = size
    region = Self.pixels(of: regionOfInterest, in: size)
    let left = max(0, region.x - Self.margin)
    let top = max(0, region.y - Self.margin)
    let right = min(size.width, region.x + region.size.width + Self.margin)
    let bottom = min(size.height, region.y + region.size.height + Self.margin)
    seen = PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
    let longest = max(seen.size.width, seen.size.height)
    if let maximumDimension, longest > maximumDimension {
      let scale = Double(maximumDimension) / Double(longest)
      analysisSize = PixelSize(
        width: max(1, Int((Double(seen.size.width) * scale).rounded())),
        height: max(1, Int((Double(seen.size.height) * scale).rounded())))
    } else {
      analysisSize = seen.size
    }
  }

  var isIdentity: Bool { seen.size == fullSize && analysisSize == fullSize && region.size == fullSize }

  /// The whole pixels that a normalised rectangle touches, at least one.
  private static func pixels(of rect: NormalizedRect, in size: PixelSize) -> PixelRect {
    func span(_ origin: Double, _ length: Double, _ count: Int) -> (Int, Int) {
      let first = min(max(Int((origin * Double(count)).rounded(.down)), 0), count - 1)
      let last = min(max(Int(((origin + length) * Double(count)).rounded(.up)), first + 1), count)
      return (first, last - first)
    }
    let (x, width) = span(rect.x, rect.width, size.width)
    let (y, height) = span(rect.y, rect.height, size.height)
    return PixelRect(x: x, y: y, size: PixelSize(width: width, height: height))
  }

  /// What the engine sees of a picture.
  func analysisImage(_ image: Plane<Float>, parallelism: Parallelism) -> Plane<Float> {
    if isIdentity { return image }
    let cropped = seen.size == fullSize ? image : image.cropped(x: seen.x, y: seen.y, size: seen.size)
    guard analysisSize != seen.size else { return cropped }
    var target = Plane<Float>(size: analysisSize)
    let scale = Double(analysisSize.width) / Double(seen.size.width)
    let sigma = Self.smoothingFactor * max(1 / (scale * scale) - 1, 0).squareRoot()
    let kernel = sigma > 0.3 ? SmoothingKernel(sigma: sigma, radius: Int((3 * sigma).rounded(.up))) : .binomial3
    cropped.smoothAndResize(with: kernel, into: &target, parallelism: parallelism)
    return target
  }

  /// The engine's field on the full-size grid, in full-size pixels; unknown outside the region.
  func fullField(_ field: FlowField, parallelism: Parallelism) -> FlowField {
    FlowField(
      u: fullPlane(
        field.u, factor: Float(seen.size.width) / Float(analysisSize.width), parallelism: parallelism),
      v: fullPlane(
        field.v, factor: Float(seen.size.height) / Float(analysisSize.height), parallelism: parallelism))
  }

  /// A plane of the engine's on the full-size grid, multiplied by `factor`; NaN outside the region.
  func fullPlane(_ plane: Plane<Float>, factor: Float = 1, parallelism: Parallelism) -> Plane<Float> {
    var scaled = plane
    if analysisSize != seen.size {
      scaled = Plane(size: seen.size)
      plane.resize(into: &scaled, multiplyingBy: factor, parallelism: parallelism)
    }
    return region.size == fullSize ? scaled : placed(scaled, outside: .nan)
  }

  /// A plane over what was seen, cut to the region and set into a full-size plane.
  private func placed(_ plane: Plane<Float>, outside value: Float) -> Plane<Float> {
    var full = Plane<Float>(size: fullSize, repeating: value)
    plane.withView { source in
      full.withMutableView { target in
        for y in 0..<region.size.height {
          (target.row(region.y + y) + region.x).update(
            from: source.row(region.y - seen.y + y) + (region.x - seen.x), count: region.size.width)
        }
      }
    }
    return full
  }
}

extension Plane {
  /// The rectangle of `size` at (x, y), which must lie inside, as a plane of its own.
  fileprivate func cropped(x: Int, y: Int, size: PixelSize) -> Plane {
    var part = Plane(size: size)
    withView { source in
      part.withMutableView { target in
        for row in 0..<size.height { target.row(row).update(from: source.row(y + row) + x, count: size.width) }
      }
    }
    return part
  }
}
