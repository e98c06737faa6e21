import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of the variational refinement. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct VariationalKernels: Sendable {
  public let differentiateRow:
    @Sendable (
      _ samples: UnsafePointer<Float>, _ stride: Int, _ dx: UnsafeMutablePointer<Float>,
      _ dy: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let meanAndDifferenceRow:
    @Sendable (
      _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ mean: UnsafeMutablePointer<Float>,
      _ difference: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let formDataRow:
    @Sendable (
      _ dx: UnsafePointer<Float>, _ dy: UnsafePointer<Float>, _ difference: UnsafePointer<Float>, _ stride: Int,
      _ inside: UnsafePointer<Float>, _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ noise: Float,
      _ width: Int, _ output: UnsafeMutablePointer<Float>, _ partStride: Int
    ) -> Void
  public let formEdgeRow:
    @Sendable (
      _ samples: UnsafePointer<Float>, _ stride: Int, _ steepness: Float, _ floor: Float, _ isLastRow: Bool,
      _ width: Int, _ output: UnsafeMutablePointer<Float>, _ partStride: Int
    ) -> Void
  public let splitRows:
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ width: Int, _ output: UnsafeMutablePointer<Float>,
      _ partStride: Int
    ) -> Void
  public let joinRows:
    @Sendable (
      _ input: UnsafePointer<Float>, _ partStride: Int, _ u: UnsafeMutablePointer<Float>,
      _ v: UnsafeMutablePointer<Float>, _ width: Int
    ) -> Void
  public let formDiffusivityRow:
    @Sendable (
      _ flow: UnsafePointer<Float>, _ flowStride: Int, _ edges: UnsafePointer<Float>, _ edgeStride: Int,
      _ smoothness: Float, _ epsilonSquared: Float, _ output: UnsafeMutablePointer<Float>, _ partStride: Int,
      _ count: Int
    ) -> Void
  public let formSystemRow:
    @Sendable (
      _ data: UnsafePointer<Float>, _ flow: UnsafePointer<Float>, _ edges: UnsafePointer<Float>, _ edgeStride: Int,
      _ diffusivityAbove: UnsafePointer<Float>, _ diffusivity: UnsafePointer<Float>,
      _ diffusivityBelow: UnsafePointer<Float>, _ brightness: Float, _ gradient: Float, _ epsilonSquared: Float,
      _ output: UnsafeMutablePointer<Float>, _ partStride: Int, _ count: Int
    ) -> Void
  public let relaxRow:
    @Sendable (
      _ system: UnsafePointer<Float>, _ systemStride: Int, _ flow: UnsafeMutablePointer<Float>, _ flowStride: Int,
      _ part: Int, _ overrelaxation: Float, _ partStride: Int, _ count: Int
    ) -> Void
  public let placeRow:
    @Sendable (
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ y: Int, _ width: Int, _ height: Int, _ stride: Int,
      _ origins: UnsafeMutablePointer<Int32>, _ fx: UnsafeMutablePointer<Float>, _ fy: UnsafeMutablePointer<Float>,
      _ inside: UnsafeMutablePointer<Float>
    ) -> Void
  public let sampleRow:
    @Sendable (
      _ image: UnsafePointer<Float>, _ stride: Int, _ origins: UnsafePointer<Int32>, _ fx: UnsafePointer<Float>,
      _ fy: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let sortColumns:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ output: UnsafeMutablePointer<Float>, _ outputStride: Int,
      _ count: Int
    ) -> Void
  public let medianRow:
    @Sendable (
      _ columns: UnsafePointer<Float>, _ columnStride: Int, _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> VariationalKernels {
    switch level {
    case .baseline:
      VariationalKernels(
        differentiateRow: FlowKernelsBaseline.differentiateRow,
        meanAndDifferenceRow: FlowKernelsBaseline.meanAndDifferenceRow,
        formDataRow: FlowKernelsBaseline.formDataRow,
        formEdgeRow: FlowKernelsBaseline.formEdgeRow,
        splitRows: FlowKernelsBaseline.splitRows,
        joinRows: FlowKernelsBaseline.joinRows,
        formDiffusivityRow: FlowKernelsBaseline.formDiffusivityRow,
        formSystemRow: FlowKernelsBaseline.formSystemRow,
        relaxRow: FlowKernelsBaseline.relaxRow,
        placeRow: FlowKernelsBaseline.placeRow,
        sampleRow: FlowKernelsBaseline.sampleRow,
        sortColumns: FlowKernelsBaseline.sortColumns,
        medianRow: FlowKernelsBaseline.medianRow)
    case .v3:
      VariationalKernels(
        differentiateRow: FlowKernelsV3.differentiateRow,
        meanAndDifferenceRow: FlowKernelsV3.meanAndDifferenceRow,
        formDataRow: FlowKernelsV3.formDataRow,
        formEdgeRow: FlowKernelsV3.formEdgeRow,
        splitRows: FlowKernelsV3.splitRows,
        joinRows: FlowKernelsV3.joinRows,
        formDiffusivityRow: FlowKernelsV3.formDiffusivityRow,
        formSystemRow: FlowKernelsV3.formSystemRow,
        relaxRow: FlowKernelsV3.relaxRow,
        placeRow: FlowKernelsV3.placeRow,
        sampleRow: FlowKernelsV3.sampleRow,
        sortColumns: FlowKernelsV3.sortColumns,
        medianRow: FlowKernelsV3.medianRow)
    case .v4:
      VariationalKernels(
        differentiateRow: FlowKernelsV4.differentiateRow,
        meanAndDifferenceRow: FlowKernelsV4.meanAndDifferenceRow,
        formDataRow: FlowKernelsV4.formDataRow,
        formEdgeRow: FlowKernelsV4.formEdgeRow,
        splitRows: FlowKernelsV4.splitRows,
        joinRows: FlowKernelsV4.joinRows,
        formDiffusivityRow: FlowKernelsV4.formDiffusivityRow,
        formSystemRow: FlowKernelsV4.formSystemRow,
        relaxRow: FlowKernelsV4.relaxRow,
        placeRow: FlowKernelsV4.placeRow,
        sampleRow: FlowKernelsV4.sampleRow,
        sortColumns: FlowKernelsV4.sortColumns,
        medianRow: FlowKernelsV4.medianRow)
    }
  }
}
