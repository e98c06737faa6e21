// Options whose values are secrets: the address of a webhook is all that its server asks for, and options of an input
// may be keys.

import Rheo

/// Keeps the values of such options out of what is printed.
enum SecretOptions {
  private static let names = ["webhook", "input-options"]
  private static let mask = "***"

  /// Returns the value of an option as it may be printed.
  static func masked(_ value: String, of name: String) -> String {
    switch name {
    case "webhook": address(value)
    case "input-options":
      value.split(separator: ":").map { part in
        part.firstIndex(of: "=").map { part[...$0] + mask } ?? mask
      }.joined(separator: ":")
    default: MediaAddress.masking(in: value)
    }
  }

  /// Returns the scheme and the host of an address: what follows may be the secret, as it is with those of Slack.
  static func address(_ text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return mask }
    let authority = text[mark.upperBound...].prefix { !"/?#\\".contains($0) }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let rest = text[authority.endIndex...]
    let path = rest.isEmpty || rest == "/" ? String(rest) : "/" + mask
    return [String(text[..<mark.upperBound]), String(host), path].joined()
  }

  /// Returns a message about words of the command line, which quotes them, without the values of such options.
  static func masking(in text: String, _ words: [String]) -> String {
    var text = text
    for name in names {
      for (index, word) in words.enumerated() {
        let value: String? =
          word == "--\(name)"
          ? words[(index + 1)...].first : word.hasPrefix("--\(name)=") ? String(word.dropFirst(name.count + 3)) : nil
        if let value, !value.isEmpty { text = text.replacing("'\(value)'", with: "'\(mask)'") }
      }
    }
    return text
  }
}
