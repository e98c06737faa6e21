import FlowKernels
import TestSupport

/// The variants that this processor runs.
let variants = ProcessorLevel.allCases.filter { $0 <= .supported }.map(KernelTable.table)

/// All row lengths that a vector of 16 lanes can meet, several vectors long.
let widths = Array(1...67)

/// The kinds of samples of a test.
enum SampleKind: CaseIterable {
  /// Grey levels and small motions.
  case ordinary
  /// Zeros of both signs, denormal, tiny and huge numbers.
  case extreme

  func values(_ count: Int, using random: inout FixedRandom) -> [Float] {
    (0..<count).map { _ in
      switch self {
      case .ordinary: Float.random(in: -255...255, using: &random)
      case .extreme: Self.extremes.randomElement(using: &random) ?? 0
      }
    }
  }

  private static let extremes: [Float] = [
    0, -0, 255, -255, .leastNonzeroMagnitude, -Float.leastNonzeroMagnitude * 71_362, .leastNormalMagnitude, 1e-30,
    1e18, -1e18, 3e38, -3e38, 0.1, 16_777_215,
  ]
}
