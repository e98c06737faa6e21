import ArgumentParser

@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures accuracy and speed.",
    subcommands: [KernelBenchmark.self, FlowBenchmark.self, MaskBenchmark.self, RequestBenchmark.self],
    defaultSubcommand: KernelBenchmark.self)
}
