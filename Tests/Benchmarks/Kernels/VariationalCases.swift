// The variational refinement: warp, data terms, system, relaxation.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func variational(_ kernels: VariationalKernels, count: Int) -> [KernelCase] {
    warping(kernels, count: count) + relaxation(kernels, count: count)
  }

  private static func warping(_ kernels: VariationalKernels, count: Int) -> [KernelCase] {
    let image = Rows(16, of: count)
    let rows = Rows(6, of: count)
    let (u, v) = (Row(count, value: 0.25), Row(count, value: 0.25))
    let origins = Numbers(count + 64) { _ in Int32(0) }
    let places = PositionRow(origins: origins.start, fx: rows[0], fy: rows[1], inside: rows[2])
    let (flow, size) = (
      FlowRow(u: u.start, v: v.start), ImageRows(base: image[6], stride: image.stride, width: count, height: 2)
    )
    kernels.locateRow(flow, 0, size, places)
    return [
      KernelCase("locateRow", pixels: count, rowsRead: 2, rowsWritten: 4, operations: 29) {
        withExtendedLifetime((u, v, rows, origins)) { kernels.locateRow(flow, 0, size, places) }
      },
      KernelCase("sampleRow", pixels: count, rowsRead: 7, rowsWritten: 1, operations: 71) {
        withExtendedLifetime(origins) {
          kernels.sampleRow(StridedRow(base: image[6], stride: image.stride), places, rows[3], count)
        }
      },
      KernelCase("meanAndDifferenceRow", pixels: count, rowsRead: 2, rowsWritten: 2, operations: 3) {
        kernels.meanAndDifferenceRow(image[0], image[1], rows[4], rows[5], count)
      },
      KernelCase("differentiateRow", pixels: count, rowsRead: 5, rowsWritten: 2, operations: 10) {
        kernels.differentiateRow(image[4], image.stride, rows[4], rows[5], count)
      },
    ]
  }

  private static func relaxation(_ kernels: VariationalKernels, count: Int) -> [KernelCase] {
    // Split bands: the two parts of a row lie `part` floats apart.
    let half = (count + 1) / 2
    let part = (half + 47) / 16 * 16 + 16
    func bands(_ number: Int, rows: Int = 1) -> (start: UnsafeMutablePointer<Float>, stride: Int, memory: Row) {
      let memory = Row(2 * part * number * rows + 64)
      return (memory.start + 32, 2 * part * number, memory)
    }
    let (flow, edges, system) = (bands(2, rows: 3), bands(2, rows: 2), bands(7, rows: 2))
    let (data, diffusivity) = (bands(9), bands(1, rows: 4))
    let (ownFlow, ownEdges, ownSystem) = (
      flow.start + flow.stride, edges.start + edges.stride, system.start + system.stride
    )
    let dx = Rows(5, of: count), dy = Rows(5, of: count), change = Rows(5, of: count)
    let (inside, u, v) = (Row(count, value: 1), Row(count, value: 0.25), Row(count, value: 0.25))
    return [
      KernelCase("formDataRow", pixels: count, rowsRead: 14, rowsWritten: 9, operations: 88) {
        withExtendedLifetime(data.memory) {
          kernels.formDataRow(
            DerivativeRow(dx: dx[2], dy: dy[2], difference: change[2], stride: dx.stride), inside.start,
            FlowRow(u: u.start, v: v.start), 0.01, count, SplitRow(base: data.start, partStride: part))
        }
      },
      KernelCase("formDiffusivityRow", pixels: count, rowsRead: 12, rowsWritten: 1, operations: 44) {
        withExtendedLifetime((flow.memory, edges.memory, diffusivity.memory)) {
          kernels.formDiffusivityRow(
            StridedRow(base: ownFlow, stride: flow.stride), StridedRow(base: ownEdges, stride: edges.stride), 1, 1e-6,
            SplitRow(base: diffusivity.start + 3 * diffusivity.stride, partStride: part), half)
        }
      },
      KernelCase("formSystemRow", pixels: count, rowsRead: 19, rowsWritten: 7, operations: 101) {
        withExtendedLifetime((flow.memory, edges.memory, diffusivity.memory, data.memory, system.memory)) {
          kernels.formSystemRow(
            DataTermRow(terms: data.start, flow: ownFlow), StridedRow(base: ownEdges, stride: edges.stride),
            DiffusivityRows(
              above: diffusivity.start, row: diffusivity.start + diffusivity.stride,
              below: diffusivity.start + 2 * diffusivity.stride),
            DataTermWeights(brightness: 1, gradient: 1, epsilonSquared: 1e-6),
            SplitRow(base: ownSystem, partStride: part), half)
        }
      },
      // With no step at all, so that the flow stays what it is.
      KernelCase("relaxRow", pixels: half, rowsRead: 17, rowsWritten: 2, operations: 28) {
        withExtendedLifetime((flow.memory, system.memory)) {
          kernels.relaxRow(
            StridedRow(base: ownSystem, stride: system.stride), MutableStridedRow(base: ownFlow, stride: flow.stride),
            0, 0, part, half)
        }
      },
    ]
  }
}
