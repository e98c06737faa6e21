// A kernel that draws one row of one arrow.

/// Draws the row's part of an arrow with a dark outline over straight-alpha pixels.
///
/// In the arrow's own axes (`along` from tail to tip, `across` to its right) the shape is the union of a box, the
/// shaft, and a triangle, the head, each the largest of linear functions; the value of that is the distance to the
/// border near it, so half a pixel on either side blends from opaque to nothing.
///
/// - Parameters:
///   - arrow: Fourteen numbers: `along` and `across` of the first pixel; their steps for one pixel to the right; the
///     shaft's half width; where the shaft ends and the head begins; where the tip is; the head's edge normal (parts
///     across and along); width of the outline; red, green, blue in 0…255; opacity of the whole in 0…1.
///   - pixels: The first pixel; pixels `0 ..< count` are changed where the arrow covers them.
/// - Contract: reads up to 7 pixels past `count`; writes exactly.
public func renderArrowRow(_ arrow: UnsafePointer<Float>, _ pixels: UnsafeMutablePointer<UInt32>, count: Int) {
  typealias Lanes = RenderLanes
  let (startAlong, startAcross) = (Lanes.all(arrow[0]), Lanes.all(arrow[1]))
  let (stepAlong, stepAcross) = (Lanes.all(arrow[2]), Lanes.all(arrow[3]))
  let (halfWidth, neck, tip) = (Lanes.all(arrow[4]), Lanes.all(arrow[5]), Lanes.all(arrow[6]))
  let (normalAcross, normalAlong) = (Lanes.all(arrow[7]), Lanes.all(arrow[8]))
  let (outline, opacity) = (Lanes.all(arrow[9]), Lanes.all(arrow[13]))
  let (red, green, blue) = (Lanes.all(arrow[10]), Lanes.all(arrow[11]), Lanes.all(arrow[12]))
  let (zero, half, one) = (Lanes.all(0), Lanes.all(0.5), Lanes.all(1))
  let ramp = Lanes.Floats(0, 1, 2, 3, 4, 5, 6, 7)
  var i = 0
  while i < count {
    let column = ramp + Lanes.all(Float(i))
    let along = column * stepAlong + startAlong
    let across = Lanes.magnitude(column * stepAcross + startAcross)
    let shaft = larger(larger(across - halfWidth, zero - along), along - neck)
    let head = larger(across * normalAcross + (along - tip) * normalAlong, neck - along)
    let distance = Lanes.select(shaft .< head, shaft, else: head)
    let fill = Lanes.unit(half - distance) * opacity
    let rim = Lanes.unit(outline + half - distance) * opacity
    // The fill over the outline over what is there.
    let cover = fill + rim * (one - fill) * Lanes.all(outlineOpacity)
    let old = Lanes.load(UnsafePointer(pixels), i)
    let oldAlpha = Lanes.channel(old, 24) * Lanes.all(1 / 255) * (one - cover)
    let alpha = cover + oldAlpha
    let share = one / Lanes.atLeast(1e-6, alpha)
    let result = Lanes.pack(
      (fill * red + Lanes.channel(old, 0) * oldAlpha) * share,
      (fill * green + Lanes.channel(old, 8) * oldAlpha) * share,
      (fill * blue + Lanes.channel(old, 16) * oldAlpha) * share, Lanes.rounded(alpha * Lanes.all(255)))
    Lanes.store(Lanes.select(cover .> zero, result, else: old), pixels, i, rest: count &- i)
    i &+= 8
  }
}

/// The opacity of the dark outline, as a share of the arrow's; chosen by hand.
private let outlineOpacity: Float = 0.8

@inline(__always)
private func larger(_ a: RenderLanes.Floats, _ b: RenderLanes.Floats) -> RenderLanes.Floats {
  RenderLanes.select(a .> b, a, else: b)
}
