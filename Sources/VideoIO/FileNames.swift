// File names as the system has them: bytes, which need not be text.

import Foundation

/// The names in folders, and names that are no text.
package enum FileNames {
  /// The names in a folder.
  package struct Listing: Sendable {
    /// The names that are UTF-8, in no order.
    package var names: [String] = []
    /// The names that are not UTF-8, byte by byte.
    package var others: [[UInt8]] = []

    /// A Boolean value that tells whether the folder holds nothing.
    package var isEmpty: Bool { names.isEmpty && others.isEmpty }
  }

  /// The reason why a name is refused, and the way out.
  package static let refusal = "the name is not UTF-8; rename the file, or make a symbolic link to it and use that"

  /// Returns the text of a name; nil when it is not UTF-8.
  package static func text(_ bytes: some Sequence<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }

  /// Returns a name for messages, in which each byte that is no part of a character in UTF-8 is `\xE9`.
  package static func escaped(_ bytes: [UInt8]) -> String {
    var result = ""
    var rest = bytes[...]
    while let byte = rest.first {
      // A character has 1 to 4 bytes.
      let character = (1...4).lazy.compactMap { count in
        rest.count < count ? nil : text(rest.prefix(count)).flatMap { $0.unicodeScalars.count == 1 ? ($0, count) : nil }
      }.first
      result += character?.0 ?? "\\x" + String(UInt16(byte) + 0x100, radix: 16, uppercase: true).dropFirst()
      rest = rest.dropFirst(character?.1 ?? 1)
    }
    return result
  }

  /// Lists a folder, without `.` and `..`.
  /// - Throws: ``MediaError`` `cannotOpen`.
  package static func list(_ folder: String) throws -> Listing {
    func fail() -> MediaError {
      MediaError(.cannotOpen, "the folder cannot be read: \(String(cString: strerror(errno)))", file: folder)
    }
    guard let entries = opendir(folder) else { throw fail() }
    defer { closedir(entries) }
    var listing = Listing()
    errno = 0
    while let entry = readdir(entries) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      errno = 0
      if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
      if let name = text(bytes) { listing.names.append(name) } else { listing.others.append(bytes) }
    }
    guard errno == 0 else { throw fail() }
    return listing
  }

  /// Moves a file, whatever its name, from one folder to another.
  /// - Returns: False when that fails; then `errno` says why.
  package static func move(_ name: [UInt8], from folder: String, to other: String) -> Bool {
    func path(_ folder: String) -> [CChar] { (Array((folder + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) } }
    return rename(path(folder), path(other)) == 0
  }
}
