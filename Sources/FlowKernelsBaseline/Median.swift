// The median of 5×5 samples, in two steps.
//
// Once each column of a 5×5 square is sorted and then each row, the matrix is sorted both ways: the element in row a
// and column b (1…5) has a·b − 1 elements not above it and (6 − a)(6 − b) − 1 not below it. Those with a·b > 13 or
// (6 − a)(6 − b) > 13 cannot be the median; six low and six high ones fall away, and the median of the other 13 is that
// of all. It is found by taking the extremes away, pair by pair. A column sorted once serves five squares.

/// Sorts each column of five samples.
///
/// - Parameters:
///   - rows: Five rows.
///   - output: The smallest samples; the next larger ones each lie `outputStride` floats further.
/// - Contract: rows may be read and outputs written up to 63 bytes past `count`; no NaN.
public func sortColumns(
  _ rows: UnsafePointer<UnsafePointer<Float>>, _ output: UnsafeMutablePointer<Float>, outputStride: Int, count: Int
) {
  let (r0, r1, r2, r3, r4) = (rows[0], rows[1], rows[2], rows[3], rows[4])
  var i = 0
  while i < count {
    var five = Five(load(r0, i), load(r1, i), load(r2, i), load(r3, i), load(r4, i))
    five.sort()
    storeWhole(five.a, output, i)
    storeWhole(five.b, output + outputStride, i)
    storeWhole(five.c, output + 2 &* outputStride, i)
    storeWhole(five.d, output + 3 &* outputStride, i)
    storeWhole(five.e, output + 4 &* outputStride, i)
    i &+= laneCount
  }
}

/// The medians of the squares around each sample, from sorted columns.
///
/// - Parameter columns: The output of `sortColumns`, pointing to the first sample; two columns more on either side.
public func medianRow(
  _ columns: UnsafePointer<Float>, columnStride: Int, _ output: UnsafeMutablePointer<Float>, count: Int
) {
  var i = 0
  while i < count {
    var s0 = Five(columns, i)
    s0.sort()
    var s1 = Five(columns + columnStride, i)
    s1.sort()
    var s2 = Five(columns + 2 &* columnStride, i)
    s2.sort()
    var s3 = Five(columns + 3 &* columnStride, i)
    s3.sort()
    var s4 = Five(columns + 4 &* columnStride, i)
    s4.sort()
    let first = SixOf8(s0.d, s0.e, s1.c, s1.d, s1.e, s2.b, s2.c, s2.d)
    let second = FiveOf7(first, s3.a)
    let third = FourOf6(second, s3.b)
    store(third.median(s3.c, s4.a, s4.b), output, i, count)
    i &+= laneCount
  }
}

private struct Five {
  var a: Lanes
  var b: Lanes
  var c: Lanes
  var d: Lanes
  var e: Lanes

  @_transparent
  init(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ e: Lanes) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
  }

  /// The samples −2 … 2 around `i`.
  @_transparent
  init(_ row: UnsafePointer<Float>, _ i: Int) {
    self.init(load(row, i &- 2), load(row, i &- 1), load(row, i), load(row, i &+ 1), load(row, i &+ 2))
  }

  @_transparent
  mutating func sort() {
    order(&a, &b)
    order(&d, &e)
    order(&c, &e)
    order(&c, &d)
    order(&a, &d)
    order(&a, &c)
    order(&b, &e)
    order(&b, &d)
    order(&b, &c)
  }
}

/// The six of eight samples that may be the median of all thirteen: the smallest and the largest of eight cannot be it.
private struct SixOf8 {
  let b: Lanes
  let c: Lanes
  let d: Lanes
  let e: Lanes
  let f: Lanes
  let g: Lanes

  @_transparent
  init(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ e: Lanes, _ f: Lanes, _ g: Lanes, _ h: Lanes) {
    var (a, b, c, d, e, f, g, h) = (a, b, c, d, e, f, g, h)
    order(&a, &b)
    order(&c, &d)
    order(&e, &f)
    order(&g, &h)
    order(&a, &c)
    order(&e, &g)
    order(&a, &e)
    order(&b, &d)
    order(&f, &h)
    order(&d, &h)
    (self.b, self.c, self.d, self.e, self.f, self.g) = (b, c, d, e, f, g)
  }
}

/// The five of seven samples, ``SixOf8`` and the next one, that may be the median: without the smallest and the
/// largest.
private struct FiveOf7 {
  let b: Lanes
  let c: Lanes
  let d: Lanes
  let e: Lanes
  let f: Lanes

  @_transparent
  init(_ six: SixOf8, _ next: Lanes) {
    var (a, b, c, d, e, f, g) = (next, six.b, six.c, six.d, six.e, six.f, six.g)
    order(&a, &b)
    order(&c, &d)
    order(&e, &f)
    order(&a, &c)
    order(&a, &e)
    order(&a, &g)
    order(&b, &d)
    order(&d, &f)
    order(&f, &g)
    (self.b, self.c, self.d, self.e, self.f) = (b, c, d, e, f)
  }
}

/// The four of six samples, ``FiveOf7`` and the next one, that may be the median: without the smallest and the largest.
private struct FourOf6 {
  let b: Lanes
  let c: Lanes
  let d: Lanes
  let e: Lanes

  @_transparent
  init(_ five: FiveOf7, _ next: Lanes) {
    var (a, b, c, d, e, f) = (next, five.b, five.c, five.d, five.e, five.f)
    order(&a, &b)
    order(&c, &d)
    order(&e, &f)
    order(&a, &c)
    order(&a, &e)
    order(&b, &d)
    order(&d, &f)
    (self.b, self.c, self.d, self.e) = (b, c, d, e)
  }

  /// The median of these four and the last three samples.
  @_transparent
  func median(_ first: Lanes, _ second: Lanes, _ third: Lanes) -> Lanes {
    var (a, b, c, d, e) = (first, b, c, d, e)
    order(&a, &b)
    order(&c, &d)
    order(&a, &c)
    order(&a, &e)
    order(&b, &d)
    order(&d, &e)
    a = second
    order(&a, &b)
    order(&c, &d)
    order(&a, &c)
    order(&b, &d)
    return greater(lesser(third, b), lesser(greater(third, b), c))
  }
}
