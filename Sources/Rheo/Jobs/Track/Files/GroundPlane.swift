// Where tracks are on the ground, in metres.

import FlowAnalysis
import Foundation
import Imaging
import MotionDetection
import Registration
import VideoIO

/// The plane on which things stand, in metres, as a camera at rest shows it.
///
/// A box stands with the middle of its bottom edge on the ground, a point lies on it. Whatever is above the horizon has
/// no position there.
public struct GroundPlane: Sendable, Hashable {
  /// The map from pixels of the image to metres on the ground.
  public let homography: Homography
  /// A point of the image that shows the ground, in pixels; nil: the middle of the bottom row does.
  public let groundPoint: SIMD2<Double>?

  /// The maximum size of a file, in bytes.
  public static let maximumByteCount = 1 << 20
  /// The maximum of the numbers in a file: pixels, metres, elements.
  public static let numberLimit = 1e9
  /// The span of time before and after a position by which its speed is estimated, in seconds: about a step of somebody
  /// who walks, over which the sway of their box evens out.
  public static let speedSpan = 0.5

  /// A plane out of a map that is known.
  /// - Parameters:
  ///   - homography: The map from pixels to metres; it must have an inverse.
  ///   - groundPoint: A point of the image that shows the ground, in pixels; nil: the middle of the bottom row does.
  /// - Throws: `MediaError` `invalidOption` for a map without an inverse.
  public init(homography: Homography, groundPoint: SIMD2<Double>? = nil) throws {
    guard homography.elements.allSatisfy(\.isFinite), homography.inverse != nil else {
      throw MediaError(.invalidOption, "the ground's homography has no inverse")
    }
    self.homography = homography
    self.groundPoint = groundPoint
  }

  /// A file's contents: one of the two.
  private struct File: Codable {
    struct Pair: Codable {
      var image: [Double]
      var ground: [Double]
    }
    var homography: [Double]?
    var points: [Pair]?
  }

  /// The fields of a file with their allowed values, for messages.
  private static let fields = JSONOutline.Fields([
    .init("homography", "nine numbers, row by row"),
    .init(
      "points", "a list of four points",
      JSONOutline.Fields([.init("image", "a point [x, y] in pixels"), .init("ground", "a point [x, y] in metres")])),
  ])

  /// Reads a file, see ``init(json:)``.
  /// - Throws: `MediaError` with the file's name.
  public init(path: String) throws {
    do {
      try self.init(json: try FileContents.read(path, limit: Self.maximumByteCount))
    } catch let error as MediaError {
      throw MediaError(error.code, error.message, file: path)
    }
  }

  /// Reads `{"homography": [nine numbers, row by row]}`, the map from pixels to metres, or `{"points": [{"image": [x,
  /// y], "ground": [x, y]}, …]}`, four points in pixels and in metres.
  /// - Throws: `MediaError` `cannotOpen` that says what is wrong.
  public init(json: Data) throws {
    let file: File
    do {
      let outline = try JSONOutline(json)
      try outline.requireKeys(Self.fields)
      do {
        file = try JSONDecoder().decode(File.self, from: json)
      } catch let error as DecodingError {
        throw outline.fault(error, Self.fields)
      }
    } catch let fault as JSONOutline.Fault {
      throw Self.fault("is no ground plane: \(fault)")
    }
    switch (file.homography, file.points) {
    case (let elements?, nil):
      guard elements.count == 9, elements.allSatisfy(Self.isSensible) else {
        throw Self.fault("a homography has nine numbers, row by row")
      }
      guard Homography(elements).inverse != nil else { throw Self.fault("the homography has no inverse") }
      try self.init(homography: Homography(elements))
    case (nil, let pairs?):
      guard pairs.count == 4,
        pairs.allSatisfy({ $0.image.count == 2 && $0.ground.count == 2 }),
        pairs.allSatisfy({ ($0.image + $0.ground).allSatisfy(Self.isSensible) })
      else { throw Self.fault("points are four, each with \"image\": [x, y] and \"ground\": [x, y]") }
      let points = pairs.map { (from: SIMD2($0.image[0], $0.image[1]), to: SIMD2($0.ground[0], $0.ground[1])) }
      guard let map = Homography(through: points) else {
        throw Self.fault("three of the points lie on one line, or no camera sees the four like this")
      }
      try self.init(homography: map, groundPoint: points[0].from)
    default: throw Self.fault("has neither \"homography\" nor \"points\", or both")
    }
  }

  private static func fault(_ message: String) -> MediaError { MediaError(.cannotOpen, message) }

  private static func isSensible(_ number: Double) -> Bool { abs(number) <= numberLimit }

  /// The position and the speed of a track on the ground in one frame.
  public struct PathPoint: Sendable, Hashable {
    /// The position, in metres; nil above the horizon.
    public var position: SIMD2<Double>?
    /// The speed along the ground, in metres per second; nil where too few positions are known.
    public var speed: Double?
  }

  /// Returns the point on the ground that a point of the image shows, in metres; nil for points on or above the
  /// horizon.
  public func position(of point: SIMD2<Double>, imageSize: PixelSize) -> SIMD2<Double>? {
    let known = groundPoint ?? SIMD2(Double(imageSize.width - 1) / 2, Double(imageSize.height) - 0.5)
    guard homography.depth(point) * homography.depth(known) > 0 else { return nil }
    let mapped = homography.apply(x: point.x, y: point.y)
    return mapped.x.isFinite && mapped.y.isFinite ? SIMD2(mapped.x, mapped.y) : nil
  }

  /// Returns the path of a track on the ground, a point for each of its positions.
  ///
  /// The speed is that of the straight lines over time that fit the positions within ``speedSpan`` before and after
  /// best (least squares).
  /// - Complexity: O(positions · positions within the span).
  public func path(of track: MotionTrack, imageSize: PixelSize) -> [PathPoint] {
    let positions = track.positions.map { position -> SIMD2<Double>? in
      var foot = position.center
      if track.kind == .box { foot.y = position.box.y + position.box.height - 0.5 }
      return self.position(of: foot, imageSize: imageSize)
    }
    let seconds = track.positions.map(\.time.seconds)
    var first = 0
    return positions.indices.map { index in
      while seconds[first] < seconds[index] - Self.speedSpan { first += 1 }
      var samples: [(seconds: Double, position: SIMD2<Double>)] = []
      for other in first..<positions.count {
        guard seconds[other] <= seconds[index] + Self.speedSpan else { break }
        if let position = positions[other] { samples.append((seconds[other], position)) }
      }
      return PathPoint(position: positions[index], speed: positions[index] == nil ? nil : Self.speed(samples))
    }
  }

  /// Returns the length of the slope of the lines of least squares through positions over time; nil for a single time.
  private static func speed(_ samples: [(seconds: Double, position: SIMD2<Double>)]) -> Double? {
    guard samples.count > 1 else { return nil }
    let count = Double(samples.count)
    let middle = samples.reduce(0) { $0 + $1.seconds } / count
    let mean = samples.reduce(SIMD2<Double>.zero) { $0 + $1.position } / count
    var (squares, products) = (0.0, SIMD2(0.0, 0.0))
    for sample in samples {
      let time = sample.seconds - middle
      squares += time * time
      products += (sample.position - mean) * time
    }
    guard squares > 0 else { return nil }
    let slope = products / squares
    return (slope.x * slope.x + slope.y * slope.y).squareRoot()
  }
}
