import Foundation
import Rheo
import TestSupport
import Testing

/// Whole flow fields of all methods at all levels: the same bytes for every instruction set and number of threads.
@Suite struct FlowDeterminismTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Objects that move over a moving ground take the paths of motion borders.
  private func images(_ size: PixelSize) throws -> [String] {
    let scene = try Scene(SceneParameters(name: .objectsPan, size: size, frameCount: 4, motion: 2))
    return try (1...2).map { number in
      let file = folder.file("\(number).png")
      try StillImage.writePNG(scene.frame(number), to: file.path)
      return file.path
    }
  }

  private func bytes(_ images: [String], _ options: [String], cpu: String, threads: String) throws -> Data {
    let output = folder.file("flow.flo")
    let result = try Program.run(
      ["flow"] + images + ["--output", output.path, "--overwrite", "--threads", threads] + options,
      environment: ["RHEO_CPU": cpu])
    #expect(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: output)
  }

  /// Every set with one thread, every number of threads with one set, and each other set with some number.
  private static let variants = [
    ("v3", "1"), ("v4", "1"), ("v4", "2"), ("v4", "3"), ("v4", "7"), ("v3", "2"), ("baseline", "7"),
  ]

  /// The width ends in the middle of a vector. The size is one that threads share: above the 40,000 pixels that stay on
  /// one, and more than two stripes of 64 rows high.
  @Test(arguments: ["dis", "farneback", "lucas-kanade"], ["low", "medium", "high", "very-high"])
  func processorsAndThreadsDoNotChangeTheBytes(algorithm: String, accuracy: String) throws {
    let images = try images(PixelSize(width: 283, height: 151))
    let options = ["--algorithm", algorithm, "--accuracy", accuracy]
    let expected = try bytes(images, options, cpu: "baseline", threads: "1")
    #expect(expected.count == 12 + 283 * 151 * 8)
    for (cpu, threads) in Self.variants {
      #expect(try bytes(images, options, cpu: cpu, threads: threads) == expected, "\(cpu), \(threads) threads")
    }
  }

  /// The search runs on small levels: threads share one of them only in an image that is large.
  @Test func processorsAndThreadsDoNotChangeTheSearch() throws {
    let images = try images(PixelSize(width: 1036, height: 644))
    let options = ["--algorithm", "dis", "--accuracy", "low"]
    let expected = try bytes(images, options, cpu: "baseline", threads: "1")
    for (cpu, threads) in Self.variants {
      #expect(try bytes(images, options, cpu: cpu, threads: threads) == expected, "\(cpu), \(threads) threads")
    }
  }
}
