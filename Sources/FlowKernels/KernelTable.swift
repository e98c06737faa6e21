// The table of kernels for this processor.
//
// `FlowKernelsBaseline`, `FlowKernelsV3` and `FlowKernelsV4` are one folder of sources compiled for three
// instruction sets (the latter two are symbolic links to the first). This module gathers each variant's
// functions into a table and picks the widest one that the processor runs, once per process.
// A kernel's signature is written once, at the function: a property of a table takes its type from the baseline's
// function, and the compiler holds the other two variants to it.
// `RHEO_CPU=baseline|v3|v4` can only lower the choice.

import CProcessor
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An instruction set that the kernels were compiled for, in rising order.
public enum ProcessorLevel: Int, Sendable, CaseIterable, Comparable {
  case baseline = 1
  case v3 = 3
  case v4 = 4

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The name that `RHEO_CPU` takes.
  public var name: String {
    switch self {
    case .baseline: "baseline"
    case .v3: "v3"
    case .v4: "v4"
    }
  }

  /// The widest level that this processor runs.
  public static let supported = ProcessorLevel(rawValue: Int(rheo_processor_level())) ?? .baseline

  /// The level in use: `supported`, or lower when `RHEO_CPU` says so.
  public static let current: ProcessorLevel = {
    guard let text = getenv("RHEO_CPU").map({ String(cString: $0) }),
      let asked = allCases.first(where: { $0.name == text })
    else { return supported }
    return min(asked, supported)
  }()
}

/// The functions of one variant. Contracts stand at the functions themselves, in `FlowKernelsBaseline`. One object for
/// each level: to ask for a function copies no table.
public final class KernelTable: Sendable {
  public let level: ProcessorLevel
  public let resample: ResampleKernels
  public let filter: FilterKernels
  public let farneback: FarnebackKernels
  public let lucasKanade: LucasKanadeKernels
  public let render: RenderKernels
  public let resize: ResizeKernels
  public let variational: VariationalKernels
  public let inverseSearch: InverseSearchKernels
  public let planes: PlaneKernels
  public let confidence: ConfidenceKernels
  public let registration: RegistrationKernels
  public let warp: WarpKernels
  public let motion: MotionKernels
  public let features: FeatureKernels

  private init(level: ProcessorLevel) {
    self.level = level
    resample = .table(for: level)
    filter = .table(for: level)
    farneback = .table(for: level)
    lucasKanade = .table(for: level)
    render = .table(for: level)
    resize = .table(for: level)
    variational = .table(for: level)
    inverseSearch = .table(for: level)
    planes = .table(for: level)
    confidence = .table(for: level)
    registration = .table(for: level)
    warp = .table(for: level)
    motion = .table(for: level)
    features = .table(for: level)
  }

  /// The kernels for this processor.
  public static let current = table(for: .current)

  /// The kernels of one level, for tests that compare variants. `level` must not exceed `.supported`.
  public static func table(for level: ProcessorLevel) -> KernelTable {
    precondition(level <= .supported, "this processor does not run \(level.name)")
    return KernelTable(level: level)
  }
}
