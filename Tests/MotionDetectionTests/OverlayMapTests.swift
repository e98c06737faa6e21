import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// What is written over the image of a camera that turns.
@Suite struct OverlayMapTests {
  private static let size = PixelSize(width: 320, height: 180)
  private static let grid = CellGrid(size: size)
  private static let letters = PixelRect(x: 20, y: 12, width: 120, height: 12)

  /// A frame of a pan of two pixels a frame, with letters in the image, and a body in the middle that the camera
  /// follows as well as it can.
  private func frame(_ number: Int) -> Plane<Float> {
    let (ground, body) = (Texture(seed: 4), Texture(seed: 9))
    return Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
      let (column, row) = (x - Self.letters.x, y - Self.letters.y)
      if column >= 0, row >= 0, column < Self.letters.size.width, row < Self.letters.size.height {
        return (column / 2 + row / 3) % 2 == 0 ? 250 : 10
      }
      if abs(x - 160) < 10, abs(y - 110) < 30 {
        return body.value(Double(x) - 0.6 * Double(number), Double(y) + Double(number % 3))
      }
      return ground.value(Double(x + 2 * number), Double(y))
    }
  }

  private func cells(_ x: Range<Int>, _ y: Range<Int>) -> [Int] {
    (0..<Self.grid.count).filter {
      let middle = Self.grid.center($0)
      return x.contains(Int(middle.x)) && y.contains(Int(middle.y))
    }
  }

  private func advance(_ map: inout OverlayMap, _ image: Plane<Float>, _ number: Int) {
    let camera = Homography([1, 0, -2, 0, 1, 0, 0, 0, 1])
    map.advance(image, camera: number == 0 ? nil : camera, seconds: Double(number) / 25)
  }

  @Test func lettersAreFoundWhileTheCameraTurns() {
    var map = OverlayMap(grid: Self.grid)
    for number in 0..<20 {
      advance(&map, frame(number), number)
      func share(_ cells: [Int]) -> Double { Double(cells.count { map.isOverlay[$0] }) / Double(cells.count) }
      let (letters, ground, body) = (
        share(cells(24..<136, 12..<24)), share(cells(20..<300, 40..<76)), share(cells(152..<168, 84..<136))
      )
      // Before the camera has turned by three pixels, nothing is known; these letters look alike after four.
      #expect(number < 2 ? letters == 0 : number < 3 || letters > 0.95, "frame \(number): \(letters)")
      // The flow of letters reaches a little beyond what is next to them.
      let (below, farther) = (share(cells(24..<136, 28..<32)), share(cells(24..<136, 32..<36)))
      #expect(number < 3 || below > 0.95 && farther < 0.2, "frame \(number): \(below), \(farther)")
      #expect(ground < 0.1 && body < 0.2, "frame \(number): \(ground), \(body)")
    }
    map.advance(frame(20), camera: nil, seconds: 0.8)
    #expect(!map.isOverlay.contains(true), "the camera stands")
  }

  /// A clock goes on each second, and what covers the letters for longer is seen.
  @Test func lettersMayChange() {
    var map = OverlayMap(grid: Self.grid)
    let body = Texture(seed: 9)
    let (letters, covered) = (cells(24..<136, 12..<24), cells(40..<60, 12..<24))
    for number in 0..<60 {
      var image = frame(number)
      for y in 12..<24 {
        for x in 20..<140 {
          if number >= 10 { image[x, y] = 260 - image[x, y] * Float(1 + (x / 5 + y / 4) % 2) / 2 }
          if number >= 24, (24..<76).contains(x) {
            image[x, y] = body.value(Double(x) + 1.7 * Double(number), Double(y))
          }
        }
      }
      advance(&map, image, number)
      func share(_ cells: [Int]) -> Double { Double(cells.count { map.isOverlay[$0] }) / Double(cells.count) }
      #expect(!(3..<24).contains(number) || share(letters) > 0.95, "frame \(number): \(share(letters))")
      #expect(number < 52 || share(covered) < 0.3, "frame \(number): \(share(covered))")
    }
  }

  /// The seconds of a clock change while the camera begins to turn: they are part of the line.
  @Test func theLastDigitsOfAClockMayChange() {
    var map = OverlayMap(grid: Self.grid)
    let digits = cells(128..<140, 12..<24)
    for number in 0..<10 {
      var image = frame(number)
      for y in 12..<24 {
        for x in 128..<140 where number % 2 == 0 { image[x, y] = (x + y / 3) % 4 < 2 ? 250 : 10 }
      }
      advance(&map, image, number)
      #expect(number < 3 || digits.allSatisfy { map.isOverlay[$0] }, "frame \(number)")
    }
  }

  /// Stripes along the way of the camera look the same wherever it turns, and what crosses them is seen.
  @Test func stripesAreNoOverlay() {
    var map = OverlayMap(grid: Self.grid)
    let (ground, texture) = (Texture(seed: 4), Texture(seed: 9))
    for number in 0..<12 {
      let image = Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
        y < 90 ? ground.value(Double(x + 2 * number), Double(y)) : texture.value(40, Double(y))
      }
      advance(&map, image, number)
      // What comes in at the border is not known.
      let count = cells(0..<280, 100..<180).count { map.isOverlay[$0] }
      #expect(count == 0, "frame \(number): \(count)")
    }
  }

  /// A camera that shakes stays where it is, though what is left in its maps adds up to a way.
  @Test func aViewThatStaysIsNoOverlay() {
    var map = OverlayMap(grid: Self.grid)
    let drift = Homography([1, 0, 0.3, 0, 1, 0, 0, 0, 1])
    for number in 0..<100 {
      map.advance(frame(0), camera: number == 0 ? nil : drift, seconds: Double(number) / 25)
      #expect(!map.isOverlay.contains(true), "frame \(number)")
    }
  }

  /// Cells without their motions keep those of the others.
  @Test func motionsOfCellsAreLeftOut() {
    var comparer = CellComparer(grid: Self.grid)
    let differences = comparer.differences(previous: frame(0), current: frame(1))
    var evidence = CellEvidence(differences, noiseFloor: NoiseFloor(first: differences))
    for cell in [3, 5, 8] {
      evidence.motions.append(CellMotion(cell: cell, residual: 0, speed: 1))
      evidence.flow += Array(repeating: SIMD2(Float(cell), 0), count: CellEvidence.pixelCount)
    }
    var isLeftOut = [Bool](repeating: false, count: Self.grid.count)
    isLeftOut[5] = true
    evidence.removeMotions(in: isLeftOut)
    #expect(evidence.motions.map { $0.cell } == [3, 8] && evidence.flow.count == 2 * CellEvidence.pixelCount)
    #expect(evidence.displacement(of: 1, pixel: 7) == SIMD2(8, 0))
  }
}
