// What a second request costs on images that a first one has been performed on.

import ArgumentParser
import FlowAnalysis
import Foundation
import Imaging
import VideoIO

struct RequestBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "Prints what several requests cost in one pass, against each of them alone, in both handlers.")

  @Option(help: "A video; its first frames are looked at.")
  var video = "Samples/clip.mp4"
  @Option(help: "How many frames.")
  var frames = 6
  @Option(help: "Runs of each combination, in turn; the shortest counts.")
  var repeats = 5
  @Option(help: "Threads; 0 for one per core.")
  var threads = 1

  private struct Combination {
    let name: String
    let requests: [any AnalysisRequest]
  }

  private static let combinations: [Combination] = {
    let shift = TranslationalImageRegistrationRequest(method: .direct)
    let affine = AffineImageRegistrationRequest(method: .direct)
    let homography = HomographicImageRegistrationRequest(method: .direct)
    let flow = OpticalFlowRequest(computationAccuracy: .medium)
    let backward = OpticalFlowRequest(computationAccuracy: .medium, direction: .backward)
    // Shares the flow: what it costs more is the confidence.
    var confident = flow
    confident.measuresConfidence = true
    return [
      Combination(name: "translation + homography", requests: [shift, homography]),
      Combination(name: "affine + homography", requests: [affine, homography]),
      Combination(name: "flow forward + backward", requests: [flow, backward]),
      Combination(name: "flow + its confidence", requests: [flow, confident]),
      Combination(name: "flow + homography", requests: [flow, homography]),
      Combination(
        name: "flow + homography + saliency", requests: [flow, homography, GenerateMotionSaliencyRequest()]),
      Combination(
        name: "saliency + contours", requests: [GenerateMotionSaliencyRequest(), DetectMotionContoursRequest()]),
    ]
  }()

  func run() throws {
    let reader = try VideoReader(video, options: VideoReader.Options(range: MediaRange(frameCount: frames)))
    let luma = LumaExtractor()
    var images: [Plane<Float>] = []
    while let frame = try reader.nextFrame() { images.append(try luma.luma(of: frame)) }
    guard let size = images.first?.size, images.count > 1 else { throw ValidationError("\(video): two frames or more") }
    print("\(size), \(images.count - 1) pairs, ms a pair; together: in one pass, and as a share of the sum")
    for combination in Self.combinations {
      try measure(combination, "image handler") { try perform($0, eachPairOf: images) }
      try measure(combination, "sequence handler") { try perform($0, along: images) }
    }
  }

  /// Takes the runs of the requests alone and together in turn, so that a change of the machine's speed meets all.
  private func measure(
    _ combination: Combination, _ handler: String, _ perform: ([any AnalysisRequest]) throws -> Double
  ) throws {
    var alone = combination.requests.map { _ in Double.infinity }
    var together = Double.infinity
    for _ in 0..<repeats {
      for (index, request) in combination.requests.enumerated() {
        alone[index] = min(alone[index], try perform([request]))
      }
      together = min(together, try perform(combination.requests))
    }
    let sum = alone.reduce(0, +)
    print(
      combination.name, "(\(handler)):", alone.map { String(format: "%.2f", $0) }.joined(separator: " + "),
      String(format: "= %.2f; together %.2f, %.2f", sum, together, together / sum))
  }

  private func perform(_ requests: [any AnalysisRequest], eachPairOf images: [Plane<Float>]) throws -> Double {
    let start = ContinuousClock.now
    for (previous, current) in zip(images, images.dropFirst()) {
      _ = try ImageRequestHandler(previous, parallelism: Parallelism(threadCount: threads))
        .perform(requests, targeting: current)
    }
    return (ContinuousClock.now - start) / .milliseconds(1) / Double(images.count - 1)
  }

  private func perform(_ requests: [any AnalysisRequest], along images: [Plane<Float>]) throws -> Double {
    let handler = SequenceRequestHandler(parallelism: Parallelism(threadCount: threads))
    let start = ContinuousClock.now
    for image in images { _ = try handler.perform(requests, on: image) }
    return (ContinuousClock.now - start) / .milliseconds(1) / Double(images.count - 1)
  }
}
