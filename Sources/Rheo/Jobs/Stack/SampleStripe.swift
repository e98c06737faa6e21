// All samples of some rows.

import Foundation
import Imaging

/// Samples of some rows of a result, one for each frame that shows a pixel. One owner, one task.
final class SampleStripe {
  private let rows: Range<Int>
  private let width: Int
  private let frameCount: Int
  private let parallelism: Parallelism
  /// The samples: for each pixel, three channels of `frameCount` samples.
  private let samples: UnsafeMutablePointer<UInt16>
  /// The number of samples of each pixel so far.
  private let counts: UnsafeMutablePointer<Int32>

  /// The number of standard deviations from the median within which samples belong to it.
  private static let clipping: Float = 3
  /// The factor from the median absolute deviation to the standard deviation of normal noise.
  private static let deviationFactor: Float = 1.4826
  /// The minimum standard deviation: half a level of 8 bits, which rounding alone makes.
  private static let minimumDeviation: Float = 128

  /// Returns the number of rows whose samples fit into `memory` bytes; at least one.
  static func rows(size: PixelSize, frameCount: Int, memory: Int) -> Int {
    min(max(memory / max(size.width * (frameCount * 6 + 4), 1), 1), max(size.height, 1))
  }

  init(rows: Range<Int>, width: Int, frameCount: Int, parallelism: Parallelism) {
    self.rows = rows
    self.width = width
    self.frameCount = frameCount
    self.parallelism = parallelism
    let (sampleCount, pixelCount) = (rows.count * width * 3 * frameCount, rows.count * width)
    samples = FrameMemory.allocate(byteCount: sampleCount * MemoryLayout<UInt16>.stride)
      .bindMemory(to: UInt16.self, capacity: sampleCount)
    counts = FrameMemory.allocate(byteCount: pixelCount * MemoryLayout<Int32>.stride)
      .bindMemory(to: Int32.self, capacity: pixelCount)
    counts.initialize(repeating: 0, count: rows.count * width)
  }

  deinit {
    free(samples)
    free(counts)
  }

  /// Adds the samples of an image.
  /// - Parameter map: The map from pixels of `image` to those of the result.
  func add(_ image: Plane<RGB16>, _ map: Homography) {
    guard let view = WarpedView(map, of: image.size) else { return }
    let memory = Memory(self)
    image.withSampler { sampler in
      parallelism.forEachStripe(rows: rows.count) { stripe in
        for row in stripe {
          view.forEachPosition(row: memory.first + row, columns: 0..<memory.width) { x, position in
            let color = RGB16(channels: sampler.bicubic(position))
            let pixel = row * memory.width + x
            let count = Int(memory.counts[pixel])
            guard count < memory.frameCount else { return }
            let target = memory.samples + (pixel * 3 * memory.frameCount + count)
            target[0] = color.r
            target[memory.frameCount] = color.g
            target[2 * memory.frameCount] = color.b
            memory.counts[pixel] = Int32(count + 1)
          }
        }
      }
    }
  }

  /// Writes the stripe's rows of the result.
  func combine(_ method: Stacking.Method, into image: MutablePlaneView<RGB16>) {
    let memory = Memory(self)
    parallelism.forEachStripe(rows: rows.count) { stripe in
      for row in stripe {
        let target = image.row(memory.first + row)
        for x in 0..<memory.width {
          let pixel = row * memory.width + x
          let count = Int(memory.counts[pixel])
          let first = memory.samples + pixel * 3 * memory.frameCount
          let channels = (0..<3).map { channel in
            Self.combined(
              UnsafeMutableBufferPointer(start: first + channel * memory.frameCount, count: count), method)
          }
          target[x] = RGB16(channels: SIMD4(channels[0], channels[1], channels[2], 0))
        }
      }
    }
  }

  private static func combined(_ samples: UnsafeMutableBufferPointer<UInt16>, _ method: Stacking.Method) -> Float {
    guard samples.count > 0 else { return 0 }
    // Sorted in place, in the stripe's own memory.
    var memory = samples
    memory.sort()
    let median = middle(samples.count) { Float(samples[$0]) }
    guard method == .sigmaClip else { return median }
    // The samples are in order, so their deviations grow to both sides of the median.
    let deviation = medianDeviation(samples, about: median)
    let limit = clipping * max(deviationFactor * deviation, minimumDeviation)
    var (sum, count): (Float, Float) = (0, 0)
    for sample in samples where abs(Float(sample) - median) <= limit {
      sum += Float(sample)
      count += 1
    }
    return count > 0 ? sum / count : median
  }

  private static func middle(_ count: Int, _ value: (Int) -> Float) -> Float {
    count % 2 == 1 ? value(count / 2) : (value(count / 2 - 1) + value(count / 2)) / 2
  }

  /// Returns the median of the distances of sorted samples from their median.
  private static func medianDeviation(_ samples: UnsafeMutableBufferPointer<UInt16>, about median: Float) -> Float {
    var (low, high) = (0, samples.count - 1)
    var largest: Float = 0
    // The larger half is taken away from the ends, the farther end first.
    for _ in 0..<samples.count - samples.count / 2 {
      let (below, above) = (median - Float(samples[low]), Float(samples[high]) - median)
      largest = max(below, above)
      if below > above { low += 1 } else { high -= 1 }
    }
    return largest
  }

  /// SAFETY (unchecked Sendable): each thread touches the pixels of its own rows.
  private struct Memory: @unchecked Sendable {
    let samples: UnsafeMutablePointer<UInt16>
    let counts: UnsafeMutablePointer<Int32>
    let first: Int
    let width: Int
    let frameCount: Int

    init(_ stripe: SampleStripe) {
      samples = stripe.samples
      counts = stripe.counts
      first = stripe.rows.lowerBound
      width = stripe.width
      frameCount = stripe.frameCount
    }
  }
}
