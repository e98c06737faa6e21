import Foundation
import Imaging
import Testing

@testable import FlowRendering

/// The style `flowview` against its formulas, evaluated one by one in double precision.
@Suite struct FlowviewTests {
  @Test(arguments: [10, 4, 7, 16, 33], [30.0, 60, 110])
  func everyPixelIsWithinOneLevelOfTheFormula(cell: Int, tipAngle: Double) throws {
    for (width, height, length) in [(131, 97, Float(20)), (64, 48, 200), (1, 1, 50), (9, 3, 90), (40, 1, 3)] {
      var options = RenderingOptions(style: .flowview)
      options.cell = cell
      options.tipAngle = tipAngle
      options.minLength = length > 100 ? 5 : 0
      options.maxLength = .fixed(length > 100 ? 150 : 15)
      let flow = testFlow(width: width, height: height, length: length)
      expectNear(try render(flow, options), flow, options)
    }
  }

  @Test func smoothFieldsAreWithinOneLevelOfTheFormula() throws {
    var options = RenderingOptions(style: .flowview)
    options.maxLength = .fixed(100)
    let turn = FlowField(width: 240, height: 180) { x, y in (Float(90 - y), Float(x - 120)) }
    expectNear(try render(turn, options), turn, options)
    let directions = FlowField(width: 720, height: 21) { x, y in
      let angle = Double(x) / 360 * .pi - .pi
      return (Float(90 * cos(angle)), Float(90 * sin(angle)))
    }
    expectNear(try render(directions, options), directions, options)
    let axes = FlowField(width: 90, height: 90) { x, y in
      let axis = [(1, 0), (0, 1), (-1, 0), (0, -1), (-1, -0.0), (1, -0.0)][x / 15]
      return (Float(axis.0) * Float(y), Float(axis.1) * Float(y))
    }
    expectNear(try render(axes, options), axes, options)
  }

  @Test(arguments: [0.0, 30, 77, 90, 135, 180, 225, 300])
  func theTipPointsAlongTheMotionOnTheScreen(degrees: Double) throws {
    let (dx, dy) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    var options = RenderingOptions(style: .flowview)
    (options.cell, options.maxLength) = (80, .fixed(100))
    let flow = FlowField(width: 161, height: 161) { _, _ in (Float(100 * dx), Float(100 * dy)) }
    let image = try render(flow, options)
    func hasIlluminationChange(along: Double, across: Double) -> Bool {
      let (x, y) = (80 + along * dx - across * dy, 80 + along * dy + across * dx)
      let pixel = image[Int(x.rounded()), Int(y.rounded())]
      return max(pixel.r, pixel.g, pixel.b) > 200
    }
    // Far ahead of the centre there is only the narrow tip, behind it the wide base; the other way round nothing.
    #expect(hasIlluminationChange(along: 30, across: 0))
    #expect(!hasIlluminationChange(along: 30, across: 10) && !hasIlluminationChange(along: 30, across: -10))
    #expect(hasIlluminationChange(along: -30, across: 12) && hasIlluminationChange(along: -30, across: -12))
    #expect(!hasIlluminationChange(along: -38, across: 0))
  }

  /// Motion of ordinary video is seen, and 100 pixels for full colour are there for who asks.
  @Test func ordinaryMotionIsBright() throws {
    let flow = FlowField(width: 320, height: 180) { _, _ in (5, 0) }
    func brightest(_ options: RenderingOptions) throws -> Int {
      let image = try render(flow, options)
      return (0..<320).map { Int(image[$0, 90].r) }.max() ?? 0
    }
    var options = RenderingOptions(style: .flowview)
    #expect(try brightest(options) > 230)
    options.maxLength = .fixed(100)
    #expect(try brightest(options) < 20)
  }

  @Test func unknownAndMissingFlowIsBlack() throws {
    let unknown = FlowField(width: 40, height: 30) { _, _ in (.nan, .nan) }
    #expect(try render(unknown, RenderingOptions(style: .flowview)) == Plane(size: unknown.size, repeating: .black))
    let huge = FlowField(width: 40, height: 30) { _, _ in (1.5e9, .infinity) }
    #expect(try render(huge, RenderingOptions(style: .flowview)) == Plane(size: huge.size, repeating: .black))
  }

  private func render(_ flow: FlowField, _ options: RenderingOptions) throws -> Plane<RGBA8> {
    try FlowRenderer(options: options, size: flow.size, parallelism: .serial).image(of: flow)
  }

  private func expectNear(_ image: Plane<RGBA8>, _ flow: FlowField, _ options: RenderingOptions) {
    var worst = 0.0
    for y in 0..<flow.height {
      for x in 0..<flow.width {
        let expected = formula(flow, x, y, options)
        let pixel = image[x, y]
        for (level, value) in zip([pixel.r, pixel.g, pixel.b], [expected.r, expected.g, expected.b]) {
          worst = max(worst, abs(Double(level) - (255 * value).rounded()))
        }
      }
    }
    #expect(worst <= 1, "\(flow.size), cell \(options.cell ?? 0), tip \(options.tipAngle): \(worst) levels apart")
  }

  /// The definition of the style.
  private func formula(_ flow: FlowField, _ x: Int, _ y: Int, _ options: RenderingOptions)
    -> (r: Double, g: Double, b: Double)
  {
    func clamp(_ value: Double, _ low: Double = 0, _ high: Double = 1) -> Double { min(max(value, low), high) }
    guard case .fixed(let maxLength) = options.maxLength else { return (0, 0, 0) }
    let (u, v) = (Double(flow[x, y].u), Double(flow[x, y].v))
    guard !u.isNaN, !v.isNaN else { return (0, 0, 0) }
    let h = 3 * atan2(v, u) / .pi
    let i = h.rounded(.down)
    let f = h - i
    let color: (Double, Double, Double)
    switch i {
    case -3: color = (0, 1 - f, 1)
    case -2: color = (f, 0, 1)
    case -1: color = (1, 0, 1 - f)
    case 0: color = (1, f, 0)
    case 1: color = (1 - f, 1, 0)
    case 2: color = (0, 1, f)
    default: color = (0, 1, 1)
    }
    let light = clamp((hypot(u, v) - options.minLength) / (maxLength - options.minLength))
    let s = Double(options.cellSide(for: flow.size))
    let cx = clamp((Double(x) / s + 0.5).rounded(.down) * s, 0, Double(flow.width - 1))
    let cy = clamp((Double(y) / s + 0.5).rounded(.down) * s, 0, Double(flow.height - 1))
    let center = flow[Int(cx), Int(cy)]
    guard !center.u.isNaN, !center.v.isNaN else { return (0, 0, 0) }
    let phi = atan2(Double(center.v), Double(center.u))
    let tau = options.tipAngle * .pi / 180
    let sigma = (.pi - tau) / 2
    let o = 0.5 * sin(tau / 2)
    func a(_ alpha: Double) -> Double { (cx - Double(x)) * cos(alpha) + (cy - Double(y)) * sin(alpha) }
    let k1 = 1 - clamp(a(phi) - s / 2 * cos(tau))
    let k2 = clamp(a(phi - sigma) + s * o)
    let k3 = clamp(a(phi + sigma) + s * o)
    let strength = light * k1 * k2 * k3
    return (color.0 * strength, color.1 * strength, color.2 * strength)
  }
}
