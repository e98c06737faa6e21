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

  @Option(help: "Milliseconds per measurement.")
  var duration = 30.0

  @Option(help: "Only kernels whose name contains this.")
  var only: String?

  func run() throws {
    let stopwatch = Stopwatch(minimumSeconds: duration / 1000)
    print(
      """
      Rows of \(count) pixels, which a kernel finds in the cache. Its limit is the longest of three times: to read its rows \
      once and to write them once, at the rates of \(Ceiling.cachedBytes / 1024) KB in the cache, and to add, multiply, \
      divide and compare at the rate of independent multiplications and additions. Memory is listed to compare.

      | kernel | set | ns/pixel | GB/s | Gflop/s | of the limit | limit |
      |---|---|---|---|---|---|---|
      """)
    for level in ProcessorLevel.allCases where level <= .supported {
      let ceiling = Ceiling(level, stopwatch: stopwatch)
      for line in ceiling.lines {
        print("| \(line.name) | \(level.name) | – | \(line.gigabytes) | \(line.gigaflops) | – | – |")
      }
      for kernel in KernelCase.all(.table(for: level), count: count) {
        if let only, !kernel.name.contains(only) { continue }
        let seconds = stopwatch.seconds { kernel.run() } / Double(kernel.pixels)
        print(row(kernel, level, seconds: seconds, ceiling))
      }
    }
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
