// A filter whose response peaks where the object is.
//
// Bolme et al., "Visual object tracking using adaptive correlation filters", CVPR 2010, doi:10.1109/CVPR.2010.5539960:
// the filter is found in the Fourier domain. Henriques et al., "High-speed tracking with kernelized correlation
// filters", PAMI 37 (3), 2015, doi:10.1109/TPAMI.2014.2345390: several channels. Lukežič et al., "Discriminative
// correlation filter with channel and spatial reliability", CVPR 2017, doi:10.1109/CVPR.2017.515: each channel has a
// filter that is zero outside of the object (equations 9 to 12) and a weight, its highest response. Deviation: the
// object is the whole box; the paper finds its outline by colour.

import Imaging
import Registration

/// The filters of all channels of ``CellFeatures``, and the weights of their responses.
struct CorrelationFilter: Sendable {
  /// The standard deviation of the wanted response, in cells; 1, as the authors have it.
  private static let peakDeviation = 1.0
  /// The penalty for weights outside of the object in the first iteration: the paper's μ.
  private static let firstPenalty: Float = 5
  /// The growth of that penalty with each iteration: the paper's β.
  private static let penaltyGrowth: Float = 3
  /// The penalty for the filter's length, in shares of μ: the paper's λ.
  private static let lengthShare: Float = 0.01

  /// Cells of the region that is searched.
  let size: PixelSize
  private let channelCount: Int
  private let iterationCount: Int
  private let window: [Float]
  /// The spectrum of the wanted response.
  private let target: [SIMD2<Float>]
  /// Spectra, channel by channel; zeros until something is learned.
  private var filters: [SIMD2<Float>]
  private var channelWeights: [Float]
  private var isEmpty = true

  /// - Parameters:
  ///   - channelCount: Channels of the features.
  ///   - iterationCount: Iterations in which a filter is confined to the object.
  ///   - transform: Of the size of the region that is searched, in cells.
  init(channelCount: Int, iterationCount: Int, transform: borrowing FourierTransform) {
    size = transform.size
    self.channelCount = channelCount
    self.iterationCount = iterationCount
    window = separableProduct(FourierTransform.hann(size.width), FourierTransform.hann(size.height))
    func response(_ count: Int) -> [Float] {
      (0..<count).map { Float(gaussian(Double(min($0, count - $0)), sigma: Self.peakDeviation)) }
    }
    var spectrum = [SIMD2<Float>](repeating: .zero, count: transform.columns * size.height)
    transform.transform(separableProduct(response(size.width), response(size.height)), into: &spectrum)
    target = spectrum
    filters = [SIMD2<Float>](repeating: .zero, count: channelCount * spectrum.count)
    channelWeights = [Float](repeating: 0, count: channelCount)
  }

  /// The weighted sum of the channels' responses, cell by cell: at (x, y) to a shift of the object by (x, y) cells from
  /// the middle, where the second half of each direction stands for negative shifts.
  func response(_ cells: CellFeatures, _ transform: borrowing FourierTransform) -> [Float] {
    let length = target.count
    let seen = spectra(cells, transform)
    var sum = [SIMD2<Float>](repeating: .zero, count: length)
    for channel in 0..<channelCount {
      let weight = channelWeights[channel] / Float(size.area)
      let base = channel * length
      for index in 0..<length { sum[index] += timesConjugate(seen[base + index], filters[base + index]) * weight }
    }
    var output = [Float](repeating: 0, count: size.area)
    transform.restore(&sum, into: &output)
    return output
  }

  /// Takes on what the cells show.
  /// - Parameters:
  ///   - cells: With the object in the middle.
  ///   - mask: The share of each cell that the object covers, 0…1.
  ///   - rate: The share of what is new, 0…1; the first time all is.
  mutating func learn(_ cells: CellFeatures, mask: [Float], rate: Float, _ transform: borrowing FourierTransform) {
    let length = target.count
    let seen = spectra(cells, transform)
    let rate = isEmpty ? 1 : rate
    isEmpty = false
    var fit = ChannelFit(target: target, mask: mask, size: size)
    var weights = [Float](repeating: 0, count: channelCount)
    for channel in 0..<channelCount {
      let base = channel * length
      seen.withUnsafeBufferPointer { seen in
        guard let start = seen.baseAddress else { return }
        fit.solve(start + base, iterationCount: iterationCount, transform)
        weights[channel] = fit.highestResponse(start + base, transform)
      }
      for index in 0..<length { filters[base + index] += (fit.filter[index] - filters[base + index]) * rate }
    }
    let total = max(weights.reduce(0, +), .leastNormalMagnitude)
    for channel in weights.indices {
      channelWeights[channel] += (weights[channel] / total - channelWeights[channel]) * rate
    }
  }

