// The median of 5×5 samples.

/// The median of the 25 samples around each sample of a row.
///
/// Once each column of the 5×5 square is sorted and then each row, the matrix is sorted both ways: the element in row
/// a and column b (1…5) has a·b − 1 elements not above it and (6 − a)(6 − b) − 1 not below it. Those with a·b > 13 or
/// (6 − a)(6 − b) > 13 cannot be the median; six low and six high ones fall away, and the median of the other 13 is
/// that of all. It is found by taking the extremes away, pair by pair.
/// - Parameter rows: Five rows, from above to below, each pointing to its first sample.
/// - Contract: two samples left and right of each row and 63 bytes past them may be read; no NaN.
public func medianRow(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  let (r0, r1, r2, r3, r4) = (rows[0], rows[1], rows[2], rows[3], rows[4])
  var i = 0
  while i < count {
    let c0 = SortedColumn(r0, r1, r2, r3, r4, i &- 2)
    let c1 = SortedColumn(r0, r1, r2, r3, r4, i &- 1)
    let c2 = SortedColumn(r0, r1, r2, r3, r4, i)
    let c3 = SortedColumn(r0, r1, r2, r3, r4, i &+ 1)
    let c4 = SortedColumn(r0, r1, r2, r3, r4, i &+ 2)
    let s0 = SortedColumn(c0.a, c1.a, c2.a, c3.a, c4.a)
    let s1 = SortedColumn(c0.b, c1.b, c2.b, c3.b, c4.b)
    let s2 = SortedColumn(c0.c, c1.c, c2.c, c3.c, c4.c)
    let s3 = SortedColumn(c0.d, c1.d, c2.d, c3.d, c4.d)
    let s4 = SortedColumn(c0.e, c1.e, c2.e, c3.e, c4.e)
    store(
      medianOf13(s0.d, s0.e, s1.c, s1.d, s1.e, s2.b, s2.c, s2.d, s3.a, s3.b, s3.c, s4.a, s4.b), output, i, count)
    i &+= laneCount
  }
}

/// Puts two vectors in order, lane by lane.
@inline(__always)
private func order(_ a: inout Lanes, _ b: inout Lanes) {
  let low = lesser(a, b)
  b = greater(a, b)
  a = low
}

private struct SortedColumn {
  var a: Lanes, b: Lanes, c: Lanes, d: Lanes, e: Lanes

  @inline(__always)
  init(
    _ r0: UnsafePointer<Float>, _ r1: UnsafePointer<Float>, _ r2: UnsafePointer<Float>, _ r3: UnsafePointer<Float>,
    _ r4: UnsafePointer<Float>, _ i: Int
  ) {
    self.init(load(r0, i), load(r1, i), load(r2, i), load(r3, i), load(r4, i))
  }

  @inline(__always)
  init(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ e: Lanes) {
    (self.a, self.b, self.c, self.d, self.e) = (a, b, c, d, e)
    order(&self.a, &self.b)
    order(&self.d, &self.e)
    order(&self.c, &self.e)
    order(&self.c, &self.d)
    order(&self.a, &self.d)
    order(&self.a, &self.c)
    order(&self.b, &self.e)
    order(&self.b, &self.d)
    order(&self.b, &self.c)
  }
}

/// Of thirteen, eight always hold their median; their extremes cannot be it, and make room for the next.
@inline(__always)
private func medianOf13(
  _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ e: Lanes, _ f: Lanes, _ g: Lanes, _ h: Lanes, _ i: Lanes,
  _ j: Lanes, _ k: Lanes, _ l: Lanes, _ m: Lanes
) -> Lanes {
  var (a, b, c, d, e, f, g, h) = (a, b, c, d, e, f, g, h)
  // 8: the smallest to a, the largest to h.
  order(&a, &b); order(&c, &d); order(&e, &f); order(&g, &h)
  order(&a, &c); order(&e, &g); order(&a, &e)
  order(&b, &d); order(&f, &h); order(&d, &h)
  a = i  // 7: a b c d e f g
  order(&a, &b); order(&c, &d); order(&e, &f)
  order(&a, &c); order(&a, &e); order(&a, &g)
  order(&b, &d); order(&d, &f); order(&f, &g)
  a = j  // 6: a b c d e f
  order(&a, &b); order(&c, &d); order(&e, &f)
  order(&a, &c); order(&a, &e)
  order(&b, &d); order(&d, &f)
  a = k  // 5: a b c d e
  order(&a, &b); order(&c, &d)
  order(&a, &c); order(&a, &e)
  order(&b, &d); order(&d, &e)
  a = l  // 4: a b c d
  order(&a, &b); order(&c, &d)
  order(&a, &c); order(&b, &d)
  a = m  // 3: a b c
  order(&a, &b); order(&b, &c)
  return greater(a, b)
}
