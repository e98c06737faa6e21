// The search for a patch in a whole window, for patches that no descent has found.

import FlowKernelTypes

/// Limits for patches that are searched for and matches that are taken. Costs are sums of squared differences about
/// their mean.
private struct WideSearchLimits {
  /// The least standard deviation of a patch, in grey levels.
  static let deviation: Float = 2
  /// A match at hand leaves at least this share of the patch's variance unexplained.
  static let unexplained: Float = 0.3
  /// A new match costs at most this share of the one at hand, and of the patch's variance: a patch that has left the
  /// image has no match, and the best of many bad ones is not one.
  static let improvement: Float = 0.3
}

/// Compares each patch of a row that its present shift does not explain with all whole shifts around that shift.
///
/// - Parameters:
///   - previous: The top row of the patches in the first image, which has the stride of the second one.
///   - current: The second image.
///   - radius: How far the window reaches from the present shift, in pixels.
///   - shifts: Replaced where a match is much better.
/// - Contract: images have margins of 16 pixels; all patches lie in the image or overhang it by less than 8.
public func searchWideRow(
  previous: UnsafePointer<Float>, current: ImageRows, patches: PatchRowLayout, radius: Int, shifts: PatchShiftRow
) {
  let (right, bottom) = (current.width &- patchSide, current.height &- patchSide)
  var k = 0
  while k < patches.count {
    let x = k &* patches.step
    let variance = squaredDeviation(previous + x, current.stride)
    let present = shifts.cost[k]
    let isTextured = variance > 64 * WideSearchLimits.deviation * WideSearchLimits.deviation
    if isTextured && present > WideSearchLimits.unexplained * variance {
      let (centerX, centerY) = (x &+ Int(shifts.u[k].rounded()), patches.y &+ Int(shifts.v[k].rounded()))
      let columns = (max(centerX &- radius, 0), min(centerX &+ radius, right))
      let rows = (max(centerY &- radius, 0), min(centerY &+ radius, bottom))
      let limit = WideSearchLimits.improvement * min(present, variance)
      let found = nearestInWindow(previous + x, current, columns, rows, limit: limit)
      if found.cost < limit {
        shifts.u[k] = Float(found.x &- x)
        shifts.v[k] = Float(found.y &- patches.y)
        shifts.cost[k] = found.cost
      }
    }
    k &+= 1
  }
}

@inline(never)
private func squaredDeviation(_ patch: UnsafePointer<Float>, _ stride: Int) -> Float {
  var plain = SIMD8<Float>.zero
  var squares = SIMD8<Float>.zero
  var r = 0
  while r < patchSide {
    let row = UnsafeRawPointer(patch + r &* stride).loadUnaligned(as: SIMD8<Float>.self)
    plain += row
    squares += row * row
    r &+= 1
  }
  let sum = total(plain)
  return total(squares) - sum * sum * (1.0 / 64)
}

@inline(__always)
private func total(_ eight: SIMD8<Float>) -> Float {
  let four = eight.lowHalf + eight.highHalf
  let two = four.lowHalf + four.highHalf
  return two.x + two.y
}

/// The position in a window at which the second image looks most like the patch; of equals the first in reading order
/// of a lane, then of the lowest lane. Its cost is not below `limit` when no position's is.
@inline(never)
private func nearestInWindow(
  _ patch: UnsafePointer<Float>, _ current: ImageRows, _ columns: (Int, Int), _ rows: (Int, Int), limit: Float
) -> (cost: Float, x: Int, y: Int) {
  let stride = current.stride
  let share = Lanes(repeating: 1.0 / 64)
  let firstShare = Lanes(repeating: 1.0 / Float(firstRows &* patchSide))
  let rounding = Lanes(repeating: 1e-4)
  let lane = Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  var best = Lanes(repeating: limit)
  var bestX = Lanes.zero
  var bestY = Lanes.zero
  var ty = rows.0
  while ty <= rows.1 {
    var tx = columns.0
    while tx <= columns.1 {
      let target = current.base + (ty &* stride &+ tx)
      var plain = Lanes.zero
      var squares = Lanes.zero
      addRows(0, firstRows, of: patch, target, stride, &plain, &squares)
      // A sum of squares about the mean only grows.
      let firstCost = squares - plain * plain * firstShare
      guard any(firstCost - squares * rounding .< best) else {
        tx &+= laneCount
        continue
      }
      addRows(firstRows, patchSide, of: patch, target, stride, &plain, &squares)
      let cost = squares - plain * plain * share
      let x = lane + Lanes(repeating: Float(tx))
      let isBetter = (cost .< best) .& (x .<= Lanes(repeating: Float(columns.1)))
      best.replace(with: cost, where: isBetter)
      bestX.replace(with: x, where: isBetter)
      bestY.replace(with: Lanes(repeating: Float(ty)), where: isBetter)
      tx &+= laneCount
    }
    ty &+= 1
  }
  var minimum = (cost: limit, x: 0, y: 0)
  var i = 0
  while i < laneCount {
    if best[i] < minimum.cost { minimum = (best[i], Int(bestX[i]), Int(bestY[i])) }
    i &+= 1
  }
  return minimum
}

/// The number of rows of a patch that are compared first, to leave out the rest where they differ by too much.
private var firstRows: Int { 4 }

/// Adds the differences of some rows of a patch from as many lanes of positions in the second image.
@inline(__always)
private func addRows(
  _ start: Int, _ end: Int, of patch: UnsafePointer<Float>, _ target: UnsafePointer<Float>, _ stride: Int,
  _ plain: inout Lanes, _ squares: inout Lanes
) {
  var r = start
  while r < end {
    var c = 0
    while c < patchSide {
      let difference = load(target, r &* stride &+ c) - Lanes(repeating: patch[r &* stride &+ c])
      plain += difference
      squares += difference * difference
      c &+= 1
    }
    r &+= 1
  }
}
