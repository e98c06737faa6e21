// Planes in a flow: which samples they explain, their fit, their flow, and how well it explains the images.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func planes(_ kernels: PlaneKernels, count: Int) -> [KernelCase] {
    planeFits(kernels, count: count) + [
      planeFlow(kernels, count: count), structureError(kernels, count: count),
    ]
  }

  /// A plane whose flow is as small as that of a slow camera.
  private static let plane: [Float] = [1.01, 0.002, 0.5, -0.003, 1.02, -0.25, 1e-5, -2e-5, 100, 50]

  private static func planeFits(_ kernels: PlaneKernels, count: Int) -> [KernelCase] {
    // Samples come in whole vectors.
    let count = max(count / 16, 1) * 16
    let samples = Rows(5, of: count)
    let vectors = VectorSamples(x: samples[0], y: samples[1], u: samples[2], v: samples[3])
    let points = PlaneSamples(x: samples[0], y: samples[1], targetX: samples[2], targetY: samples[3])
    let words = Numbers(count / 16) { _ in UInt16(0) }
    let (sums, scratch) = (Row(PlaneKernels.sumCount), Row(16 * PlaneKernels.sumCount))
    return [
      KernelCase("planeInliers", pixels: count, bytesRead: 20, bytesWritten: 1.0 / 8, operations: 27) {
        kernels.planeInliers(
          plane, vectors, samples[4], words.start, count)
      },
      KernelCase("planeSums", pixels: count, rowsRead: 5, rowsWritten: 0, operations: 74) {
        kernels.planeSums(
          plane, points, samples[4], sums.start, scratch.start, count)
      },
      KernelCase("planeSums, equal weights", pixels: count, rowsRead: 5, rowsWritten: 0, operations: 50) {
        kernels.planeSums(
          nil, points, samples[4], sums.start, scratch.start, count)
      },
    ]
  }

  private static func planeFlow(_ kernels: PlaneKernels, count: Int) -> KernelCase {
    let flow = Rows(2, of: count)
    // What depends on the row alone is formed once for it.
    return KernelCase("planeFlowRow", pixels: count, rowsRead: 2, rowsWritten: 2, operations: 20) {
      kernels.planeFlowRow(plane, 0, 20, Float(count), MutableFlowRow(u: flow[0], v: flow[1]), count)
    }
  }

  private static func structureError(_ kernels: PlaneKernels, count: Int) -> KernelCase {
    let (first, second, inside, output) = (Rows(5, of: count), Rows(5, of: count), Row(count, value: 1), Row(count))
    // Five rows of each image; a comparison with one of 16 neighbors takes ten operations.
    return KernelCase("structureErrorRow", pixels: count, rowsRead: 7, rowsWritten: 1, operations: 82) {
      kernels.structureErrorRow(
        StridedRow(base: first[2], stride: first.stride), StridedRow(base: second[2], stride: second.stride),
        inside.start, ErrorLimits(limit: 4, outside: 0.25), output.start, count)
    }
  }
}
