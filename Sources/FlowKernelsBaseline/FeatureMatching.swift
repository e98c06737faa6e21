// Kernels that compare descriptors by brute force, and judge maps by the matches they explain.

/// Elements of a descriptor.
public let descriptorLength = 128

/// Descriptors that are compared with a list in one call.
public let comparedDescriptorCount = 16

/// Dot products of 16 descriptors with all of a list: a block of the list serves all of them while it is in the cache.
///
/// - Parameters:
///   - queries: 16 descriptors, one after another.
///   - list: Blocks of 16 descriptors, interleaved: element d of descriptor l stands at d·16 + l.
///   - scores: 16 rows of blockCount·16 products.
public func compareDescriptors(
  _ queries: UnsafePointer<Float>, _ list: UnsafePointer<Float>, blockCount: Int, _ scores: UnsafeMutablePointer<Float>
) {
  let rowLength = blockCount &* laneCount
  var block = 0
  while block < blockCount {
    let members = list + block &* descriptorLength &* laneCount
    var first = 0
    while first < comparedDescriptorCount {
      let position = first &* rowLength &+ block &* laneCount
      compareFour(queries + first &* descriptorLength, members, scores + position, rowLength)
      first &+= 4
    }
    block &+= 1
  }
}

/// Dot products of four descriptors with the 16 of a block.
@inline(__always)
private func compareFour(
  _ queries: UnsafePointer<Float>, _ members: UnsafePointer<Float>, _ scores: UnsafeMutablePointer<Float>,
  _ rowLength: Int
) {
  var (a, b, c, d) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
  var k = 0
  while k < descriptorLength {
    let member = load(members, k &* laneCount)
    a += Lanes(repeating: queries[k]) * member
    b += Lanes(repeating: queries[k &+ descriptorLength]) * member
    c += Lanes(repeating: queries[k &+ 2 &* descriptorLength]) * member
    d += Lanes(repeating: queries[k &+ 3 &* descriptorLength]) * member
    k &+= 1
  }
  storeWhole(a, scores, 0)
  storeWhole(b, scores, rowLength)
  storeWhole(c, scores, 2 &* rowLength)
  storeWhole(d, scores, 3 &* rowLength)
}

/// Raises `best[i]` to `scores[i]` where that is larger, and notes `query` there.
public func raiseBest(
  _ scores: UnsafePointer<Float>, query: Int32, _ best: UnsafeMutablePointer<Float>,
  _ bestQuery: UnsafeMutablePointer<Int32>, count: Int
) {
  let number = SIMD16<Int32>(repeating: query)
  var i = 0
  while i < count {
    let (score, present) = (load(scores, i), load(best, i))
    let mask = score .> present
    storeWhole(present.replacing(with: score, where: mask), best, i)
    let position = UnsafeMutableRawPointer(bestQuery + i)
    let old = position.loadUnaligned(as: SIMD16<Int32>.self)
    position.storeBytes(of: old.replacing(with: number, where: mask), as: SIMD16<Int32>.self)
    i &+= laneCount
  }
}

/// Returns the index of the largest score, the first of several. `count` is a multiple of 16.
public func indexOfBest(_ scores: UnsafePointer<Float>, count: Int) -> Int {
  var best = Lanes(repeating: -Float.infinity)
  var i = 0
  while i < count {
    best = greater(load(scores, i), best)
    i &+= laneCount
  }
  let top = maximumLane(best)
  i = 0
  while i &+ laneCount < count && !isAny(load(scores, i) .>= Lanes(repeating: top)) { i &+= laneCount }
  while i < count &- 1 && scores[i] < top { i &+= 1 }
  return i
}

/// Returns the largest score among the positions farther than `radius` from `center`; −∞ where there is none.
public func bestElsewhere(
  _ scores: UnsafePointer<Float>, _ xs: UnsafePointer<Float>, _ ys: UnsafePointer<Float>, center: SIMD2<Float>,
  radius: Float, count: Int
) -> Float {
  let none = Lanes(repeating: -Float.infinity)
  let limit = Lanes(repeating: radius * radius)
  var best = none
  var i = 0
  while i < count {
    let dx = load(xs, i) - Lanes(repeating: center.x)
    let dy = load(ys, i) - Lanes(repeating: center.y)
    let score = load(scores, i).replacing(with: none, where: dx * dx + dy * dy .<= limit)
    best = greater(score, best)
    i &+= laneCount
  }
  return maximumLane(best)
}

@inline(__always)
private func maximumLane(_ x: Lanes) -> Float {
  var largest = -Float.infinity
  withUnsafeBytes(of: x) { bytes in
    var lane = 0
    while lane < laneCount {
      let value = bytes.loadUnaligned(fromByteOffset: lane &* 4, as: Float.self)
      if value > largest { largest = value }
      lane &+= 1
    }
  }
  return largest
}

/// Returns the score of a map that explains matches: Σ wᵢ · max(0, 1 − (forward² + backward²) / limit²), the truncated
/// quadratic of MSAC.
///
/// - Parameters:
///   - maps: The map from floating to reference, row by row, then its inverse.
///   - matches: Rows of `count` floats: reference x, y, floating x, y, weight. `count` is a multiple of 16; elements
///     that hold no match have weight 0.
public func explainedMatches(
  _ maps: UnsafePointer<Float>, _ matches: UnsafePointer<Float>, count: Int, inverseSquareLimit: Float
) -> Float {
  let scale = Lanes(repeating: inverseSquareLimit)
  var total = Lanes.zero
  var i = 0
  while i < count {
    let (ax, ay) = (load(matches, i), load(matches, count &+ i))
    let (bx, by) = (load(matches, 2 &* count &+ i), load(matches, 3 &* count &+ i))
    let square = transferError(maps, bx, by, ax, ay) + transferError(maps + 9, ax, ay, bx, by)
    let gain = greater(Lanes(repeating: 1) - square * scale, Lanes.zero)
    total += gain * load(matches, 4 &* count &+ i)
    i &+= laneCount
  }
  return laneSum(total)
}

/// The squared distance from where a map puts (x, y) to (u, v); huge where the map puts it beyond the horizon.
@inline(__always)
private func transferError(_ map: UnsafePointer<Float>, _ x: Lanes, _ y: Lanes, _ u: Lanes, _ v: Lanes) -> Lanes {
  let px = Lanes(repeating: map[0]) * x + Lanes(repeating: map[1]) * y + Lanes(repeating: map[2])
  let py = Lanes(repeating: map[3]) * x + Lanes(repeating: map[4]) * y + Lanes(repeating: map[5])
  let pw = Lanes(repeating: map[6]) * x + Lanes(repeating: map[7]) * y + Lanes(repeating: map[8])
  let inverse = Lanes(repeating: 1) / greater(pw, Lanes(repeating: 1e-6))
  let (dx, dy) = (px * inverse - u, py * inverse - v)
  return dx * dx + dy * dy
}
