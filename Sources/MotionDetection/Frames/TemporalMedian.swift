import FlowKernels
import Imaging

/// The median of the last images, pixel by pixel: rain and snow are at no pixel for long (Hase et al., 1999), and what
/// is some pixels wide and walks is. Used by one thread. The constants were tuned on the tuning half of the drawn
/// scenes (Tests/DetectionScenes).
struct TemporalMedian: ~Copyable {
  private var images: [(image: Plane<Float>, seconds: Double)] = []
  /// A row of each image, and the same samples sorted.
  private let rows: ScratchRows

  /// The number of images of a median, but where they are few in a second.
  private static let count = 5
  /// The number of images of a median where the larger number would take more than ``maximumDuration``.
  private static let smallCount = 3
  /// The maximum time from the first to the last image of a median of the larger number, in seconds.
  private static let maximumDuration = 0.25

  /// - Parameter size: The size of the images, in pixels.
  init(size: PixelSize) { rows = ScratchRows(count: 2 * Self.count, width: size.width) }

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
    let size = chosen[0].size
    // Beside fewer images stand as many rows that are lower than all as such that are higher: the middle stays.
    for index in chosen.count..<Self.count {
      let limit: Float = index % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude
      rows.row(index).update(repeating: limit, count: rows.width)
    }
    let inputs = (0..<Self.count).map { UnsafePointer(rows.row($0)) }
    let sortColumns = KernelTable.current.variational.sortColumns
    return Plane(size: size) { (target: MutablePlaneView<Float>) in
      for y in 0..<size.height {
        for (index, image) in chosen.enumerated() {
          image.withView { rows.row(index).update(from: $0.row(y), count: rows.width) }
        }
        sortColumns(inputs, rows.row(Self.count), rows.stride, rows.width)
        target.row(y).update(from: rows.row(Self.count + Self.count / 2), count: rows.width)
      }
    }
  }
}
