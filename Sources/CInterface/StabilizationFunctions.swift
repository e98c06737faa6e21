// rheo_stabilizer: the camera's path, evened out while frames come.

import CRheo
import Imaging
import Registration

private struct StabilizationOptions: Options {
  var model: String?
  var smoothing: Double?
  var zoom: Double?
  var crop: Bool?
  var tripod: Bool?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case model, smoothing, zoom, crop, tripod, threads

    var kind: OptionKind {
      switch self {
      case .model: .text
      case .smoothing, .zoom: .number
      case .crop, .tripod: .flag
      case .threads: .whole
      }
    }
  }
}

/// The object behind rheo_stabilizer.
private final class Stabilizer {
  private let size: PixelSize
  private let parallelism: Parallelism
  private let zoom: Homography
  private var estimator: CameraMotionEstimator
  private var smoother: PathSmoother
  private var times = RisingTimes()
  private var isFinished = false

  /// The zoom unless it is given: that of `rheo stabilize` for what is read once.
  private static let usualZoom = 1.1

  init(_ size: PixelSize, _ options: StabilizationOptions) throws {
    self.size = size
    parallelism = try CInterface.parallelism(options.threads)
    let model = try transformModel(options.model) ?? .euclidean
    let (window, crops) = (options.smoothing ?? 3, options.crop ?? true)
    let factor = options.zoom ?? (crops ? Self.usualZoom : 1)
    guard PathSmoothing.windowRange.contains(window) else {
      throw InvalidArgument("smoothing \(window): it is 0…\(PathSmoothing.windowRange.upperBound) seconds")
    }
    guard PathSmoothing.zoomRange.contains(factor) else {
      throw InvalidArgument("zoom \(factor): it is 1…\(PathSmoothing.zoomRange.upperBound)")
    }
    zoom = ImageFrame(size).zoom(factor)
    let isFixedView = options.tripod ?? false
    estimator = CameraMotionEstimator(model: model, isFixedView: isFixedView, parallelism: parallelism)
    smoother = PathSmoother(
      PathSmoothing(model: model, window: window, zoomLimit: crops ? factor : nil, isFixedView: isFixedView),
      size: size)
  }

  func append(_ frame: rheo_image, _ time: MediaTime) throws {
    guard !isFinished else { throw InvalidArgument("the stabilizer is finished") }
    let image = try frame.luma("the frame", parallelism)
    guard image.size == size else { throw InvalidArgument("a frame of \(image.size) among frames of \(size)") }
    try times.check(time)
    smoother.append(estimator.motion(of: image, seconds: time.seconds))
  }

  func finish() {
    isFinished = true
    smoother.finish()
  }

  func next() -> Homography? { smoother.next().map { $0 * zoom } }
}

@_cdecl("rheo_stabilizer_create")
public func stabilizerCreate(
  _ width: Int64, _ height: Int64, _ options: UnsafePointer<CChar>?,
  _ stabilizer: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  make(stabilizer, error) { try Stabilizer(try checkedSize(width, height), StabilizationOptions(options)) }
}

@_cdecl("rheo_stabilizer_append")
public func stabilizerAppend(
  _ stabilizer: OpaquePointer?, _ frame: UnsafePointer<rheo_image>?, _ time: rheo_time,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    try object(stabilizer, as: Stabilizer.self).append(
      try required(frame, "the frame").pointee, try time.checked())
  }
}

@_cdecl("rheo_stabilizer_finish")
public func stabilizerFinish(_ stabilizer: OpaquePointer?) {
  (try? object(stabilizer, as: Stabilizer.self))?.finish()
}

@_cdecl("rheo_stabilizer_next")
public func stabilizerNext(_ stabilizer: OpaquePointer?, _ transform: UnsafeMutablePointer<Double>?) -> Int32 {
  guard let transform, let next = (try? object(stabilizer, as: Stabilizer.self))?.next() else { return 0 }
  for (index, element) in next.elements.enumerated() { transform[index] = element }
  return 1
}

@_cdecl("rheo_stabilizer_free")
public func stabilizerFree(_ stabilizer: OpaquePointer?) { release(stabilizer, Stabilizer.self) }
