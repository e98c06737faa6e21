// What the machine can do at best.

import FlowKernels
import Foundation

/// The limits of one instruction set, measured as often as the kernels, in the same rounds.
struct Ceiling {
  /// The size of the data with which the cache is measured: it fits into the smallest first-level cache in use, 32 KB.
  static let cachedBytes = 24 * 1024
  /// More than the caches hold for one core, as a rule.
  static let memoryBytes = 128 * 1024 * 1024
  private static let rounds = 1000

  private let read: [Measurement]
  private let write: Measurement
  private let memoryRead: [Measurement]
  private let memoryWrite: Measurement
  private let operations: [Measurement]

  var measurements: [Measurement] { read + memoryRead + [write, memoryWrite] + operations }

  init(_ level: ProcessorLevel) {
    let kernels = CeilingKernels.table(for: level)
    (read, write) = Self.bytes(Self.cachedBytes, kernels)
    (memoryRead, memoryWrite) = Self.bytes(Self.memoryBytes, kernels)
    operations = kernels.operations.map { chains in
      Measurement(count: Self.rounds * chains.count) { precondition(!chains.run(1, Self.rounds).isNaN) }
    }
  }

  private static func bytes(_ bytes: Int, _ kernels: CeilingKernels) -> (read: [Measurement], write: Measurement) {
    let count = bytes / MemoryLayout<Float>.stride
    let row = Row(count)
    return (
      kernels.read.map { read in Measurement(count: bytes) { precondition(read(row.start, count) != 0) } },
      Measurement(count: bytes) { kernels.write(row.start, 1, count) }
    )
  }

  private func fastest(_ widths: [Measurement]) -> Double { widths.map(\.seconds).min() ?? .nan }

  /// The least time that a pixel of a kernel can take, and what makes it so.
  func limit(of kernel: KernelCase) -> (name: String, seconds: Double) {
    let times = [
      ("reading", kernel.read * fastest(read)), ("writing", kernel.written * write.seconds),
      ("operations", kernel.operations * fastest(operations)),
    ]
    return times.max { $0.1 < $1.1 } ?? times[0]
  }

  var lines: [(name: String, gigabytes: String, gigaflops: String)] {
    func rate(_ seconds: Double) -> String { String(format: "%.1f", 1e-9 / seconds) }
    let (cache, memory) = ("\(Self.cachedBytes / 1024) KB", "\(Self.memoryBytes / 1024 / 1024) MB")
    return [
      ("*read \(cache)*", rate(fastest(read)), "–"), ("*write \(cache)*", rate(write.seconds), "–"),
      ("*read \(memory)*", rate(fastest(memoryRead)), "–"), ("*write \(memory)*", rate(memoryWrite.seconds), "–"),
      ("*multiply and add*", "–", rate(fastest(operations))),
    ]
  }
}
