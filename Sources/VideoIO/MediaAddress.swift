/// The address of an input, which prints itself without passwords and tokens: `rtsp://***@host/live?token=***`.
///
/// Whoever prints, logs or stores the name of an input does it through this type. Only ``full`` opens the input.
public struct MediaAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address as it was given, with all that is secret in it.
  public let full: String

  /// Creates an address.
  /// - Parameter text: A file, `-` for standard input, or a URL that FFmpeg knows.
  public init(_ text: String) { full = text }

  /// The address with `***` in place of the user and the password before the host, and of the values of parameters
  /// whose names speak of a secret. Names of files, which have no `://`, stay as they are.
  public var description: String { Self.masking(full[...]) }

  private static let mask = "***"
  /// Parts of the names of secret parameters, in small letters: `access_token`, `X-Amz-Signature`, `apikey` …
  private static let secretParts = ["token", "pass", "pwd", "secret", "key", "auth", "sig", "credential", "session"]
  /// Names of secret parameters that are too short to be looked for within others.
  private static let secretNames: Set<String> = [
    "pw", "p", "pin", "sid", "otp", "jwt", "code", "hash", "st", "policy", "streamid",
  ]
  /// The characters between parameters in a path, where some cameras take them. After the first ? only & separates:
  /// values may hold all others.
  private static let pathSeparators: Set<Character> = ["?", "&", ";", "#", "/", "|"]

  /// Returns a text, such as a line of FFmpeg's log, in which each address is masked. An address ends at white space
  /// and at what quotes it.
  public static func masking(in text: String) -> String {
    guard text.contains("://") else { return text }
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      let word = rest.prefix { !isEnd($0) }
      result += masking(word)
      rest = rest[word.endIndex...]
      let gap = rest.prefix(while: isEnd)
      result += gap
      rest = rest[gap.endIndex...]
    }
    return result
  }

  private static func isEnd(_ character: Character) -> Bool { character.isWhitespace || "\"<>`".contains(character) }

  /// Returns a word with all addresses in it masked: some hold another one, as `cache:http://…` and `?url=http://…`.
  private static func masking(_ word: Substring) -> String {
    guard let mark = word.firstRange(of: "://") else { return String(word) }
    let head = word[..<mark.upperBound]
    let authority = word[mark.upperBound...].prefix { !"/?#".contains($0) }
    var rest = word[mark.upperBound...]
    var user = ""
    // A password with an unescaped / ? or # ends the host for FFmpeg, which refuses the address: it must not show for
    // that.
    if let at = authority.contains(where: { "@:".contains($0) }) ? lastAt(in: rest) : nil {
      user = mask + "@"
      rest = rest[word.index(after: at)...]
    }
    return head + user + parameters(rest)
  }

  /// The last @ before a further address.
  private static func lastAt(in text: Substring) -> Substring.Index? {
    text[..<(text.firstRange(of: "://")?.lowerBound ?? text.endIndex)].lastIndex(of: "@")
  }

  /// Returns what follows the user, with the values of secret parameters masked.
  private static func parameters(_ text: Substring) -> String {
    if let next = text.firstRange(of: "://") {
      let inner = text[..<next.lowerBound].lastIndex { !isScheme($0) }.map(text.index(after:)) ?? text.startIndex
      return parameters(text[..<inner]) + masking(text[inner...])
    }
    var result = ""
    var separators = pathSeparators
    var rest = text
    while true {
      let part = rest.prefix { !separators.contains($0) }
      result += parameter(part)
      guard part.endIndex < rest.endIndex else { return result }
      let separator = rest[part.endIndex]
      if separator == "?" { separators = ["&"] }
      result.append(separator)
      rest = rest[rest.index(after: part.endIndex)...]
    }
  }

  private static func isScheme(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
  }

  /// `name=***` where the name speaks of a secret; `user=admin_password=…`, in one part, from the password on.
  private static func parameter(_ part: Substring) -> String {
    var search = part
    while let equals = search.firstIndex(of: "=") {
      let name = decoded(part[..<equals]).lowercased()
      if secretNames.contains(name) || secretParts.contains(where: name.contains) { return part[...equals] + mask }
      search = part[part.index(after: equals)...]
    }
    return String(part)
  }

  /// Returns the text with `%41` as `A`: a server reads the name so.
  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
