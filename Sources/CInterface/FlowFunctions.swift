// rheo_flow: the flow of pairs and sequences.

import CRheo
import FlowAnalysis
import Imaging
import OpticalFlow

/// Options of rheo_flow_create.
private struct FlowOptions: Options {
  var algorithm: String?
  var accuracy: String?
  var parameters: String?
  var direction: String?
  var confidence: Bool?
  var maxDimension: Int?
  var region: [Double]?
  var warmStart: Bool?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case algorithm, accuracy, parameters, direction, confidence, maxDimension, region, warmStart, threads

    var kind: OptionKind {
      switch self {
      case .algorithm, .accuracy, .parameters, .direction: .text
      case .confidence, .warmStart: .flag
      case .maxDimension, .threads: .whole
      case .region: .numbers
      }
    }
  }

  func request() throws -> OpticalFlowRequest {
    var request = OpticalFlowRequest(algorithm: try chosenAlgorithm())
    request.direction =
      try choice(direction, "direction", ["forward": .forward, "backward": .backward, "both": .both]) ?? .forward
    request.maximumDimension = maxDimension
    request.measuresConfidence = confidence ?? false
    request.startsFromLastFlow = warmStart ?? false
    if let region {
      guard region.count == 4 else {
        throw InvalidArgument("region has \(region.count) numbers: they are x, y, width, height")
      }
      request.regionOfInterest = NormalizedRect(x: region[0], y: region[1], width: region[2], height: region[3])
    }
    try request.validate()
    return request
  }

  private func chosenAlgorithm() throws -> OpticalFlowRequest.Algorithm {
    let accuracy = try accuracyLevel(accuracy)
    let text = parameters ?? ""
    let make: () throws -> OpticalFlowRequest.Algorithm =
      try choice(
        algorithm ?? "dis", "algorithm",
        [
          "dis": { .dis(try InverseSearchParameters(overriding: .init(accuracy), with: text)) },
          "farneback": { .farneback(try FarnebackParameters(overriding: .init(accuracy), with: text)) },
          "lucas-kanade": { .lucasKanade(try LucasKanadeParameters(overriding: .init(accuracy), with: text)) },
        ]) ?? { .dis(InverseSearchParameters(accuracy)) }
    return try make()
  }
}

/// Returns the level of accuracy that an option names; medium unless it is given.
func accuracyLevel(_ name: String?) throws -> OpticalFlowRequest.ComputationAccuracy {
  try choice(
    name, "accuracy", ["low": .low, "medium": .medium, "high": .high, "very-high": .veryHigh]) ?? .medium
}

/// Returns the number of threads that an option names; all cores unless it is given.
func parallelism(_ threads: Int?) throws -> Parallelism {
  let threads = threads ?? 0
  guard (0...1024).contains(threads) else { throw InvalidArgument("threads \(threads): it is 0…1024") }
  return Parallelism(threadCount: threads)
}

/// The object behind rheo_flow.
private final class FlowEstimator {
  private let request: OpticalFlowRequest
  private let parallelism: Parallelism
  private let handler: SequenceRequestHandler

  init(_ options: FlowOptions) throws {
    request = try options.request()
    parallelism = try CInterface.parallelism(options.threads)
    handler = SequenceRequestHandler(parallelism: parallelism)
  }

  func reset() { handler.reset() }

  func estimate(_ previous: rheo_image, _ current: rheo_image, _ output: rheo_flow_output) throws {
    handler.reset()
    defer { handler.reset() }
    let first = try previous.luma("previous", parallelism)
    let second = try current.luma("current", parallelism)
    guard first.size == second.size else {
      throw InvalidArgument("previous has \(first.size) pixels and current \(second.size): they are of one size")
    }
    _ = try handler.perform(request, on: first)
    if let observation = try handler.perform(request, on: second) { write(observation, to: output) }
  }

  func append(_ frame: rheo_image, _ output: rheo_flow_output) throws -> Bool {
    guard let observation = try handler.perform(request, on: try frame.luma("the frame", parallelism)) else {
      return false
    }
    write(observation, to: output)
    return true
  }

  private func write(_ observation: OpticalFlowObservation, to output: rheo_flow_output) {
    if let flow = output.flow { observation.flow.write(pairs: flow, parallelism) }
    if let backward = output.backward { observation.backwardFlow?.write(pairs: backward, parallelism) }
    if let confidence = output.confidence { observation.confidence?.write(rows: confidence) }
    if let occlusion = output.occlusion { observation.occlusion?.write(rows: occlusion) }
  }

  /// - Throws: ``InvalidArgument`` for an output that this request does not make.
  func check(_ output: rheo_flow_output) throws {
    let isBoth = request.direction == .both
    guard isBoth || output.backward == nil else { throw InvalidArgument("backward needs the direction both") }
    guard isBoth || output.occlusion == nil else { throw InvalidArgument("occlusion needs the direction both") }
    guard isBoth || request.measuresConfidence || output.confidence == nil else {
      throw InvalidArgument("confidence needs the direction both or the option confidence")
    }
  }
}

@_cdecl("rheo_flow_create")
public func flowCreate(
  _ options: UnsafePointer<CChar>?,
  _ flow: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  make(flow, error) { try FlowEstimator(FlowOptions(options)) }
}

@_cdecl("rheo_flow_estimate")
public func flowEstimate(
  _ flow: OpaquePointer?, _ previous: UnsafePointer<rheo_image>?, _ current: UnsafePointer<rheo_image>?,
  _ output: UnsafePointer<rheo_flow_output>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let estimator = try object(flow, as: FlowEstimator.self)
    let output = try required(output, "output").pointee
    try estimator.check(output)
    try estimator.estimate(try required(previous, "previous").pointee, try required(current, "current").pointee, output)
  }
}

@_cdecl("rheo_flow_append")
public func flowAppend(
  _ flow: OpaquePointer?, _ frame: UnsafePointer<rheo_image>?, _ output: UnsafePointer<rheo_flow_output>?,
  _ hasFlow: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let estimator = try object(flow, as: FlowEstimator.self)
    let output = try required(output, "output").pointee
    try estimator.check(output)
    let found = try estimator.append(try required(frame, "the frame").pointee, output)
    hasFlow?.pointee = found ? 1 : 0
  }
}

@_cdecl("rheo_flow_reset")
public func flowReset(_ flow: OpaquePointer?) { try? object(flow, as: FlowEstimator.self).reset() }

@_cdecl("rheo_flow_free")
public func flowFree(_ flow: OpaquePointer?) { release(flow, FlowEstimator.self) }
