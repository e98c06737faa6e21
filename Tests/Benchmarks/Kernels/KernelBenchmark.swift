// Single kernels per instruction set, against what the machine can do at best.

import ArgumentParser
import FlowKernels
import Foundation

struct KernelBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernels",
    abstract: "Times single kernels per instruction set, in GB/s and Gflop/s and as a share of the machine's limit.")

  @Option(help: "Pixels in a row; the default keeps all rows of a kernel in a first-level cache of 48 KB.")
  var count = 384

  @Option(help: "Milliseconds of one measurement.")
  var duration = 5.0

  @Option(help: "Measurements of each kernel; the shortest counts.")
  var rounds = 8

  @Option(help: "Only kernels whose name contains this.")
  var only: String?

  func run() throws {
    print(
      """
      Rows of \(count) pixels, which a kernel finds in the cache. Its limit is the longest of three times: to read its \
      rows once and to write them once, at the rates of \(Ceiling.cachedBytes / 1024) KB in the cache, and to add, \
      multiply, divide and compare at the rate of independent multiplications and additions. Memory is listed to \
      compare.

      | kernel | set | ns/pixel | GB/s | Gflop/s | of the limit | limit |
      |---|---|---|---|---|---|---|
      """)
    for level in ProcessorLevel.allCases where level <= .supported { measure(level) }
  }

  /// The clock of a machine that others use too changes from second to second: limits and kernels are measured in turn,
  /// and several times over.
  private func measure(_ level: ProcessorLevel) {
    let ceiling = Ceiling(level)
    let kernels = KernelCase.all(.table(for: level), count: count).filter { only.map($0.name.contains) ?? true }
    let times = kernels.map { Measurement(count: $0.pixels, work: $0.run) }
    for _ in 0..<rounds {
      for measurement in ceiling.measurements + times + ceiling.measurements {
        measurement.measure(duration: duration / 1000)
      }
    }
    for line in ceiling.lines {
      print("| \(line.name) | \(level.name) | – | \(line.gigabytes) | \(line.gigaflops) | – | – |")
    }
    for (kernel, time) in zip(kernels, times) { print(row(kernel, level, seconds: time.seconds, ceiling)) }
  }

  /// One line; `seconds` are those of one pixel.
  private func row(_ kernel: KernelCase, _ level: ProcessorLevel, seconds: Double, _ ceiling: Ceiling) -> String {
    let limit = ceiling.limit(of: kernel)
    let cells = [
      kernel.name, level.name, String(format: "%.3f", seconds * 1e9),
      String(format: "%.1f", (kernel.read + kernel.written) / seconds / 1e9),
      String(format: "%.1f", kernel.operations / seconds / 1e9),
      String(format: "%.0f %%", 100 * limit.seconds / seconds),
      limit.name,
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }
}
