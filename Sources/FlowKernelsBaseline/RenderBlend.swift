// Kernels that blend a layer (one word a pixel: red in the low byte, straight opacity in the high one) onto samples.
//
// Sample values are made with floating-point numbers in a fixed order and rounded once. A transparent pixel leaves its
// sample as it was, bit for bit: x + (c − x) · 0 = x. An opaque one hides it: the result is that over 0, whatever was
// there, for x + (c − x) rounds to other numbers than c.

import FlowKernelTypes

/// `samples[i] += (color − samples[i]) · opacity` where color = r · weights[0] + g · weights[1] + b · weights[2] +
/// weights[3], clamped to 0…`weights[4]`. For luma, and for the planes of RGB images.
///
/// - Contract: `layer` may be read up to 7 pixels past `count`; `samples` are read and written exactly.
public func renderBlendRow8(
  _ layer: UnsafePointer<UInt32>, weights: UnsafePointer<Float>, _ samples: UnsafeMutablePointer<UInt8>, count: Int
) {
  blendRow(layer, weights, samples, count)
}

/// Does what ``renderBlendRow8`` does, for samples in 16-bit words.
public func renderBlendRow16(
  _ layer: UnsafePointer<UInt32>, weights: UnsafePointer<Float>, _ samples: UnsafeMutablePointer<UInt16>, count: Int
) {
  blendRow(layer, weights, samples, count)
}

/// Adds up what a row of chroma samples needs: for each block of 2^`shiftX` × `rowCount` pixels the sums of a, a·r,
/// a·g and a·b (whole numbers below 2²⁴, exact).
///
/// - Parameters:
///   - layer: The first row of the block row; the next ones follow at `stride` bytes.
///   - sums: Four rows of `pitch` numbers; the first `count` >> `shiftX` (rounded up) of each are the result.
///   - count: Pixels in a row. `pitch` is at least this, rounded up to a multiple of 8.
/// - Contract: `layer` may be read up to 7 pixels past `count`, where it is transparent, except when `shiftX` is 0.
public func renderPremultipliedSums(
  _ layer: UnsafePointer<UInt32>, stride: Int, block: ChromaBlock, _ sums: UnsafeMutablePointer<Float>, pitch: Int,
  count: Int
) {
  let (shiftX, rowCount) = (block.shiftX, block.rowCount)
  var i = 0
  while i < count {
    var (a, r, g, b) = (RenderLanes.Floats(), RenderLanes.Floats(), RenderLanes.Floats(), RenderLanes.Floats())
    var row = 0
    while row < rowCount {
      let start = UnsafeRawPointer(layer) + row &* stride
      let pixels = RenderLanes.load(start.assumingMemoryBound(to: UInt32.self), i)
      if !RenderLanes.isClear(pixels) {
        let alpha = RenderLanes.channel(pixels, 24)
        a += alpha
        r += alpha * RenderLanes.channel(pixels, 0)
        g += alpha * RenderLanes.channel(pixels, 8)
        b += alpha * RenderLanes.channel(pixels, 16)
      }
      row &+= 1
    }
    store(a, sums, i, shiftX)
    store(r, sums + pitch, i, shiftX)
    store(g, sums + 2 &* pitch, i, shiftX)
    store(b, sums + 3 &* pitch, i, shiftX)
    i &+= 8
  }
}

/// `samples[i] += Σ a · (color − samples[i]) · share`, the blend of one row of chroma from the sums of
/// `renderPremultipliedSums`; color = r · weights[0] + g · weights[1] + b · weights[2] + weights[3], the result clamped
/// to 0…`weights[4]`; `share` is 1 / (255 · pixels of a block).
///
/// - Contract: `sums` may be read up to 7 elements past `count`; `samples` are read and written exactly.
public func renderBlendChromaRow8(
  _ sums: UnsafePointer<Float>, pitch: Int, weights: UnsafePointer<Float>, share: Float,
  _ samples: UnsafeMutablePointer<UInt8>, count: Int
) {
  blendChromaRow(sums, pitch, weights, share, samples, count)
}

/// Does what ``renderBlendChromaRow8`` does, for samples in 16-bit words.
public func renderBlendChromaRow16(
  _ sums: UnsafePointer<Float>, pitch: Int, weights: UnsafePointer<Float>, share: Float,
  _ samples: UnsafeMutablePointer<UInt16>, count: Int
) {
  blendChromaRow(sums, pitch, weights, share, samples, count)
}

@inline(__always)
private func blendRow<Sample: FixedWidthInteger & SIMDScalar>(
  _ layer: UnsafePointer<UInt32>, _ weights: UnsafePointer<Float>, _ samples: UnsafeMutablePointer<Sample>, _ count: Int
) {
  var i = 0
  while i < count {
    let pixels = RenderLanes.load(layer, i)
    if !RenderLanes.isClear(pixels) {
      if i &+ 8 <= count {
        store(blended(pixels, weights, load(samples + i)), samples + i)
      } else {
        let old = load(samples + i, rest: count &- i)
        store(blended(pixels, weights, old), samples + i, rest: count &- i)
      }
    }
    i &+= 8
  }
}

