import Foundation
import TestSupport

/// Ways to damage the bytes of a file, half of them where headers are.
enum ByteDamage {
  private static let words: [UInt64] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x3FFF_FFFF, 0x4000_0000, 0x7FFF_FFFF, 0x8000_0000,
    0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF,
  ]
  /// The headers of most samples lie in the first bytes.
  private static let headerLength = 1500

  static func damage(_ file: inout Data, _ random: inout FixedRandom) {
    for _ in 0..<Int.random(in: 1...6, using: &random) { damageOnce(&file, &random) }
  }

  private static func damageOnce(_ file: inout Data, _ random: inout FixedRandom) {
    guard file.count > 16 else { return }
    let isInHeader = Bool.random(using: &random)
    let position = Int.random(in: 0..<(isInHeader ? min(headerLength, file.count) : file.count), using: &random)
    func range(_ longest: Int, _ random: inout FixedRandom) -> Range<Int> {
      position..<min(position + Int.random(in: 1...longest, using: &random), file.count)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: file[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: file[position] = UInt8.random(in: 0...255, using: &random)
    case 3, 4, 5: overwrite(&file, position, &random)
    case 6: file.removeSubrange(range(64, &random))
    case 7: file.insert(contentsOf: file[range(64, &random)], at: position)
    case 8: file.removeLast(file.count - position)
    case 9:
      let source = file[range(400, &random)]
      let target = Int.random(in: 0..<file.count, using: &random)
      file.replaceSubrange(target..<min(target + source.count, file.count), with: Data(source))
    case 10: for index in range(32, &random) { file[index] = UInt8.random(in: 0...255, using: &random) }
    default: for index in range(300, &random) { file[index] = 0 }
    }
  }

  private static func overwrite(_ file: inout Data, _ position: Int, _ random: inout FixedRandom) {
    let value = words.randomElement(using: &random) ?? 0
    let width = [1, 2, 4, 4, 8].randomElement(using: &random) ?? 4
    let isBig = Bool.random(using: &random)
    for index in 0..<width where position + index < file.count {
      let shift = 8 * (isBig ? width - 1 - index : index)
      file[position + index] = UInt8(truncatingIfNeeded: value >> UInt64(shift))
    }
  }
}
