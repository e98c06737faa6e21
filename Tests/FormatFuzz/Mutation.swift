import Foundation
import TestSupport

/// Ways to damage a file, most of them where headers are.
enum Mutation {
  private static let words: [UInt32] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0x3FFF_FFFF, 0x4000_0000, 0x7FFF_FFFF, 0x8000_0000,
    0xFFFF_FFFF, 0x7F80_0000, 0x7FC0_0000, 0x501502F9,
  ]
  private static let texts = [
    "0", "-1", "2147483647", "2147483648", "4294967296", "9223372036854775807",
    "99999999999999999999", "True", "nan", "1e9", " ", ",", "(", "'", "\n", "\0",
  ]
  /// Where the headers of all formats are.
  private static let headerLength = 140

  static func damage(_ file: inout Data, _ random: inout FixedRandom) {
    for _ in 0..<Int.random(in: 1...3, using: &random) { damageOnce(&file, &random) }
  }

  private static func damageOnce(_ file: inout Data, _ random: inout FixedRandom) {
    guard !file.isEmpty else { return }
    let inHeader = Int.random(in: 0..<10, using: &random) < 7
    let position = Int.random(in: 0..<(inHeader ? min(headerLength, file.count) : file.count), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: file[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: file[position] = UInt8.random(in: 0...255, using: &random)
    case 3, 4: overwrite(&file, position, with: word(&random))
    case 5: overwrite(&file, position, with: Data((texts.randomElement(using: &random) ?? "0").utf8))
    case 6: file.insert(contentsOf: Data((texts.randomElement(using: &random) ?? "0").utf8), at: position)
    case 7: file.removeSubrange(position..<min(position + Int.random(in: 1...16, using: &random), file.count))
    case 8: file.removeLast(min(Int.random(in: 1...64, using: &random), file.count))
    default: file.append(contentsOf: (0..<Int.random(in: 1...64, using: &random)).map { UInt8($0) })
    }
  }

  private static func word(_ random: inout FixedRandom) -> Data {
    let value = words.randomElement(using: &random) ?? 0
    let word = Bool.random(using: &random) ? value.bigEndian : value.littleEndian
    return withUnsafeBytes(of: word) { Data($0) }
  }

  private static func overwrite(_ file: inout Data, _ position: Int, with bytes: Data) {
    let count = min(bytes.count, file.count - position)
    file.replaceSubrange(position..<position + count, with: bytes.prefix(count))
  }
}
