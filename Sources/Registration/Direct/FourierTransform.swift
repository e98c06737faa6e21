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

/// The plans for one size.
///
/// Rows, then columns, each by the one-dimensional functions: those for several dimensions crash in release 131.1.0, which
/// Debian 12 has.
struct FourierTransform: ~Copyable {
  let size: PixelSize
  private let rowForward: Plan
  private let rowBackward: Plan
  private let columnForward: Plan
  private let columnBackward: Plan
  private var columns: Int { size.width / 2 + 1 }

  /// A size of small prime factors that holds `size`; nil when there is no memory for it.
  init?(atLeast size: PixelSize) {
    let width = 2 * Int(kiss_fft_next_fast_size(Int32(max(size.width + 1, 4) / 2)))
    let height = Int(kiss_fft_next_fast_size(Int32(size.height)))
    self.size = PixelSize(width: width, height: height)
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
  private func transformColumns(_ spectrum: inout [kiss_fft_cpx], with plan: Plan) {
    var column = [kiss_fft_cpx](repeating: kiss_fft_cpx(), count: size.height)
    let count = columns
    spectrum.withUnsafeMutableBufferPointer { spectrum in
      guard let base = spectrum.baseAddress else { return }
      for x in 0..<count {
        kiss_fft_stride(plan.pointer, base + x, &column, Int32(count))
        for y in 0..<size.height { base[y * count + x] = column[y] }
      }
    }
  }

  /// Asks for the memory of samples and their spectrum: arrays of their own would trap without a word.
  private func requireMemory() { free(FrameMemory.allocate(byteCount: 2 * MemoryLayout<Float>.stride * size.area)) }

  /// The spectrum of an image, about its mean, under a Hann window of the image's size, with zeros beyond.
  func forward(_ image: Plane<Float>) -> [kiss_fft_cpx] {
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
    var spectrum = [kiss_fft_cpx](repeating: kiss_fft_cpx(), count: size.height * columns)
    spectrum.withUnsafeMutableBufferPointer { spectrum in
      samples.withUnsafeBufferPointer { samples in
        guard let input = samples.baseAddress, let output = spectrum.baseAddress else { return }
        for y in 0..<size.height { kiss_fftr(rowForward.pointer, input + y * size.width, output + y * columns) }
      }
    }
    transformColumns(&spectrum, with: columnForward)
    return spectrum
  }

  /// Replaces a spectrum by its phases relative to another one's, low-passed.
  ///
  /// Frequencies with much less energy than the average have phases of noise and leakage: they count less.
  func correlatePhases(_ spectrum: inout [kiss_fft_cpx], with other: [kiss_fft_cpx]) {
    let (across, down) = (Self.lowPass(size.width), Self.lowPass(size.height))
    var sum = 0.0
    for index in spectrum.indices {
      let (a, b) = (spectrum[index], other[index])
      let product = kiss_fft_cpx(r: a.r * b.r + a.i * b.i, i: a.i * b.r - a.r * b.i)
      sum += Double((product.r * product.r + product.i * product.i).squareRoot())
      spectrum[index] = product
    }
    let floor = Float(sum / Double(max(spectrum.count, 1)) * Self.energyFloor)
    for y in 0..<size.height {
      for x in 0..<columns {
        let product = spectrum[y * columns + x]
        let magnitude = (product.r * product.r + product.i * product.i).squareRoot() + floor
        let weight = magnitude > 0 ? across[x] * down[y] / magnitude : 0
        spectrum[y * columns + x] = kiss_fft_cpx(r: product.r * weight, i: product.i * weight)
      }
    }
  }

  /// In units of the mean magnitude.
  private static let energyFloor = 0.01

  /// The image of a spectrum, times a constant.
  func backward(_ spectrum: [kiss_fft_cpx]) -> [Float] {
    requireMemory()
    var spectrum = spectrum
    transformColumns(&spectrum, with: columnBackward)
    var samples = [Float](repeating: 0, count: size.area)
    spectrum.withUnsafeBufferPointer { spectrum in
      samples.withUnsafeMutableBufferPointer { samples in
        guard let input = spectrum.baseAddress, let output = samples.baseAddress else { return }
        for y in 0..<size.height { kiss_fftri(rowBackward.pointer, input + y * columns, output + y * size.width) }
      }
    }
    return samples
  }

  private static func hann(_ count: Int) -> [Float] {
    (0..<count).map { Float(0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / Double(count))) }
  }

  /// The transform of a Gaussian with this standard deviation in pixels.
  private static let peakDeviation = 0.9

  private static func lowPass(_ count: Int) -> [Float] {
    (0..<count).map { index in
      let frequency = 2 * Double.pi * Double(min(index, count - index)) / Double(count)
      return Float(gaussian(frequency * peakDeviation, sigma: 1))
    }
  }
}
