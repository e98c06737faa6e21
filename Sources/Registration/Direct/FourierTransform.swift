// Fourier transforms of real images, by KISS FFT: scalar code that gives the same bits on every processor of a kind.

import CKissFFT
import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The plans for one size, with the library's working memory: used by one thread at a time.
///
/// Rows, then columns, each by the one-dimensional functions: those for several dimensions crash in release 131.1.0,
/// which Debian 12 has.
///
/// A spectrum has `size.height` rows of ``columns`` numbers, row by row: x is the real part, y the imaginary one.
/// Neither direction divides by the number of samples.
package struct FourierTransform: ~Copyable {
  /// The width, which is even, and the height of the images.
  package let size: PixelSize
  private let rowForward: Plan
  private let rowBackward: Plan
  private let columnForward: Plan
  private let columnBackward: Plan
  /// The numbers in a row of a spectrum: those of the frequencies that a real image does not mirror.
  package var columns: Int { size.width / 2 + 1 }

  /// A size of small prime factors that holds `size`; nil when there is no memory for it.
  package init?(atLeast size: PixelSize) {
    let size = Self.fastSize(atLeast: size)
    self.size = size
    let (width, height) = (size.width, size.height)
    guard let rowForward = Plan(kiss_fftr_alloc(Int32(width), 0, nil, nil)),
      let rowBackward = Plan(kiss_fftr_alloc(Int32(width), 1, nil, nil)),
      let columnForward = Plan(kiss_fft_alloc(Int32(height), 0, nil, nil)),
      let columnBackward = Plan(kiss_fft_alloc(Int32(height), 1, nil, nil))
    else { return nil }
    self.rowForward = rowForward
    self.rowBackward = rowBackward
    self.columnForward = columnForward
    self.columnBackward = columnBackward
  }

  /// A size of small prime factors, with an even width, that holds `size`.
  package static func fastSize(atLeast size: PixelSize) -> PixelSize {
    PixelSize(
      width: 2 * Int(kiss_fft_next_fast_size(Int32(max(size.width + 1, 4) / 2))),
      height: Int(kiss_fft_next_fast_size(Int32(size.height))))
  }

  /// Memory of the library for one length and direction. Owned here.
  private final class Plan {
    let pointer: OpaquePointer
    init?(_ pointer: OpaquePointer?) {
      guard let pointer else { return nil }
      self.pointer = pointer
    }
    deinit { free(UnsafeMutableRawPointer(pointer)) }
  }

  /// Transforms each column of a spectrum.
  private func transformColumns(_ spectrum: UnsafeMutablePointer<kiss_fft_cpx>, with plan: Plan) {
    let (count, height) = (columns, size.height)
    withUnsafeTemporaryAllocation(of: kiss_fft_cpx.self, capacity: height) { column in
      guard let column = column.baseAddress else { return }
      for x in 0..<count {
        kiss_fft_stride(plan.pointer, spectrum + x, column, Int32(count))
        for y in 0..<height { spectrum[y * count + x] = column[y] }
      }
    }
  }

  /// Writes the spectrum of an image.
  /// - Parameters:
  ///   - samples: `size.width × size.height` samples, row by row.
  ///   - spectrum: Room for ``columns`` numbers in each of `size.height` rows.
  package func transform(_ samples: UnsafePointer<Float>, into spectrum: UnsafeMutablePointer<SIMD2<Float>>) {
    let raw = UnsafeMutableRawPointer(spectrum).assumingMemoryBound(to: kiss_fft_cpx.self)
    let (size, columns, plan) = (size, columns, rowForward)
    for y in 0..<size.height { kiss_fftr(plan.pointer, samples + y * size.width, raw + y * columns) }
    transformColumns(raw, with: columnForward)
  }

  /// Writes the image of a spectrum, times the number of its samples.
  /// - Parameters:
  ///   - spectrum: Laid out as ``transform(_:into:)`` writes it; holds anything afterwards.
  ///   - samples: Room for `size.width × size.height` samples.
  package func restore(_ spectrum: UnsafeMutablePointer<SIMD2<Float>>, into samples: UnsafeMutablePointer<Float>) {
    let raw = UnsafeMutableRawPointer(spectrum).assumingMemoryBound(to: kiss_fft_cpx.self)
    transformColumns(raw, with: columnBackward)
    let (size, columns, plan) = (size, columns, rowBackward)
    for y in 0..<size.height { kiss_fftri(plan.pointer, raw + y * columns, samples + y * size.width) }
  }

  /// Asks for the memory of samples and their spectrum: arrays of their own would trap without a word.
  private func requireMemory() { free(FrameMemory.allocate(byteCount: 2 * MemoryLayout<Float>.stride * size.area)) }

  /// The spectrum of an image, about its mean, under a Hann window of the image's size, with zeros beyond.
  func forward(_ image: Plane<Float>) -> [SIMD2<Float>] {
    requireMemory()
    var samples = [Float](repeating: 0, count: size.area)
    let (across, down) = (Self.hann(image.width), Self.hann(image.height))
    image.withView { view in
      var sum = 0.0
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width { sum += Double(row[x]) }
      }
      let mean = Float(sum / Double(image.size.area))
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width { samples[y * size.width + x] = (row[x] - mean) * (across[x] * down[y]) }
      }
    }
    var spectrum = [SIMD2<Float>](repeating: .zero, count: size.height * columns)
    transform(samples, into: &spectrum)
    return spectrum
  }

  /// The spectrum of an image as it is, with zeros beyond.
  func spectrum(of image: Plane<Float>) -> [SIMD2<Float>] {
    requireMemory()
    var samples = [Float](repeating: 0, count: size.area)
    image.withView { view in
      for y in 0..<view.height {
        for x in 0..<view.width { samples[y * size.width + x] = view.row(y)[x] }
      }
    }
    var spectrum = [SIMD2<Float>](repeating: .zero, count: size.height * columns)
    transform(samples, into: &spectrum)
    return spectrum
  }

  /// Replaces a spectrum by its phases relative to another one's, low-passed.
  ///
  /// Frequencies with much less energy than the average have phases of noise and leakage: they count less.
  func correlatePhases(_ spectrum: inout [SIMD2<Float>], with other: [SIMD2<Float>]) {
    let (across, down) = (Self.lowPass(size.width), Self.lowPass(size.height))
    var sum = 0.0
    for index in spectrum.indices {
      let (a, b) = (spectrum[index], other[index])
      let product = SIMD2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y)
      sum += Double((product.x * product.x + product.y * product.y).squareRoot())
      spectrum[index] = product
    }
    let floor = Float(sum / Double(max(spectrum.count, 1)) * Self.energyFloor)
    for y in 0..<size.height {
      for x in 0..<columns {
        let product = spectrum[y * columns + x]
        let magnitude = (product.x * product.x + product.y * product.y).squareRoot() + floor
        let weight = magnitude > 0 ? across[x] * down[y] / magnitude : 0
        spectrum[y * columns + x] = SIMD2(product.x * weight, product.y * weight)
      }
    }
  }

  /// The magnitude that is added to each, in units of the mean magnitude; chosen by hand.
  private static let energyFloor = 0.01

  /// The image of a spectrum, times a constant.
  func backward(_ spectrum: [SIMD2<Float>]) -> [Float] {
    requireMemory()
    var spectrum = spectrum
    var samples = [Float](repeating: 0, count: size.area)
    restore(&spectrum, into: &samples)
    return samples
  }

  /// The Hann window of `count` samples, which is 0 half a sample beyond both ends.
  package static func hann(_ count: Int) -> [Float] {
    (0..<count).map { Float(0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / Double(count))) }
  }

  /// The standard deviation, in pixels, of the Gaussian that is the peak of a correlation; chosen by hand.
  private static let peakDeviation = 0.9

  private static func lowPass(_ count: Int) -> [Float] {
    (0..<count).map { index in
      let frequency = 2 * Double.pi * Double(min(index, count - index)) / Double(count)
      return Float(gaussian(frequency * peakDeviation, sigma: 1))
    }
  }
}
