// How much the structure of two images differs around each pixel, whatever the light.
//
// A soft census transform (Zabih & Woodfill, ECCV 1994; the soft form after Vogel, Roth & Schindler, GCPR 2013): the
// differences from a pixel to its neighbors count up to a limit, so that gain and offset of the light matter little.

import FlowKernelTypes

/// Writes, for each pixel of a row, the mean difference of the two images' limited differences to eight neighbors at a
/// distance of 2: 0 for the same structure, at most 2. (Neighbors at a distance of 1 share most of what they show with
/// the pixel, and with resampling's errors: confidence parts right from wrong worse with them.)
///
/// - Parameters:
///   - first, second: The row of each image; two rows above and below and two pixels on each side are read.
///   - inside: Above 0 where the second image is known.
///   - limits: The error where it is not, and the difference at which the limit lies.
public func structureErrorRow(
  first: StridedRow, second: StridedRow, inside: UnsafePointer<Float>, limits: ErrorLimits,
  _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let limit = Lanes(repeating: limits.limit)
  // Differences are limited in grey levels and scaled once, with the mean of eight.
  let scale = Lanes(repeating: 1 / (8 * limits.limit))
  let outside = Lanes(repeating: limits.outside)
  let distance = 2
  var i = 0
  while i < count {
    let (a, b) = (first.base + i, second.base + i)
    let centers = (load(a, 0), load(b, 0))
    let (upA, upB) = (distance &* first.stride, distance &* second.stride)
    var sum = differ(load(a, 0 &- upA &- distance), load(b, 0 &- upB &- distance), centers, limit)
    sum += differ(load(a, 0 &- upA), load(b, 0 &- upB), centers, limit)
    sum += differ(load(a, 0 &- upA &+ distance), load(b, 0 &- upB &+ distance), centers, limit)
    sum += differ(load(a, 0 &- distance), load(b, 0 &- distance), centers, limit)
    sum += differ(load(a, distance), load(b, distance), centers, limit)
    sum += differ(load(a, upA &- distance), load(b, upB &- distance), centers, limit)
    sum += differ(load(a, upA), load(b, upB), centers, limit)
    sum += differ(load(a, upA &+ distance), load(b, upB &+ distance), centers, limit)
    store(outside.replacing(with: sum * scale, where: load(inside, i) .> Lanes.zero), output, i, count)
    i &+= laneCount
  }
}

@inline(__always)
private func differ(_ a: Lanes, _ b: Lanes, _ centers: (Lanes, Lanes), _ limit: Lanes) -> Lanes {
  let low = Lanes.zero - limit
  let inA = greater(lesser(a - centers.0, limit), low)
  let inB = greater(lesser(b - centers.1, limit), low)
  return greater(inA - inB, inB - inA)
}
