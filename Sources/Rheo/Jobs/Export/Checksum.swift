/// A check sum of 64 bits that tells whole files from damaged ones; no protection against intent.
///
/// Four states take turns at words of eight bytes (little endian; the last one filled up with zeros): xor, a turn by 29
/// bits, a multiplication by an odd number. Every step is one-to-one, so that a single wrong word never goes unnoticed.
/// The states and the number of bytes are then folded the same way. Eight bytes a cycle or so: reading costs more.
struct Checksum: Hashable {
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private(set) var value: UInt64

  init(_ bytes: UnsafeRawBufferPointer) {
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    let whole = bytes.count / 32 * 32
    var offset = 0
    while offset < whole {
      a = Self.step(a, word(offset))
      b = Self.step(b, word(offset + 8))
      c = Self.step(c, word(offset + 16))
      d = Self.step(d, word(offset + 24))
      offset += 32
    }
    var tail: [UInt64] = [0, 0, 0, 0]
    for position in 0..<bytes.count - whole {
      tail[position / 8] |= UInt64(bytes[whole + position]) << UInt64(8 * (position % 8))
    }
    value = UInt64(bytes.count)
    for (state, word) in zip([a, b, c, d], tail) { value = Self.step(value, Self.step(state, word)) }
  }

  /// The check sum as sixteen hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  @inline(__always)
  private static func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = state ^ word
    return (mixed << 29 | mixed >> 35) &* factor
  }
}
