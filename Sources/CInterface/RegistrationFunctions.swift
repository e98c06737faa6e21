// How one image lies on another, and images seen through maps.

import CRheo
import Imaging
import Registration

private struct RegistrationOptions: Options {
  var model: String?
  var method: String?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case model, method, threads

    var kind: OptionKind { self == .threads ? .whole : .text }
  }
}

/// Returns the family of maps that an option names.
func transformModel(_ name: String?) throws -> TransformModel? {
  try choice(
    name, "model",
    ["translation": .translation, "euclidean": .euclidean, "affine": .affine, "homography": .homography])
}

/// A registration with the keys of `rheo register`.
private struct RegistrationOutcome: Encodable {
  var warpTransform: [Double]
  var model: String
  var inliers: Double
  var residual: Double
  var confidence: Double
  var reason: String?
  var alternatives: [Alternative]

  struct Alternative: Encodable {
    var warpTransform: [Double]
    var model: String
    var share: Double
  }
}

@_cdecl("rheo_register")
public func register(
  _ reference: UnsafePointer<rheo_image>?, _ floating: UnsafePointer<rheo_image>?, _ options: UnsafePointer<CChar>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let options = try RegistrationOptions(options)
    let parallelism = try parallelism(options.threads)
    let method: ImageRegistration.Method =
      try choice(
        options.method, "method", ["automatic": .automatic, "direct": .direct, "features": .features]) ?? .automatic
    let registration = ImageRegistration(
      model: try transformModel(options.model) ?? .homography, method: method, parallelism: parallelism)
    let reference = try required(reference, "reference").pointee.luma("reference", parallelism)
    let floating = try required(floating, "floating").pointee.luma("floating", parallelism)
    let found = registration.estimate(reference: reference, floating: floating)
    let others = registration.alternatives(to: found, reference: reference, floating: floating)
    give(
      try json(
        RegistrationOutcome(
          warpTransform: Array(found.warpTransform.elements), model: found.model.name, inliers: found.inlierShare,
          residual: found.residual, confidence: found.confidence, reason: found.reason?.explanation,
          alternatives: others.map {
            .init(warpTransform: Array($0.warpTransform.elements), model: $0.model.name, share: $0.share)
          })), to: result)
  }
}

private struct WarpOptions: Options {
  var border: String?
  var interpolation: String?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case border, interpolation, threads

    var kind: OptionKind { self == .threads ? .whole : .text }
  }
}

@_cdecl("rheo_warp")
public func warp(
  _ image: UnsafePointer<rheo_image>?, _ transform: UnsafePointer<Double>?, _ options: UnsafePointer<CChar>?,
  _ output: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let options = try WarpOptions(options)
    let image = try required(image, "the image").pointee
    let numbers = Array(UnsafeBufferPointer(start: try required(transform, "the transform"), count: 9))
    guard numbers.allSatisfy(\.isFinite) else {
      throw InvalidArgument("transform \(numbers): its numbers are finite")
    }
    let map = Homography(numbers)
    guard map.isInvertible else { throw InvalidArgument("transform \(numbers): it has no inverse") }
    let border: WarpBorder =
      try choice(options.border, "border", ["black": .constant, "replicate": .replicate]) ?? .constant
    let interpolation: Interpolation =
      try choice(options.interpolation, "interpolation", ["bicubic": .bicubic, "bilinear": .bilinear]) ?? .bicubic
    let warper = ImageWarper(interpolation: interpolation, parallelism: try parallelism(options.threads))
    let output = try required(output, "output")
    switch image.samples {
    case RHEO_UINT8: try warper.warp(image, as: UInt8.self, map, border, into: output)
    case RHEO_UINT16: try warper.warp(image, as: UInt16.self, map, border, into: output)
    default: throw InvalidArgument("images of 8 or 16 bits are warped")
    }
  }
}

extension Homography {
  /// A Boolean value that tells whether the determinant is more than what rounding makes of 0, by Hadamard's bound.
  fileprivate var isInvertible: Bool {
    let numbers = elements
    let bound = stride(from: 0, to: 9, by: 3).reduce(1.0) { product, first in
      let squares = numbers[first..<first + 3].reduce(0.0) { $0 + $1 * $1 }
      return product * squares.squareRoot()
    }
    return abs(determinant) > 1e-15 * bound
  }
}

extension ImageWarper {
  /// Warps the channels of an image of C, and writes them in its order without gaps.
  fileprivate func warp<Scalar: PlaneScalar>(
    _ image: rheo_image, as type: Scalar.Type, _ map: Homography, _ border: WarpBorder,
    into output: UnsafeMutableRawPointer
  ) throws {
    var planes = try image.planes("the image", as: Scalar.self)
    let size = planes[0].size
    let format = ImageFormat(
      colorModel: .gray, bitDepth: 8 * MemoryLayout<Scalar>.size, isFullRange: true)
    for index in planes.indices {
      planes[index].withMutableView { view in
        let raw = MutableImageView.RawPlane(base: UnsafeMutableRawPointer(view.base), stride: view.stride)
        warp(MutableImageView(size: size, format: format, planes: [raw]), by: map, border: border)
      }
    }
    // Red, green, blue; the image may have them the other way round.
    let ordered = image.channels == RHEO_BGR ? planes.reversed() : planes
    let samples = output.assumingMemoryBound(to: Scalar.self)
    for (channel, plane) in ordered.enumerated() {
      plane.withView { view in
        for y in 0..<size.height {
          let (row, target) = (view.row(y), samples + y * size.width * ordered.count + channel)
          for x in 0..<size.width { target[x * ordered.count] = row[x] }
        }
      }
    }
  }
}
