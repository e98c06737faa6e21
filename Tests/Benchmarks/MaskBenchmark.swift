// How well "moves faster than t" agrees with the true masks of what moves.

import ArgumentParser
import FlowAnalysis
import Foundation
import Imaging
import OpticalFlow
import VideoIO

struct MaskBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "masks",
    abstract: "Prints the best overlap of what moves faster than a threshold with true masks, over all thresholds.")

  @Option(help: "low, medium, high or very-high; several with commas.")
  var accuracy = "medium"
  @Option(help: "key=value:key=value.")
  var parameters = ""
  @Option(help: "The folder with security/.")
  var data = ProcessInfo.processInfo.environment["RHEO_TESTDATA"] ?? "../shared/data"
  @Option(help: "Looks at each n-th frame.")
  var every = 3

  /// The speeds in pixels that are tried.
  private static let thresholds: [Float] = (1...20).map { 0.05 * Float($0) } + (5...16).map { 0.25 * Float($0) }
  /// Frames whose mask stays the same by more than this share show something that stands.
  private static let minimumChange = 0.05
  /// The least number of pixels that move.
  private static let minimumArea = 200

  private struct Sample {
    let number: Int
    let previous: Plane<Float>
    let current: Plane<Float>
    let mask: Plane<Float>
  }

  func run() throws {
    let samples = try officeSamples()
    print("cdnet_office: \(samples.count) pairs in which the mask changes")
    for level in accuracy.split(separator: ",") {
      let request = OpticalFlowRequest(
        algorithm: .dis(
          try InverseSearchParameters(
            overriding: InverseSearchParameters(try FlowBenchmark.accuracy(String(level))), with: parameters)))
      let flows = try samples.map { sample in
        try ImageRequestHandler(sample.previous, parallelism: Parallelism(threadCount: 1))
          .perform(request, targeting: sample.current).flow
      }
      for (half, residual) in [("all", nil), ("chosen on", 0), ("judged by", 1)] as [(String, Int?)] {
        let part = samples.indices.filter { residual == nil || $0 % 2 == residual }
        let (overlap, threshold) = best(part.map { (flows[$0], samples[$0].mask) })
        print(level, half, String(format: "IoU %.3f beyond %.2f px", overlap, threshold))
      }
    }
  }

  /// A person who walks into an office: frame 0 is the 541st of the sequence that the masks are numbered by.
  private func officeSamples() throws -> [Sample] {
    let folder = data + "/security/cdnet_office"
    let reader = try VideoReader(folder + "/video.mkv")
    let luma = LumaExtractor()
    var images: [Plane<Float>] = []
    while let frame = try reader.nextFrame() { images.append(try luma.luma(of: frame)) }
    func mask(_ index: Int) throws -> Plane<Float> {
      try StillImage.luma(contentsOf: folder + String(format: "/groundtruth/gt%06d.png", 541 + index))
    }
    return try stride(from: 0, to: images.count - 1, by: every).compactMap { index in
      let (here, next) = (try mask(index), try mask(index + 1))
      let area = count(here) { $0 == 255 }
      guard area >= Self.minimumArea, Double(changed(here, next)) >= Self.minimumChange * Double(area) else {
        return nil
      }
      return Sample(number: index, previous: images[index], current: images[index + 1], mask: here)
    }
  }

  private func count(_ mask: Plane<Float>, where isCounted: (Float) -> Bool) -> Int {
    mask.withView { view in
      (0..<view.height).reduce(0) { sum, y in
        sum + (0..<view.width).reduce(0) { $0 + (isCounted(view.row(y)[$1]) ? 1 : 0) }
      }
    }
  }

  private func changed(_ a: Plane<Float>, _ b: Plane<Float>) -> Int {
    a.withView { a in
      b.withView { b in
        (0..<a.height).reduce(0) { sum, y in
          sum + (0..<a.width).reduce(0) { $0 + ((a.row(y)[$1] == 255) != (b.row(y)[$1] == 255) ? 1 : 0) }
        }
      }
    }
  }

  /// The largest intersection over union, all pairs together, and its threshold. Pixels that the mask leaves open (85
  /// outside, 170 unknown) do not count; shadow (50) does not move.
  private func best(_ pairs: [(flow: FlowField, mask: Plane<Float>)]) -> (overlap: Double, threshold: Float) {
    var (both, either) = (
      [Int](repeating: 0, count: Self.thresholds.count), [Int](repeating: 0, count: Self.thresholds.count)
    )
    for (flow, mask) in pairs {
      flow.u.withView { u in
        flow.v.withView { v in
          mask.withView { mask in
            for y in 0..<mask.height {
              for x in 0..<mask.width where mask.row(y)[x] != 85 && mask.row(y)[x] != 170 {
                let moves = mask.row(y)[x] == 255
                let speed = (u.row(y)[x] * u.row(y)[x] + v.row(y)[x] * v.row(y)[x]).squareRoot()
                for (index, threshold) in Self.thresholds.enumerated() {
                  let isFast = speed > threshold
                  if isFast && moves { both[index] += 1 }
                  if isFast || moves { either[index] += 1 }
                }
              }
            }
          }
        }
      }
    }
    let overlaps = zip(both, either).map { Double($0) / Double(max($1, 1)) }
    let index = overlaps.indices.max { overlaps[$0] < overlaps[$1] } ?? 0
    return (overlaps[index], Self.thresholds[index])
  }
}
