import Imaging
import Testing

@testable import FlowRendering

/// What is not known fades.
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
  func opacityIsMultipliedByConfidence(style: RenderingStyle) throws {
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

  @Test func anArrowIsAsFaintAsItsCellHoweverFarItReaches() throws {
    let left = Plane<Float>(width: 96, height: 64) { x, _ in x < 48 ? 1 : 0 }
    let found = try image(.arrows, confidence: left) { $0.cell = 32 }
    // Cells have their middles at 16, 48 and 80.
    #expect(found[18, 17] != background[18, 17])
    #expect(found[50, 17] == background[50, 17] && found[82, 17] == background[82, 17])
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
    let missing = #expect(throws: RenderingError.self) { try image(.confidence, confidence: nil) }
    #expect(missing?.code == .missingConfidence && missing?.message.contains("confidence") == true)
    for style in RenderingStyle.allCases {
      let wrong = #expect(throws: RenderingError.self) {
        try image(style, confidence: Plane(width: 95, height: 64))
      }
      #expect(wrong?.code == .sizeMismatch && wrong?.message.contains("95×64") == true)
    }
  }
}
