// Single kernels per instruction set, against what the machine can do at best.

import ArgumentParser
import FlowKernels
import Foundation

struct KernelBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernels",
    abstract: "Times single kernels per instruction set, in GB/s and Gflop/s and as a share of the machine's limit.")

  @Option(help: "Elements in a row; the default keeps all rows of a kernel in the first-level cache.")
  var count = 640

  @Option(help: "Milliseconds per measurement.")
  var duration = 30.0

  @Option(help: "Only kernels whose name contains this.")
  var only: String?

  func run() throws {
    let bench = Stopwatch(minimumSeconds: duration / 1000)
    print("| kernel | set | ns/element | GB/s | of copy | Gflop/s | of multiply-add |")
    print("|---|---|---|---|---|---|---|")
    for level in ProcessorLevel.allCases where level <= .supported {
      let ceiling = Ceiling(level, count: count, stopwatch: bench)
      print(
        row("copy, \(count * 4 / 1024) KB rows", level, seconds: ceiling.copySeconds, bytes: 8, operations: 0, ceiling))
      print(row("multiply-add", level, seconds: ceiling.operationSeconds * 2, bytes: 0, operations: 2, ceiling))
      for kernel in KernelCase.all(.table(for: level), count: count) {
        if let only, !kernel.name.contains(only) { continue }
        let seconds = bench.seconds { kernel.run() } / Double(count)
        print(row(kernel.name, level, seconds: seconds, bytes: kernel.bytes, operations: kernel.operations, ceiling))
      }
    }
  }

  /// One line; `seconds`, `bytes` and `operations` are those of one element.
  private func row(
    _ name: String, _ level: ProcessorLevel, seconds: Double, bytes: Double, operations: Double, _ ceiling: Ceiling
  ) -> String {
    func cell(_ value: Double, _ format: String) -> String { value > 0 ? String(format: format, value) : "–" }
    return "| \(name) | \(level.name) | \(String(format: "%.3f", seconds * 1e9)) "
      + "| \(cell(bytes / seconds / 1e9, "%.1f")) | \(cell(100 * bytes / seconds * ceiling.copySeconds / 8, "%.0f %%")) "
      + "| \(cell(operations / seconds / 1e9, "%.1f")) "
      + "| \(cell(100 * operations / seconds * ceiling.operationSeconds, "%.0f %%")) |"
  }
}

/// The shortest of several runs, each repeated until it can be measured.
struct Stopwatch {
  let minimumSeconds: Double

  /// Seconds per call of `work`.
  func seconds(_ work: () -> Void) -> Double {
    var repetitions = 1
    while true {
      let once = time(repetitions, work)
      if once * Double(repetitions) >= minimumSeconds / 5 { break }
      repetitions *= 2
    }
    return (0..<5).map { _ in time(repetitions, work) }.min() ?? .nan
  }

  private func time(_ repetitions: Int, _ work: () -> Void) -> Double {
    let start = ContinuousClock.now
    for _ in 0..<repetitions { work() }
    return (ContinuousClock.now - start) / .seconds(1) / Double(repetitions)
  }
}

/// The measured limits of one instruction set.
struct Ceiling {
  /// Seconds to copy one float.
  let copySeconds: Double
  /// Seconds for one multiplication or addition.
  let operationSeconds: Double

  init(_ level: ProcessorLevel, count: Int, stopwatch: Stopwatch) {
    let kernels = CeilingKernels.table(for: level)
    let input = Row(count), output = Row(count)
    copySeconds = stopwatch.seconds { kernels.copy(input.start, output.start, count) } / Double(count)
    var sum: Float = 0
    let rounds = 1000
    operationSeconds =
      stopwatch.seconds { sum += kernels.multiplyAdd(0.999, rounds) }
      / Double(rounds * CeilingKernels.operationsPerRound)
    precondition(!sum.isNaN)
  }
}
