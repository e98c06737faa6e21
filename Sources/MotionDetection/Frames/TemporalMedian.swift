import FlowKernels
import Imaging

/// The median of the last images, pixel by pixel: rain and snow are at no pixel for long (Hase et al., 1999), and what
/// is some pixels wide and walks is. Used by one thread. The constants were tuned on the tuning half of the drawn
/// scenes (Tests/DetectionScenes).
struct TemporalMedian: ~Copyable {
  private var images: [(image: Plane<Float>, seconds: Double)] = []
  /// Rows beside the images where these are few.
  private let limits: ScratchRows
  /// The samples of a row of all images, sorted.
  private let sorted: ScratchRows

  /// The number of images of a median, but where they are few in a second.
  private static let count = 5
  /// The number of images of a median where the larger number would take more than ``maximumDuration``.
  private static let smallCount = 3
  /// The maximum time from the first to the last image of a median of the larger number, in seconds.
  private static let maximumDuration = 0.25

  /// - Parameter size: The size of the images, in pixels.
  init(size: PixelSize) {
    limits = ScratchRows(count: Self.count, width: size.width)
    sorted = ScratchRows(count: Self.count, width: size.width)
  }

  /// Forgets the images.
  mutating func reset() { images = [] }

  /// Takes the next image.
  mutating func append(_ image: Plane<Float>, seconds: Double) {
    images.append((image, seconds))
    if images.count > Self.count { images.removeFirst() }
  }

  /// Returns the median, with the number of frames by which what moves is late in it; nil until there are images
  /// enough.
  func median() -> (image: Plane<Float>, lag: Int)? {
    guard images.count == Self.count, let first = images.first, let last = images.last else { return nil }
    let count = last.seconds - first.seconds <= Self.maximumDuration ? Self.count : Self.smallCount
    return (median(of: images.suffix(count).map(\.image)), count / 2)
  }

  /// Returns the median of at most ``count`` images of an odd number.
  private func median(of chosen: [Plane<Float>]) -> Plane<Float> {
    // Beside fewer images stand as many rows that are lower than all as such that are higher: the middle stays.
    for index in chosen.count..<Self.count {
      let limit: Float = index % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude
      limits.row(index).update(repeating: limit, count: limits.width)
    }
    let (sortColumns, width) = (KernelTable.current.variational.sortColumns, limits.width)
    return Plane(size: chosen[0].size) { (target: MutablePlaneView<Float>) in
      withViews(of: chosen[...]) { views in
        var inputs = (0..<Self.count).map { UnsafePointer(limits.row($0)) }
        for y in 0..<target.height {
          for (index, view) in views.enumerated() { inputs[index] = view.row(y) }
          sortColumns(inputs, sorted.row(0), sorted.stride, width)
          target.row(y).update(from: sorted.row(Self.count / 2), count: width)
        }
      }
    }
  }

  /// Gives access to some images at a time.
  private func withViews(
    of images: ArraySlice<Plane<Float>>, after views: [PlaneView<Float>] = [], _ body: ([PlaneView<Float>]) -> Void
  ) {
    guard let first = images.first else { return body(views) }
    first.withView { withViews(of: images.dropFirst(), after: views + [$0], body) }
  }
}
