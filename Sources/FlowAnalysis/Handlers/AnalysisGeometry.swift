// The geometry in which an engine works: a region of the image, possibly at a reduced size, and the way back.

import Imaging

/// Maps between full-size images and what an engine sees of them.
struct AnalysisGeometry {
  /// The number of pixels around the region that the engine sees too, so that motion into and out of the region is
  /// found; chosen by hand.
  private static let margin = 32
  /// The factor of the smoothing ahead of shrinking to scale s: σ = 0.6·√(1/s² − 1), a Gaussian that leaves little
  /// above the new Nyquist frequency without blurring what remains.
  private static let smoothingFactor = 0.6

  let fullSize: PixelSize
  /// The region that the caller asked for: outside it the flow is unknown.
  let region: PixelRect
  /// The region with its margin.
  private let seen: PixelRect
  /// The size that the engine works at.
  private let analysisSize: PixelSize
  /// A Boolean value that tells whether the engine sees the image with rows and columns exchanged: engines pad each row
  /// by more than a narrow image is wide, which a million rows of one pixel would pay for with gigabytes.
  private let isTransposed: Bool

  /// The maximum width and the minimum height, in pixels, of images that are transposed; chosen by hand.
  private static let (maximumTransposedWidth, minimumTransposedHeight) = (32, 2048)

  init(size: PixelSize, regionOfInterest: NormalizedRect, maximumDimension: Int?) {
    fullSize = size
    region = PixelRect(regionOfInterest, in: size)
    let left = max(0, region.x - Self.margin)
    let top = max(0, region.y - Self.margin)
    let right = min(size.width, region.x + region.size.width + Self.margin)
    let bottom = min(size.height, region.y + region.size.height + Self.margin)
    seen = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    let longest = max(seen.size.width, seen.size.height)
    if let maximumDimension, longest > maximumDimension {
      let scale = Double(maximumDimension) / Double(longest)
      analysisSize = PixelSize(
        width: max(1, Int((Double(seen.size.width) * scale).rounded())),
        height: max(1, Int((Double(seen.size.height) * scale).rounded())))
    } else {
      analysisSize = seen.size
    }
    isTransposed =
      analysisSize.width <= Self.maximumTransposedWidth && analysisSize.height > Self.minimumTransposedHeight
  }

  /// A Boolean value that tells whether the engine sees the image as it is.
  var isIdentity: Bool {
    seen.size == fullSize && analysisSize == fullSize && region.size == fullSize && !isTransposed
  }

  /// Returns the image that the engine sees of an image: the region with its margin, at the size at which the engine
  /// works.
  func analysisImage(_ image: Plane<Float>, parallelism: Parallelism) -> Plane<Float> {
    if isIdentity { return image }
    let visible = visibleImage(image, parallelism: parallelism)
    return isTransposed ? visible.transposed() : visible
  }

  private func visibleImage(_ image: Plane<Float>, parallelism: Parallelism) -> Plane<Float> {
    let cropped = seen.size == fullSize ? image : image.cropped(to: seen)
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
        isTransposed ? field.v : field.u, factor: Float(seen.size.width) / Float(analysisSize.width),
        parallelism: parallelism),
      v: fullPlane(
        isTransposed ? field.u : field.v, factor: Float(seen.size.height) / Float(analysisSize.height),
        parallelism: parallelism))
  }

  /// A plane of the engine's on the full-size grid, multiplied by `factor`; NaN outside the region.
  func fullPlane(_ plane: Plane<Float>, factor: Float = 1, parallelism: Parallelism) -> Plane<Float> {
    let plane = isTransposed ? plane.transposed() : plane
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

extension Plane<Float> {
  /// Returns the image with rows and columns exchanged.
  fileprivate func transposed() -> Plane<Float> {
    withView { source in
      Plane(size: PixelSize(width: height, height: width)) { target in
        for y in 0..<source.height {
          let row = source.row(y)
          for x in 0..<source.width { target.row(x)[y] = row[x] }
        }
      }
    }
  }
}
