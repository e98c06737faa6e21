// Accuracy and time of a flow engine on picture pairs with known flow.

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
  @Option(help: "A further pair: name,previous,current,truth.flo.")
  var pair: [String] = []
  @Flag(help: "Leaves the test data out: only the pairs named with --pair.")
  var onlyPairs = false
  @Flag(help: "Adds a checksum of all vectors, to compare threads and instruction sets.")
  var checksum = false

  func run() throws {
    let further = pair.map(PicturePairFile.init(text:))
    let sets = try [
      ("middlebury", onlyPairs ? [] : PicturePairFile.middlebury(data)),
      ("others", (onlyPairs ? [] : PicturePairFile.others(data)) + further),
    ].filter { !$0.1.isEmpty }.map { name, files in (name, try files.map { try $0.load() }) }
    for level in accuracy.split(separator: ",") {
      let request = try makeRequest(String(level))
      for (name, pairs) in sets {
        let results = try pairs.map { try measure($0, request) }
        let errors = results.map { String(format: "%.3f", $0.metrics.averageEndpointError) }.joined(separator: " ")
        print(
          level, name, "EPE", errors,
          String(
            format: "mean %.4f AAE %.2f >1px %.2f%% %.2f ms", mean(results) { $0.metrics.averageEndpointError },
            mean(results) { $0.metrics.averageAngularError },
            100 * mean(results) { $0.metrics.outlierRatio(beyond: 1) ?? 0 }, mean(results) { $0.milliseconds }),
          checksum ? String(results.reduce(0) { $0 &* 31 &+ $1.checksum }, radix: 16) : "")
      }
    }
  }

  private func makeRequest(_ level: String) throws -> OpticalFlowRequest {
    guard let accuracy = OpticalFlowRequest.ComputationAccuracy(rawValue: level == "very-high" ? "veryHigh" : level)
    else { throw ValidationError("no accuracy “\(level)”") }
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
    let metrics: FlowMetrics
    let milliseconds: Double
    let checksum: UInt64
  }

  /// Times both pictures' preparation and the flow, with memory that earlier calls left behind.
  private func measure(_ pair: LoadedPair, _ request: OpticalFlowRequest) throws -> Result {
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
    return Result(
      metrics: try FlowMetrics(estimate: estimate, truth: pair.truth), milliseconds: best,
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

struct LoadedPair {
  let previous: Plane<Float>
  let current: Plane<Float>
  let truth: FlowField
}

/// Where a pair of pictures and its true flow are stored.
struct PicturePairFile {
  let previous: String
  let current: String
  let truth: String

  init(previous: String, current: String, truth: String) {
    self.previous = previous
    self.current = current
    self.truth = truth
  }

  /// `previous,current,truth`.
  init(text: String) {
    let parts = text.split(separator: ",").map(String.init)
    self.init(previous: parts[0], current: parts[1], truth: parts[2])
  }

  static func middlebury(_ data: String) -> [PicturePairFile] {
    ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"].map { name in
      let folder = "\(data)/flow/middlebury/\(name)"
      return PicturePairFile(
        previous: "\(folder)/frame10.png", current: "\(folder)/frame11.png", truth: "\(folder)/flow10.flo")
    }
  }

  static func others(_ data: String) -> [PicturePairFile] {
    let sintel = "\(data)/flow/sintel/alley_1"
    return [
      PicturePairFile(
        previous: "\(sintel)/frame_0002.png", current: "\(sintel)/frame_0003.png", truth: "\(sintel)/flow_0002.flo")
    ]
      + ["00000", "00004"].map { name in
        let start = "\(data)/flow/chairs/\(name)"
        return PicturePairFile(
          previous: "\(start)_img1.png", current: "\(start)_img2.png", truth: "\(start)_flow.flo")
      }
  }

  func load() throws -> LoadedPair {
    LoadedPair(
      previous: try StillImage.luma(contentsOf: previous), current: try StillImage.luma(contentsOf: current),
      truth: try MiddleburyFlow.read(contentsOf: truth))
  }
}