@inline(__always)
private func blendChromaRow<Sample: FixedWidthInteger & SIMDScalar>(
  _ sums: UnsafePointer<Float>, _ pitch: Int, _ weights: UnsafePointer<Float>, _ share: Float,
  _ samples: UnsafeMutablePointer<Sample>, _ count: Int
) {
  var i = 0
  while i < count {
    if i &+ 8 <= count {
      store(blendedChroma(sums + i, pitch, weights, share, load(samples + i)), samples + i)
    } else {
      let old = load(samples + i, rest: count &- i)
      store(blendedChroma(sums + i, pitch, weights, share, old), samples + i, rest: count &- i)
    }
    i &+= 8
  }
}

@inline(__always)
private func blended(_ pixels: RenderLanes.Words, _ weights: UnsafePointer<Float>, _ old: RenderLanes.Floats)
  -> RenderLanes.Words
{
  let red: RenderLanes.Floats = RenderLanes.channel(pixels, 0) * RenderLanes.all(weights[0])
  let green: RenderLanes.Floats = RenderLanes.channel(pixels, 8) * RenderLanes.all(weights[1])
  let blue: RenderLanes.Floats = RenderLanes.channel(pixels, 16) * RenderLanes.all(weights[2])
  let color: RenderLanes.Floats = red + green + blue + RenderLanes.all(weights[3])
  let alpha = RenderLanes.channel(pixels, 24)
  let below = RenderLanes.select(alpha .< RenderLanes.all(255), old, else: RenderLanes.all(0))
  let value = below + (color - below) * (alpha * RenderLanes.all(1 / 255))
  return RenderLanes.rounded(RenderLanes.atMost(weights[4], RenderLanes.atLeast(0, value)))
}

@inline(__always)
private func blendedChroma(
  _ sums: UnsafePointer<Float>, _ pitch: Int, _ weights: UnsafePointer<Float>, _ share: Float,
  _ old: RenderLanes.Floats
) -> RenderLanes.Words {
  let alpha = RenderLanes.load(sums, 0)
  let red: RenderLanes.Floats = RenderLanes.load(sums + pitch, 0) * RenderLanes.all(weights[0])
  let green: RenderLanes.Floats = RenderLanes.load(sums + 2 &* pitch, 0) * RenderLanes.all(weights[1])
  let blue: RenderLanes.Floats = RenderLanes.load(sums + 3 &* pitch, 0) * RenderLanes.all(weights[2])
  let color: RenderLanes.Floats = red + green + blue
  // The opacity of a block of at most 16 pixels is 1, or at most 1 − 1/4080.
  let isSeenThrough = alpha * RenderLanes.all(share) .< RenderLanes.all(1 - 1 / 8192)
  let below = RenderLanes.select(isSeenThrough, old, else: RenderLanes.all(0))
  let value = below + (color + (RenderLanes.all(weights[3]) - below) * alpha) * RenderLanes.all(share)
  return RenderLanes.rounded(RenderLanes.atMost(weights[4], RenderLanes.atLeast(0, value)))
}

/// Eight sums of single columns become 8, 4 or 2 sums of 1, 2 or 4 neighbours.
@inline(__always)
private func store(_ x: RenderLanes.Floats, _ sums: UnsafeMutablePointer<Float>, _ i: Int, _ shiftX: Int) {
  if shiftX == 0 {
    RenderLanes.store(x, sums, i)
  } else {
    let pairs = x.evenHalf + x.oddHalf
    if shiftX == 1 {
      UnsafeMutableRawPointer(sums + i / 2).storeBytes(of: pairs, as: SIMD4<Float>.self)
    } else {
      UnsafeMutableRawPointer(sums + i / 4).storeBytes(of: pairs.evenHalf + pairs.oddHalf, as: SIMD2<Float>.self)
    }
  }
}

@inline(__always)
private func load<Sample: FixedWidthInteger & SIMDScalar>(_ samples: UnsafeMutablePointer<Sample>) -> RenderLanes.Floats
{
  let loaded = UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Sample>.self)
  return RenderLanes.floats(RenderLanes.Words(truncatingIfNeeded: loaded))
}

@inline(__always)
private func store<Sample: FixedWidthInteger & SIMDScalar>(
  _ value: RenderLanes.Words, _ samples: UnsafeMutablePointer<Sample>
) {
  UnsafeMutableRawPointer(samples).storeBytes(of: SIMD8(truncatingIfNeeded: value), as: SIMD8<Sample>.self)
}

// The last samples of a row, fewer than eight. Not inlined: their loops over lanes would make the compiler take the
// vectors of the main loops apart.

@inline(never)
private func load<Sample: FixedWidthInteger & SIMDScalar>(
  _ samples: UnsafeMutablePointer<Sample>, rest: Int
) -> RenderLanes.Floats {
  var loaded = SIMD8<Sample>(repeating: 0)
  for lane in 0..<rest { loaded[lane] = samples[lane] }
  return RenderLanes.floats(RenderLanes.Words(truncatingIfNeeded: loaded))
}

@inline(never)
private func store<Sample: FixedWidthInteger & SIMDScalar>(
  _ value: RenderLanes.Words, _ samples: UnsafeMutablePointer<Sample>, rest: Int
) {
  for lane in 0..<rest { samples[lane] = Sample(truncatingIfNeeded: value[lane]) }
}
