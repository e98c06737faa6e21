// Fourier transforms of real pictures, by KISS FFT: scalar code that gives the same bits on every processor of a kind.

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
struct FourierTransform: ~Copyable {
  let size: PixelSize
  private let forwardPlan: kiss_fftndr_cfg
  private let backwardPlan: kiss_fftndr_cfg
  private var columns: Int { size.width / 2 + 1 }

  /// A size of small prime factors that holds `size`; nil when there is no memory for it.
  init?(atLeast size: PixelSize) {
    let width = 2 * Int(kiss_fft_next_fast_size(Int32(max(size.width + 1, 4) / 2)))
    let height = 2 * Int(kiss_fft_next_fast_size(Int32(max(size.height + 1, 4) / 2)))
    self.size = PixelSize(width: width, height: height)
    let sides = [Int32(height), Int32(width)]
    guard let forward = kiss_fftndr_alloc(sides, 2, 0, nil, nil) else { return nil }
    guard let backward = kiss_fftndr_alloc(sides, 2, 1, nil, nil) else {
      free(UnsafeMutableRawPointer(forward))
      return nil
    }
    forwardPlan = forward
    backwardPlan = backward
  }

  deinit {
    free(UnsafeMutableRawPointer(forwardPlan))
    free(UnsafeMutableRawPointer(backwardPlan))
  }

  /// The spectrum of a picture, about its mean, under a Hann window of the picture's size, with zeros beyond.
  func forward(_ image: Plane<Float>) -> [kiss_fft_cpx] {
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
    kiss_fftndr(forwardPlan, samples, &spectrum)
    return spectrum
  }

  /// Replaces a spectrum by its phases relative to another one's, low-passed.
  func correlatePhases(_ spectrum: inout [kiss_fft_cpx], with other: [kiss_fft_cpx]) {
    let (across, down) = (Self.lowPass(size.width), Self.lowPass(size.height))
    for y in 0..<size.height {
      for x in 0..<columns {
        let index = y * columns + x
        let (a, b) = (spectrum[index], other[index])
        let real = a.r * b.r + a.i * b.i
        let imaginary = a.i * b.r - a.r * b.i
        let magnitude = (real * real + imaginary * imaginary).squareRoot()
        // Frequencies without energy have no phase.
        let weight = magnitude > 1e-6 ? across[x] * down[y] / magnitude : 0
        spectrum[index] = kiss_fft_cpx(r: real * weight, i: imaginary * weight)
      }
    }
  }

  /// The picture of a spectrum, times a constant.
  func backward(_ spectrum: [kiss_fft_cpx]) -> [Float] {
    var samples = [Float](repeating: 0, count: size.area)
    kiss_fftndri(backwardPlan, spectrum, &samples)
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
