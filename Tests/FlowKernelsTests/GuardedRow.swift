/// A row as kernels get it: `count` samples, then 16 that may be read but not written, which hold a sign.
final class GuardedRow {
  static let guardCount = 16
  static let sign = Float(bitPattern: 0x7FC0_DEAD)
  let base: UnsafeMutablePointer<Float>
  let count: Int

  init(_ values: [Float]) {
    count = values.count
    base = .allocate(capacity: count + Self.guardCount)
    for (index, value) in values.enumerated() { base[index] = value }
    (base + count).initialize(repeating: Self.sign, count: Self.guardCount)
  }

  convenience init(count: Int) { self.init([Float](repeating: -77, count: count)) }

  deinit { base.deallocate() }

  var values: [Float] { (0..<count).map { base[$0] } }
  /// The samples as bit patterns; all NaNs count as one, since the standard leaves their payload open.
  var bits: [UInt32] { values.map(comparableBits) }
  var isGuardUntouched: Bool {
    (count..<count + Self.guardCount).allSatisfy { base[$0].bitPattern == Self.sign.bitPattern }
  }
}

func comparableBits(_ value: Float) -> UInt32 { value.isNaN ? Float.nan.bitPattern : value.bitPattern }

/// Several guarded rows at a fixed distance.
struct GuardedBands {
  private let row: GuardedRow
  private let width: Int
  private let count: Int
  var stride: Int { width + GuardedRow.guardCount }
  var base: UnsafeMutablePointer<Float> { row.base }

  init(count: Int, width: Int) {
    self.count = count
    self.width = width
    let band = [Float](repeating: -77, count: width) + [Float](repeating: GuardedRow.sign, count: GuardedRow.guardCount)
    row = GuardedRow((0..<count).flatMap { _ in band })
  }

  func bits(_ band: Int) -> [UInt32] { (0..<width).map { comparableBits(base[band * stride + $0]) } }

  var areGuardsUntouched: Bool {
    (0..<count).allSatisfy { band in
      (width..<stride).allSatisfy { base[band * stride + $0].bitPattern == GuardedRow.sign.bitPattern }
    } && row.isGuardUntouched
  }
}
