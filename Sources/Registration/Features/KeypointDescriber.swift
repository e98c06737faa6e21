// Directions and descriptors of keypoints.
//
// Lowe, IJCV 2004, sections 5 and 6, normalised as by Arandjelović and Zisserman, CVPR 2012
// (doi:10.1109/CVPR.2012.6248018): the square roots of a descriptor with the sum 1, so that the dot product of two is
// Hellinger's. Deviation: gradients are taken on a turned and scaled patch of fixed size rather than on the pixels of
// the octave: the work is the same for every keypoint, and rows of gradients are vectors.

import FlowKernelTypes
import FlowKernels
import Imaging

struct KeypointDescriber: Sendable {
  /// The number of bins of the histogram of directions, 10° each (Lowe, IJCV 2004, section 5).
  private static let directionBins = 36
  /// The spacing of the samples that directions are taken from, in units of the scale: 16 of them span ±4.5.
  private static let directionSpacing: Float = 0.6
  /// The spacing of the samples of the patch that is described, in units of the scale: 16 of them span the 15 units
  /// that Lowe's 4×4 cells of 3 units reach.
  private static let descriptorSpacing: Float = 15 / 16
  /// The minimum weight of a further direction, as a share of the strongest one's (Lowe, IJCV 2004, section 5).
  private static let secondDirection: Float = 0.8
  /// The maximum number of directions of a keypoint; chosen by hand.
  private static let maximumDirections = 2
  /// The maximum element of a descriptor with the length 1, against glare (Lowe, IJCV 2004, section 6.1).
  private static let maximumElement: Float = 0.2

  private let kernels = KernelTable.current.features
  private let grid: [Float]
  private let directionWeights: [Float]
  private let descriptorWeights: [Float]
  private let shares: [Float]

  init() {
    let side = FeatureKernels.patchSide
    let middle = Float(side - 1) / 2
    var grid = [Float](repeating: 0, count: 2 * FeatureKernels.patchCapacity)
    for index in 0..<side * side {
      grid[index] = Float(index % side) - middle
      grid[FeatureKernels.patchCapacity + index] = Float(index / side) - middle
    }
    self.grid = grid
    directionWeights = Self.window(sigma: 1.5 / Double(Self.directionSpacing))
    descriptorWeights = Self.window(sigma: 6.4)
    shares = (0..<4).flatMap { row in (0..<16).map { Self.share(ofCell: row, at: $0) } }
  }

  /// The part of the sample 0 … 15 that belongs to the cell 0 … 3 of a row, each 3.2 samples wide.
  private static func share(ofCell cell: Int, at sample: Int) -> Float {
    let distance = (Double(sample) - 7.5) / 3.2 - (Double(cell) - 1.5)
    return Float(max(0, 1 - abs(distance)))
  }

  /// A Gaussian over the 16×16 inner samples of a patch.
  private static func window(sigma: Double) -> [Float] {
    let line = (0..<16).map { gaussian(Double($0) - 7.5, sigma: sigma) }
    return line.flatMap { y in line.map { Float($0 * y) } }
  }

  /// Finds the directions of candidates and describes them.
  func features(of candidates: [KeypointCandidate], in octaves: [Octave], parallelism: Parallelism) -> FeatureSet {
    let chunk = 64
    let chunkCount = (candidates.count + chunk - 1) / chunk
    var parts = [FeatureSet](repeating: FeatureSet(), count: chunkCount)
    parts.withUnsafeMutableBufferPointer { parts in
      // SAFETY: each chunk writes its own element.
      nonisolated(unsafe) let parts = parts
      parallelism.forEach(count: chunkCount) { index in
        let range = index * chunk..<min((index + 1) * chunk, candidates.count)
        parts[index] = describe(candidates[range], in: octaves)
      }
    }
    var all = FeatureSet()
    all.keypoints = parts.flatMap(\.keypoints)
    all.descriptors.reserveCapacity(all.paddedCount * FeatureKernels.descriptorLength)
    for part in parts { all.descriptors += part.descriptors }
    let missing = (all.paddedCount - all.count) * FeatureKernels.descriptorLength
    all.descriptors += [Float](repeating: 0, count: missing)
    return all
  }

  private func describe(_ candidates: ArraySlice<KeypointCandidate>, in octaves: [Octave]) -> FeatureSet {
    var features = FeatureSet()
    let memory = ScratchRows(count: 4, width: 528)
    for candidate in candidates {
      let octave = octaves[candidate.octave]
      octave.levels[candidate.level].withView { level in
        let image = PatchSource(
          level: level, patch: memory.row(0), scratch: memory.row(1), grid: grid, samplePatch: kernels.samplePatch)
        for (cosine, sine) in directions(of: candidate, in: image, histogram: memory.row(2)) {
          let spacing = candidate.scale * Self.descriptorSpacing
          image.sample(x: candidate.x, y: candidate.y, alongX: cosine * spacing, alongY: sine * spacing)
          features.descriptors += describePatch(image, sums: memory.row(3))
          features.keypoints.append(
            Keypoint(
              x: candidate.x * octave.step + octave.origin, y: candidate.y * octave.step + octave.origin,
              scale: candidate.scale * octave.step, cosine: cosine, sine: sine, response: candidate.response))
        }
      }
    }
    return features
  }

