import Foundation
import Imaging
import TestSupport
import Testing

/// Values can be stored and sent.
@Suite struct ImagingCodableTests {
  private func stored<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  private static let flow = FlowField(width: 21, height: 13) { x, y in
    x == 4 ? (.nan, .nan) : (Float(x) / 3, -Float(y) * 0.1)
  }

  @Test func valuesAreWhatTheyWere() throws {
    let time = MediaTime(value: -7, timeBase: Rational(1001, 30000))
    #expect(try stored(time) == time)
    let point = NormalizedPoint(x: 0.25, y: 1 / 3)
    #expect(try stored(point) == point)
    let rect = PixelRect(x: 1, y: 2, width: 3, height: 4)
    #expect(try stored(rect) == rect)
    let map = Homography([1.1, 0.2, 3, -0.1, 0.9, 5, 1e-5, 2e-6, 1])
    #expect(try stored(map) == map)
    #expect(try stored(ImageOrientation.leftMirrored) == .leftMirrored)
    let direction = try #require(Self.flow.dominantDirection())
    #expect(try stored(direction) == direction)
  }

  @Test func contoursKeepTheirOrder() throws {
    let mask = Plane<UInt8>(width: 30, height: 20) { x, y in
      (3..<25).contains(x) && (2..<17).contains(y) && !((8..<14).contains(x) && (5..<9).contains(y)) ? 255 : 0
    }
    let contours = ContourHierarchy(mask: mask)
    #expect(contours.contourCount == 2)
    #expect(try stored(contours) == contours)
  }

  /// Unknown vectors are NaN, which JSON has no word for.
  @Test func fieldsKeepEveryBit() throws {
    #expect(try stored(Self.flow).bits == Self.flow.bits)
    let summary = FlowSummary(of: Self.flow, cellSize: 4)
    let found = try stored(summary)
    #expect(found.mean.bits == summary.mean.bits && found.deviation.bits == summary.deviation.bits)
    #expect(found.knownShare.bits == summary.knownShare.bits && found.size == summary.size)
    let empty = Plane<Float>(width: 0, height: 3)
    #expect(try stored(empty) == empty)
  }

  @Test func statisticsGoOnWhereTheyWere() throws {
    var (statistics, expected) = (try stored(Self.flow.statistics), Self.flow.statistics)
    statistics.add(Self.flow)
    expected.add(Self.flow)
    #expect(statistics.fieldCount == 2 && statistics.knownCount == expected.knownCount)
    #expect(statistics.meanVector! == expected.meanVector! && statistics.meanLength == expected.meanLength)
    #expect(statistics.horizontalRange == expected.horizontalRange && statistics.longest == expected.longest)
    #expect(statistics.lengthPercentile(0.9) == expected.lengthPercentile(0.9))
  }

  @Test(arguments: [
    #"{"size": {"width": 2, "height": 2}, "samples": "AAAA"}"#,
    #"{"size": {"width": -1, "height": -1}, "samples": "AAAAAA=="}"#,
    #"{"size": {"width": 4611686018427387904, "height": 4}, "samples": ""}"#,
  ])
  func planesThatAreNoneAreRefused(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Plane<Float>.self, from: Data(text.utf8)) }
  }
}