  /// The spectra of all channels under a Hann window.
  private func spectra(_ cells: CellFeatures, _ transform: borrowing FourierTransform) -> [SIMD2<Float>] {
    let (area, length) = (size.area, target.count)
    var result = [SIMD2<Float>](repeating: .zero, count: channelCount * length)
    var samples = [Float](repeating: 0, count: area)
    for channel in 0..<channelCount {
      for index in 0..<area { samples[index] = cells.values[channel * area + index] * window[index] }
      result.withUnsafeMutableBufferPointer { result in
        guard let start = result.baseAddress else { return }
        transform.transform(samples, into: start + channel * length)
      }
    }
    return result
  }

  /// The search for the filter of one channel, and its memory: alternating directions (ADMM) for a filter that answers
  /// as wanted and one that is zero outside of the object.
  private struct ChannelFit {
    let target: [SIMD2<Float>]
    let mask: [Float]
    let size: PixelSize
    /// The spectrum of the filter that is zero outside of the object: the paper's h.
    private(set) var filter: [SIMD2<Float>]
    /// The spectrum of the filter that answers as wanted: the paper's h_c.
    private var free: [SIMD2<Float>]
    /// The Lagrange multiplier: the paper's l.
    private var multiplier: [SIMD2<Float>]
    private var scratch: [SIMD2<Float>]
    private var samples: [Float]

    init(target: [SIMD2<Float>], mask: [Float], size: PixelSize) {
      self.target = target
      self.mask = mask
      self.size = size
      filter = [SIMD2<Float>](repeating: .zero, count: target.count)
      (free, multiplier, scratch) = (filter, filter, filter)
      samples = [Float](repeating: 0, count: size.area)
    }

    mutating func solve(
      _ seen: UnsafePointer<SIMD2<Float>>, iterationCount: Int, _ transform: borrowing FourierTransform
    ) {
      let scale = 1 / Float(size.area)
      var penalty = CorrelationFilter.firstPenalty
      let length = penalty * CorrelationFilter.lengthShare
      for index in target.indices {
        let energy = seen[index].x * seen[index].x + seen[index].y * seen[index].y
        scratch[index] = timesConjugate(seen[index], target[index]) / (energy + length)
        multiplier[index] = .zero
      }
      restrict(factor: scale, transform)
      for _ in 0..<iterationCount {
        for index in target.indices {
          let energy = seen[index].x * seen[index].x + seen[index].y * seen[index].y
          let right = timesConjugate(seen[index], target[index]) + filter[index] * penalty - multiplier[index]
          free[index] = right / (energy + penalty)
          scratch[index] = multiplier[index] + free[index] * penalty
        }
        restrict(factor: scale / (length * scale / 2 + penalty), transform)
        for index in target.indices { multiplier[index] += (free[index] - filter[index]) * penalty }
        penalty *= CorrelationFilter.penaltyGrowth
      }
    }

    /// Leaves in `filter` the part of the one in `scratch` that lies on the object.
    private mutating func restrict(factor: Float, _ transform: borrowing FourierTransform) {
      transform.restore(&scratch, into: &samples)
      for index in samples.indices { samples[index] *= mask[index] * factor }
      transform.transform(samples, into: &filter)
    }

    /// The highest response of the filter to what it was made from.
    mutating func highestResponse(
      _ seen: UnsafePointer<SIMD2<Float>>, _ transform: borrowing FourierTransform
    ) -> Float {
      for index in target.indices { scratch[index] = timesConjugate(seen[index], filter[index]) }
      transform.restore(&scratch, into: &samples)
      return max(0, samples.max() ?? 0) / Float(size.area)
    }
  }
}

/// a times the conjugate of b, where x is the real part and y the imaginary one.
private func timesConjugate(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> SIMD2<Float> {
  SIMD2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y)
}

/// An image, row by row, whose samples are products of one number for the column and one for the row.
func separableProduct(_ across: [Float], _ down: [Float]) -> [Float] {
  down.flatMap { factor in across.map { $0 * factor } }
}
