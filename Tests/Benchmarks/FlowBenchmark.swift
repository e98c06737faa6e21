// Accuracy and time of a flow engine on image pairs with known flow.

import ArgumentParser
import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import OpticalFlow
import VideoIO

struct FlowBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flow", abstract: "Prints the errors and the time of an engine for each pair of the test data.")

  @Option(help: "farneback, lucas-kanade or dis.")
  var algorithm = "dis"
  @Option(help: "low, medium, high or very-high; several with commas.")
  var accuracy = "medium"
  @Option(help: "key=value:key=value.")
  var parameters = ""
  @Option(help: "Times each pair is computed; the shortest counts.")
  var repeats = 1
  @Option(help: "Threads; 0 for one per core.")
  var threads = 1
  @Option(help: "The folder with flow/.")
  var data = ProcessInfo.processInfo.environment["RHEO_TESTDATA"] ?? "../shared/data"
  @Option(help: "middlebury, others, large; several with commas.")
  var sets = "middlebury,others,large"
  @Option(help: "A folder for the flow of each pair, as NAME.flo.")
  var output: String?
  @Flag(help: "Adds the time of each pair.")
  var times = false
  @Flag(help: "Adds a checksum of all vectors, to compare threads and instruction sets.")
  var checksum = false

  func run() throws {
    for level in accuracy.split(separator: ",") {
      let request = try makeRequest(String(level))
      for set in ImagePairSet.all(data) where sets.contains(set.name) {
        let results = try set.files.map { try measure($0, request) }
        print(level, set.name, line(results))
        if times { for result in results { print("time", result.name, String(format: "%.3f", result.milliseconds)) } }
        for (half, isForChoosing) in [("chosen on:", true), ("judged by:", false)] {
          let part = results.enumerated().filter { ImagePairSet.isForChoosing($0.offset) == isForChoosing }
          print("  ", half, line(part.map(\.element)))
        }
      }
    }
  }

  private func line(_ results: [Result]) -> String {
    let errors = results.map { $0.name + String(format: " %.3f", $0.metrics.averageEndpointError) }
    let means = String(
      format: "mean %.4f geometric %.4f AAE %.2f >1px %.2f%% %.2f ms",
      mean(results) { $0.metrics.averageEndpointError },
      exp(mean(results) { log($0.metrics.averageEndpointError) }), mean(results) { $0.metrics.averageAngularError },
      100 * mean(results) { $0.metrics.outlierRatio(beyond: 1) ?? 0 }, mean(results) { $0.milliseconds })
    let sum = checksum ? " " + String(results.reduce(0) { $0 &* 31 &+ $1.checksum }, radix: 16) : ""
    return errors.joined(separator: ", ") + "; " + means + sum
  }

  static func accuracy(_ name: String) throws -> OpticalFlowRequest.ComputationAccuracy {
    guard let accuracy = OpticalFlowRequest.ComputationAccuracy(rawValue: name == "very-high" ? "veryHigh" : name)
    else { throw ValidationError("no accuracy “\(name)”") }
    return accuracy
  }

  private func makeRequest(_ level: String) throws -> OpticalFlowRequest {
    let accuracy = try Self.accuracy(level)
    switch algorithm {
    case "farneback":
      return OpticalFlowRequest(
        algorithm: .farneback(try FarnebackParameters(overriding: FarnebackParameters(accuracy), with: parameters)))
    case "lucas-kanade":
      return OpticalFlowRequest(
        algorithm: .lucasKanade(
          try LucasKanadeParameters(overriding: LucasKanadeParameters(accuracy), with: parameters)))
    case "dis":
      return OpticalFlowRequest(
        algorithm: .dis(try InverseSearchParameters(overriding: InverseSearchParameters(accuracy), with: parameters)))
    default: throw ValidationError("no algorithm “\(algorithm)”")
    }
  }

  private struct Result {
    let name: String
    let metrics: FlowMetrics
    let milliseconds: Double
    let checksum: UInt64
  }

  /// Times both images' preparation and the flow, with memory that earlier calls left behind.
  private func measure(_ file: ImagePairFile, _ request: OpticalFlowRequest) throws -> Result {
    let pair = try file.load()
    let handler = SequenceRequestHandler(parallelism: Parallelism(threadCount: threads))
    var best = Double.infinity
    var flow: FlowField?
    for _ in 0..<repeats {
      handler.reset()
      let start = ContinuousClock.now
      _ = try handler.perform(request, on: pair.previous)
      flow = try handler.perform(request, on: pair.current)?.flow
      best = min(best, (ContinuousClock.now - start) / .milliseconds(1))
    }
    let estimate = flow ?? FlowField(size: pair.previous.size)
    if let output { try MiddleburyFlow.write(estimate, to: "\(output)/\(file.name).flo") }
    return Result(
      name: file.name, metrics: try FlowMetrics(estimate: estimate, truth: pair.truth), milliseconds: best,
      checksum: checksum(of: estimate))
  }

  private func checksum(of flow: FlowField) -> UInt64 {
    var sum: UInt64 = 0
    for plane in [flow.u, flow.v] {
      plane.withView { view in
        for y in 0..<view.height {
          for x in 0..<view.width { sum = (sum ^ UInt64(view.row(y)[x].bitPattern)) &* 0x100_0000_01B3 }
        }
      }
    }
    return sum
  }

  private func mean(_ results: [Result], _ value: (Result) -> Double) -> Double {
    results.isEmpty ? .nan : results.reduce(0) { $0 + value($1) } / Double(results.count)
  }
}
