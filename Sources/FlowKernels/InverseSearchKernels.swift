import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of the inverse search on patches. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct InverseSearchKernels: Sendable {
  public let searchPatchRow:
    @Sendable (
      _ previous: UnsafePointer<Float>, _ dx: UnsafePointer<Float>, _ dy: UnsafePointer<Float>,
      _ current: UnsafePointer<Float>, _ stride: Int, _ gradientStride: Int, _ y: Int, _ width: Int, _ height: Int,
      _ step: Int, _ candidates: UnsafePointer<UnsafePointer<Float>>, _ candidateCount: Int, _ iterations: Int,
      _ u: UnsafeMutablePointer<Float>, _ v: UnsafeMutablePointer<Float>, _ cost: UnsafeMutablePointer<Float>,
      _ scratch: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let searchWideRow:
    @Sendable (
      _ previous: UnsafePointer<Float>, _ current: UnsafePointer<Float>, _ stride: Int, _ y: Int, _ width: Int,
      _ height: Int, _ step: Int, _ radius: Int, _ u: UnsafeMutablePointer<Float>, _ v: UnsafeMutablePointer<Float>,
      _ cost: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let densifyRow:
    @Sendable (
      _ previous: UnsafePointer<Float>, _ current: UnsafePointer<Float>, _ stride: Int, _ y: Int, _ width: Int,
      _ height: Int, _ step: Int, _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ count: Int,
      _ sumU: UnsafeMutablePointer<Float>, _ sumV: UnsafeMutablePointer<Float>,
      _ sumWeight: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  public let divideRow:
    @Sendable (
      _ sums: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ values: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let warpErrorRow:
    @Sendable (
      _ warped: UnsafePointer<Float>, _ previous: UnsafePointer<Float>, _ inside: UnsafePointer<Float>, _ limit: Float,
      _ outsideError: Float, _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let selectRow:
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ error: UnsafePointer<Float>,
      _ presentError: UnsafePointer<Float>, _ minimumImprovement: Float, _ presentU: UnsafeMutablePointer<Float>,
      _ presentV: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> InverseSearchKernels {
    switch level {
    case .baseline:
      InverseSearchKernels(
        searchPatchRow: FlowKernelsBaseline.searchPatchRow,
        searchWideRow: FlowKernelsBaseline.searchWideRow,
        densifyRow: FlowKernelsBaseline.densifyRow,
        divideRow: FlowKernelsBaseline.divideRow,
        warpErrorRow: FlowKernelsBaseline.warpErrorRow,
        selectRow: FlowKernelsBaseline.selectRow)
    case .v3:
      InverseSearchKernels(
        searchPatchRow: FlowKernelsV3.searchPatchRow,
        searchWideRow: FlowKernelsV3.searchWideRow,
        densifyRow: FlowKernelsV3.densifyRow,
        divideRow: FlowKernelsV3.divideRow,
        warpErrorRow: FlowKernelsV3.warpErrorRow,
        selectRow: FlowKernelsV3.selectRow)
    case .v4:
      InverseSearchKernels(
        searchPatchRow: FlowKernelsV4.searchPatchRow,
        searchWideRow: FlowKernelsV4.searchWideRow,
        densifyRow: FlowKernelsV4.densifyRow,
        divideRow: FlowKernelsV4.divideRow,
        warpErrorRow: FlowKernelsV4.warpErrorRow,
        selectRow: FlowKernelsV4.selectRow)
    }
  }
}
