import Foundation
import TestSupport

/// Other durations, units and counts in the headers of containers, which damage at random seldom finds.
enum HeaderDamage {
  /// A number in a file.
  private struct Field {
    var position: Int
    var width: Int
    var isFloat = false
    var isLittleEndian = false
  }

  /// Elements of Matroska, behind whose identity a byte tells their length: the duration of the file, the unit, default
  /// and own durations, times of clusters, delays.
  private static let elements: [[UInt8]] = [
    [0x44, 0x89], [0x2A, 0xD7, 0xB1], [0x23, 0xE3, 0x83], [0x9B], [0xE7], [0x75, 0xA2], [0x56, 0xAA], [0x56, 0xBB],
  ]
  /// The element that is a floating-point number.
  private static let lengthElement: [UInt8] = [0x44, 0x89]
  /// Boxes of MP4 and chunks of AVI, with the offsets of 32-bit numbers behind their names.
  private static let boxes: [(name: String, offsets: [Int], isLittleEndian: Bool)] = [
    ("mvhd", [12, 16], false), ("tkhd", [20], false), ("mdhd", [12, 16], false), ("mehd", [4], false),
    ("trex", [12], false), ("elst", [4, 8, 12], false), ("stts", [4, 8, 12], false), ("ctts", [4, 8, 12], false),
    ("avih", [4, 20], true), ("strh", [24, 28, 32, 36], true),
  ]
  /// Names of FLV's facts, behind which a byte and a floating-point number stand.
  private static let facts = ["duration", "framerate"]
  /// The number of times that a name is looked for: in compressed data the short ones come by chance.
  private static let maximumHits = 8

  private static let words: [UInt64] = [
    0, 1, 2, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 53, 1 << 60, 1 << 62, 1 << 63 - 1, 1 << 63, .max,
  ]
  private static let floats = [0, .leastNonzeroMagnitude, 1e9, 1e17, 9e18, 9.3e18, 1e20, 1e300, -1, .infinity, .nan]

  /// Overwrites one to three of the numbers; files of other containers stay as they are.
  static func damage(_ file: inout Data, _ random: inout FixedRandom) {
    let fields = fields(of: [UInt8](file))
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let field = fields.randomElement(using: &random) else { return }
      let float = floats.randomElement(using: &random) ?? 0
      let word = words.randomElement(using: &random) ?? 0
      let bits = !field.isFloat ? word : field.width == 4 ? UInt64(Float(float).bitPattern) : float.bitPattern
      for index in 0..<field.width {
        let shift = 8 * (field.isLittleEndian ? index : field.width - 1 - index)
        file[field.position + index] = UInt8(truncatingIfNeeded: bits >> UInt64(shift))
      }
    }
  }

  private static func fields(of bytes: [UInt8]) -> [Field] {
    var fields: [Field] = []
    for element in elements {
      for end in ends(of: element, in: bytes) {
        guard end < bytes.count, (0x81...0x88).contains(bytes[end]) else { continue }
        fields.append(
          Field(position: end + 1, width: Int(bytes[end] & 0x0F), isFloat: element == lengthElement))
      }
    }
    for (name, offsets, isLittleEndian) in boxes {
      for end in ends(of: Array(name.utf8), in: bytes) {
        fields += offsets.map { Field(position: end + $0, width: 4, isLittleEndian: isLittleEndian) }
      }
    }
    for fact in facts {
      for end in ends(of: Array(fact.utf8), in: bytes) {
        fields.append(Field(position: end + 1, width: 8, isFloat: true))
      }
    }
    return fields.filter { $0.position + $0.width <= bytes.count }
  }

  /// Returns the positions behind the first occurrences of a name.
  private static func ends(of name: [UInt8], in bytes: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var index = 0
    while index + name.count <= bytes.count, ends.count < maximumHits {
      if bytes[index] == name[0], bytes[index..<index + name.count].elementsEqual(name) {
        ends.append(index + name.count)
      }
      index += 1
    }
    return ends
  }
}
