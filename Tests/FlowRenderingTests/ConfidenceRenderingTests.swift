import Imaging
import TestSupport
import Testing

@testable import FlowRendering

/// Vectors that are not known fade.
@Suite struct ConfidenceRenderingTests {
  private static let size = PixelSize(width: 96, height: 64)
  private let flow = FlowField(width: 96, height: 64) { _, _ in (6, 2) }
  private let background = Plane(width: 96, height: 64) { x, y in RGBA8(UInt8(x), UInt8(y), 90) }

  private func image(
    _ style: RenderingStyle, confidence: Plane<Float>?, _ change: (inout RenderingOptions) -> Void = { _ in }
  ) throws -> Plane<RGBA8> {
    var options = RenderingOptions(style: style)
    change(&options)
    return try FlowRenderer(options: options, size: Self.size, parallelism: .serial)
      .image(of: flow, confidence: confidence, background: background)
  }

  @Test(arguments: [RenderingStyle.overlay, .arrows])
  func withoutConfidenceNothingIsDrawnAndWithAllOfItAllIs(style: RenderingStyle) throws {
    let full = try image(style, confidence: nil)
    #expect(full != background)
    #expect(try image(style, confidence: Plane(size: Self.size)) == background)
    #expect(try image(style, confidence: Plane(size: Self.size, repeating: 1)) == full)
  }

  /// Half the confidence is half the opacity: pixels half way between those of none and of all.
  @Test(arguments: [RenderingStyle.overlay, .arrows])
  func halfTheConfidenceIsHalfTheOpacity(style: RenderingStyle) throws {
    let (full, half) = (
      try image(style, confidence: nil), try image(style, confidence: Plane(size: Self.size, repeating: 0.5))
    )
    var largest = 0
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let (none, some, all) = (background[x, y], half[x, y], full[x, y])
        // The outline of an arrow lies under its fill, which lets more of it through.
        if style == .arrows, all.r < none.r || all.g < none.g { continue }
        largest = max(largest, abs(2 * Int(some.r) - Int(none.r) - Int(all.r)))
      }
    }
    #expect(largest <= (style == .arrows ? 40 : 4))
    #expect(half != full && half != background)
  }

  @Test func anArrowIsAsFaintAsMostOfItsCell() throws {
    let left = Plane<Float>(width: 96, height: 64) { x, _ in x < 40 ? 1 : 0 }
    let found = try image(.arrows, confidence: left) { $0.cell = 32 }
    // Cells have their middles at 16, 48 and 80.
    #expect(found[18, 17] != background[18, 17])
    #expect(found[50, 17] == background[50, 17] && found[82, 17] == background[82, 17])
  }

  /// Halos of little confidence around what moves do not show: what is drawn ends where the confidence passes a half.
  @Test func theOverlayEndsWhereTheConfidencePassesAHalf() throws {
    let ramp = Plane<Float>(width: 96, height: 64) { x, _ in Float(x) / 95 }
    let full = try image(.overlay, confidence: nil)
    let found = try image(.overlay, confidence: ramp)
    for y in 0..<64 {
      for x in 0..<24 { #expect(found[x, y] == background[x, y]) }
      for x in 72..<96 { #expect(maximumDifference(found[x, y], full[x, y]) <= 1) }
    }
    #expect(found[52, 30] != background[52, 30])
  }

  @Test func whatIsHiddenHasOneColor() throws {
    let halves = Plane<Float>(width: 96, height: 64) { x, _ in x < 48 ? 0.5 : 0.51 }
    let found = try image(.occlusion, confidence: halves) { $0.opacity = 1 }
    for y in 0..<64 {
      for x in 0..<48 { #expect(found[x, y] == OcclusionPainter.color) }
      for x in 48..<96 { #expect(found[x, y] == background[x, y]) }
    }
  }

  @Test func saliencyGlowsOverTheImage() throws {
    let heat = Plane<Float>(width: 96, height: 64) { x, _ in x < 48 ? 0.1 : 0.9 }
    let found = try image(.saliency, confidence: heat)
    for y in 0..<64 {
      for x in 0..<48 { #expect(found[x, y] == background[x, y]) }
      for x in 48..<96 { #expect(found[x, y] != background[x, y]) }
    }
  }

  @Test func outlinesSurroundWhatMoves() throws {
    let flow = FlowField(width: 96, height: 64) { x, y in
      (30..<60).contains(x) && (20..<44).contains(y) ? (4, 0) : (0, 0)
    }
    let mask = Plane<UInt8>(width: 96, height: 64) { x, y in flow[x, y].u > 0 ? 255 : 0 }
    let renderer = try FlowRenderer(options: RenderingOptions(style: .contours), size: Self.size, parallelism: .serial)
    let found = try renderer.image(of: flow, contours: ContourHierarchy(mask: mask), background: background)
    for y in 0..<64 {
      for x in 0..<96 {
        let inside = (34..<56).contains(x) && (24..<40).contains(y)
        let outside = !(26..<64).contains(x) || !(16..<48).contains(y)
        if inside || outside { #expect(found[x, y] == background[x, y], "(\(x), \(y))") }
      }
    }
    // The outline of motion to the right is red.
    #expect((28...32).contains { found[$0, 32].r > 200 && found[$0, 32].g < 90 })
    let wrong = thrown(RenderingError.self) {
      try renderer.image(of: flow, contours: ContourHierarchy(mask: Plane(width: 95, height: 64)))
    }
    #expect(wrong?.code == .sizeMismatch)
  }

  @Test(arguments: [RenderingStyle.flowview, .wheel, .magnitude, .sideBySide])
  func stylesThatStandForThemselvesDoNotFade(style: RenderingStyle) throws {
    #expect(try image(style, confidence: Plane(size: Self.size)) == image(style, confidence: nil))
  }

  @Test func theHeatMapRisesWithTheConfidence() throws {
    let ramp = Plane<Float>(width: 96, height: 64) { x, _ in Float(x) / 95 }
    let found = try image(.confidence, confidence: ramp) { $0.opacity = 1 }
    let sums = (0..<96).map { x in Int(found[x, 30].r) + Int(found[x, 30].g) + Int(found[x, 30].b) }
    #expect(sums[0] == 0 && sums[95] > 600)
    #expect(zip(sums, sums.dropFirst()).allSatisfy { $0 <= $1 + 6 })
  }

  @Test func theHeatMapNeedsAConfidenceOfTheRightSize() throws {
    let missing = thrown(RenderingError.self) { try image(.confidence, confidence: nil) }
    #expect(missing?.code == .missingConfidence && missing?.message.contains("confidence") == true)
    for style in RenderingStyle.allCases {
      let wrong = thrown(RenderingError.self) {
        try image(style, confidence: Plane(width: 95, height: 64))
      }
      #expect(wrong?.code == .sizeMismatch && wrong?.message.contains("95×64") == true)
    }
  }
}
