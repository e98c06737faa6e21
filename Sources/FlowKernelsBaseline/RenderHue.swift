// Kernels that colour flow by its direction around a ring of colours, with triangles cut out or lit up.
//
// Glyphs. Each pixel has three linear functions of its row, L = g + dy · h, one for each edge of its cell's triangle;
// the triangle's coverage is the product of the three clamped to 0…1. `glyphs` holds six rows of `pitch` numbers:
// g and h of the first edge, of the second, of the third. The driver fills them once for each row of cells.

import FlowKernelTypes

/// Red, green and blue in 0…1 of a `DirectionRing`'s colours.
@inline(__always)
private func directionColor(
  _ ring: UnsafePointer<UInt32>, _ polar: RenderPolar, _ v: RenderLanes.Floats
) -> (r: RenderLanes.Floats, g: RenderLanes.Floats, b: RenderLanes.Floats) {
  typealias Lanes = RenderLanes
  let clockwise = Lanes.select(v .< Lanes.all(0), Lanes.all(6) - polar.sextants, else: polar.sextants)
  let known = Lanes.select(polar.isKnown, clockwise, else: Lanes.all(0))
  let index = Lanes.rounded(known * Lanes.all(Float(DirectionRing.count / 6)))
  let words = Lanes.Words(
    ring[Int(truncatingIfNeeded: index[0])], ring[Int(truncatingIfNeeded: index[1])],
    ring[Int(truncatingIfNeeded: index[2])], ring[Int(truncatingIfNeeded: index[3])],
    ring[Int(truncatingIfNeeded: index[4])], ring[Int(truncatingIfNeeded: index[5])],
    ring[Int(truncatingIfNeeded: index[6])], ring[Int(truncatingIfNeeded: index[7])])
  let unit = Lanes.all(1 / 255)
  return (Lanes.channel(words, 0) * unit, Lanes.channel(words, 8) * unit, Lanes.channel(words, 16) * unit)
}

@inline(__always)
private func edge(_ glyphs: UnsafePointer<Float>, _ pitch: Int, _ index: Int, _ i: Int, _ dy: RenderLanes.Floats)
  -> RenderLanes.Floats
{
  let row = glyphs + 2 &* index &* pitch
  return RenderLanes.load(row, i) + RenderLanes.load(row + pitch, i) * dy
}

/// Draws a row of the style `flowview`: colour · clamp(length · scale + bias) · triangle; unknown vectors are black.
///
/// - Parameter ring: The colours of a `DirectionRing`, their opacity 0.
/// - Contract: `u`, `v` and `glyphs` may be read up to 7 elements past the row; `output` is written exactly.
public func renderFlowviewRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ glyphs: UnsafePointer<Float>, ring: UnsafePointer<UInt32>,
  drawing: GlyphDrawing, _ output: PixelRow
) {
  let (pitch, output, count) = (drawing.pitch, output.base, output.count)
  let (scale, bias) = (RenderLanes.all(drawing.lengths.scale), RenderLanes.all(drawing.lengths.bias))
  let dy = RenderLanes.all(drawing.distance)
  let alpha = RenderLanes.Words(repeating: drawing.alpha)
  var i = 0
  while i < count {
    let y = RenderLanes.load(v, i)
    let polar = RenderPolar(RenderLanes.load(u, i), y)
    let color = directionColor(ring, polar, y)
    let first = RenderLanes.unit(edge(glyphs, pitch, 0, i, dy))
    let second = RenderLanes.unit(edge(glyphs, pitch, 1, i, dy))
    let third = RenderLanes.unit(edge(glyphs, pitch, 2, i, dy))
    let brightness = RenderLanes.unit(polar.length * scale + bias) * (first * second * third) * RenderLanes.all(255)
    let light = RenderLanes.select(polar.isKnown, brightness, else: RenderLanes.all(0))
    let pixels = RenderLanes.pack(color.r * light, color.g * light, color.b * light, alpha)
    RenderLanes.store(pixels, output, i, rest: count &- i)
    i &+= 8
  }
}

/// Draws a row of the style `overlay`: colours of a ring over a transparent ground.
///
/// With w = clamp(length · scale + bias) and s = w · (2 − w) the opacity is s · `tint` outside of triangles and
/// s · (`tint` + s · (`glyph` − `tint`)) inside, so that triangles fade before the tint does. There the colour is also
/// mixed with `white`; a rim around the triangle is darkened by `rim`. Where w = 0, and where the flow is unknown, the
/// pixel is 0. Eight pixels that are still cost no more than their lengths, for most of a security camera's are.
///
/// - Contract: as of `renderFlowviewRow`.
public func renderOverlayRow(
  _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ glyphs: UnsafePointer<Float>, ring: UnsafePointer<UInt32>,
  drawing: OverlayDrawing, _ output: PixelRow
) {
  typealias Lanes = RenderLanes
  let (drawing, look) = (drawing.glyphs, drawing.look)
  let (pitch, output, count) = (drawing.pitch, output.base, output.count)
  let (scale, bias) = (drawing.lengths.scale, drawing.lengths.bias)
  // The polar form is exact to 1.5e-6: below this square w is 0 for sure.
  let stillLength = max(0, 0 - bias) / scale
  let stillSquare = Lanes.all(stillLength * stillLength * 0.999)
  let (scales, biases, dy) = (Lanes.all(scale), Lanes.all(bias), Lanes.all(drawing.distance))
  let (tint, glyph) = (Lanes.all(look.tint), Lanes.all(look.glyph - look.tint))
  let (white, rim, rimWidth) = (Lanes.all(look.white), Lanes.all(look.rim), Lanes.all(look.rimWidth))
  let one = Lanes.all(1)
  var i = 0
  while i < count {
    let (x, y) = (Lanes.load(u, i), Lanes.load(v, i))
    if Lanes.areAll(x * x + y * y .< stillSquare) {
      Lanes.store(Lanes.Words(repeating: 0), output, i, rest: count &- i)
      i &+= 8
      continue
    }
    let polar = RenderPolar(x, y)
    let color = directionColor(ring, polar, y)
    let first = edge(glyphs, pitch, 0, i, dy)
    let second = edge(glyphs, pitch, 1, i, dy)
    let third = edge(glyphs, pitch, 2, i, dy)
    let inside = Lanes.unit(first) * Lanes.unit(second) * Lanes.unit(third)
    let around = Lanes.unit(first + rimWidth) * Lanes.unit(second + rimWidth) * Lanes.unit(third + rimWidth)
    let w = Lanes.select(polar.isKnown, Lanes.unit(polar.length * scales + biases), else: Lanes.all(0))
    let strength = w * (Lanes.all(2) - w)
    let opacity = strength * (around * glyph * strength + tint)
    let pale = inside * white
    let light = (one - (around - inside) * rim) * Lanes.all(255)
    let pixels = Lanes.pack(
      (color.r + (one - color.r) * pale) * light, (color.g + (one - color.g) * pale) * light,
      (color.b + (one - color.b) * pale) * light, Lanes.rounded(opacity))
    let moving = Lanes.select(w .> Lanes.all(0), pixels, else: Lanes.Words(repeating: 0))
    Lanes.store(moving, output, i, rest: count &- i)
    i &+= 8
  }
}