  /// The main directions around a candidate, the strongest first.
  private func directions(
    of candidate: KeypointCandidate, in image: PatchSource, histogram: UnsafeMutablePointer<Float>
  ) -> [(Float, Float)] {
    let bins = Self.directionBins
    image.sample(x: candidate.x, y: candidate.y, alongX: candidate.scale * Self.directionSpacing, alongY: 0)
    kernels.directionHistogram(
      image.patch, directionWeights, image.scratch, histogram, bins)
    var smooth = (0..<bins).map { histogram[$0] }
    for _ in 0..<2 {
      let old = smooth
      for bin in 0..<bins {
        let (a, b) = (old[(bin + bins - 2) % bins], old[(bin + bins - 1) % bins])
        let (c, d) = (old[(bin + 1) % bins], old[(bin + 2) % bins])
        smooth[bin] = (a + d) * 0.0625 + (b + c) * 0.25 + old[bin] * 0.375
      }
    }
    guard let largest = smooth.max(), largest > 0 else { return [] }
    var peaks: [(position: Double, height: Float)] = []
    for bin in 0..<bins {
      let (left, height, right) = (smooth[(bin + bins - 1) % bins], smooth[bin], smooth[(bin + 1) % bins])
      guard height > left, height >= right, height >= largest * Self.secondDirection else { continue }
      let shift = 0.5 * (left - right) / (left - 2 * height + right)
      peaks.append((Double(bin) + Double(shift), height))
    }
    peaks.sort { $0.height != $1.height ? $0.height > $1.height : $0.position < $1.position }
    return peaks.prefix(Self.maximumDirections).map { unitVector(turns: $0.position / Double(bins)) }
  }

  private func describePatch(_ image: PatchSource, sums: UnsafeMutablePointer<Float>) -> [Float] {
    let length = FeatureKernels.descriptorLength
    return [Float](unsafeUninitializedCapacity: length) { output, initializedCount in
      guard let elements = output.baseAddress else { return }
      elements.initialize(repeating: 0, count: length)
      kernels.describePatch(image.patch, descriptorWeights, shares, sums, elements)
      var square: Float = 0
      for k in 0..<length { square += elements[k] * elements[k] }
      let limit = square.squareRoot() * Self.maximumElement
      var sum: Float = 1e-20
      for k in 0..<length {
        elements[k] = min(elements[k], limit)
        sum += elements[k]
      }
      for k in 0..<length { elements[k] = (elements[k] / sum).squareRoot() }
      initializedCount = length
    }
  }
}

/// A level to take patches from, and the memory to put them.
private struct PatchSource {
  let level: PlaneView<Float>
  let patch: UnsafeMutablePointer<Float>
  let scratch: UnsafeMutablePointer<Float>
  let grid: [Float]
  let samplePatch: SamplePatch
  typealias SamplePatch =
    @Sendable (
      ImageRows, UnsafePointer<Float>, UnsafePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>
    ) -> Void

  /// Samples the patch around (x, y) whose rows run along (alongX, alongY).
  func sample(x: Float, y: Float, alongX: Float, alongY: Float) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 6) { frame in
      guard let frame = frame.baseAddress else { return }
      (frame[0], frame[1]) = (x, y)
      (frame[2], frame[3], frame[4], frame[5]) = (alongX, alongY, -alongY, alongX)
      let image = ImageRows(
        base: level.base, stride: level.stride / MemoryLayout<Float>.stride, width: level.width, height: level.height)
      samplePatch(image, frame, grid, scratch, patch)
    }
  }
}

/// The unit vector of a direction in whole turns, by series: the C library's result depends on the processor.
func unitVector(turns: Double) -> (Float, Float) {
  // An eighth of the angle, then doubled three times.
  let angle = (turns - turns.rounded()) * (2 * Double.pi / 8)
  let square = angle * angle
  var cosine = 1.0
  var sine = 1.0
  for n in stride(from: 12, through: 2, by: -2) {
    cosine = 1 - square / Double(n * (n - 1)) * cosine
    sine = 1 - square / Double(n * (n + 1)) * sine
  }
  sine *= angle
  for _ in 0..<3 { (cosine, sine) = (cosine * cosine - sine * sine, 2 * cosine * sine) }
  return (Float(cosine), Float(sine))
}
