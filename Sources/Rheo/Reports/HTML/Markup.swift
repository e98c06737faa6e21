/// Builds markup that is well-formed as XML, so that a parser of either kind reads it.
enum Markup {
  /// Returns a text in which nothing is taken for markup. What XML cannot hold at all becomes U+FFFD.
  static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns an element; attributes without a value are left out.
  /// - Parameter content: Markup; nil for an element that never has any.
  static func element(_ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: String?) -> String
  {
    let tag = tag(name, attributes)
    return content.map { "\(tag)>\($0)</\(name)>" } ?? "\(tag) />"
  }

  /// Writes an element whose content is written piece by piece.
  static func nest(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ put: (String) throws -> Void,
    content: () throws -> Void
  ) throws {
    try put(tag(name, attributes) + ">\n")
    try content()
    try put("</\(name)>\n")
  }

  /// Returns the beginning of an element, up to the bracket that closes it.
  private static func tag(_ name: String, _ attributes: KeyValuePairs<String, String?>) -> String {
    var tag = "<" + name
    for (key, value) in attributes {
      if let value { tag += " \(key)=\"\(text(value))\"" }
    }
    return tag
  }

  /// Returns an element with plain text.
  static func element(_ name: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String) -> String {
    element(name, attributes, Self.text(text))
  }

  /// Returns a table with a row of heads; cells are markup.
  static func table(_ heads: [String], _ rows: [[String]], class name: String? = nil) -> String {
    let head = element("tr", heads.map { element("th", ["scope": "col"], text: $0) }.joined())
    let body = rows.map { row in
      element("tr", zip(heads, row).map { element("td", ["data-head": $0], $1) }.joined())
    }
    return element(
      "div", ["class": "scroll"],
      element("table", ["class": name], element("thead", head) + element("tbody", body.joined(separator: "\n"))))
  }

  /// Returns an element without attributes.
  static func element(_ name: String, _ content: String) -> String { element(name, [:], content) }

  /// Returns an element with plain text and no attributes.
  static func element(_ name: String, text: String) -> String { element(name, [:], text: text) }

  /// Returns a number with as many digits behind the point as say something, two at most.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let hundredths = Int(saturating: (abs(value) * 100).rounded())
    var digits = String(hundredths % 100)
    if digits.count < 2 { digits = "0" + digits }
    while digits.hasSuffix("0") { digits.removeLast() }
    return (value < 0 && hundredths > 0 ? "−" : "") + "\(hundredths / 100)" + (digits.isEmpty ? "" : "." + digits)
  }

  /// Returns a number for coordinates and lengths in markup, with a point and two digits at most.
  static func coordinate(_ value: Double) -> String { number(value).replacing("−", with: "-") }

  /// Returns a duration as people read it: 4.9 s, 2 min 34 s, 1 h 5 min.
  static func length(_ seconds: Double) -> String {
    let whole = Int(saturating: seconds.rounded())
    if seconds < 59.95 { return number((seconds * 10).rounded() / 10) + " s" }
    return whole < 3600 ? "\(whole / 60) min \(whole % 60) s" : "\(whole / 3600) h \(whole / 60 % 60) min"
  }

  /// Returns a time as people read it: 0:07.4, 12:07.4 or 1:12:07.4.
  /// - Parameter tenths: True to show tenths of a second, false for whole seconds.
  static func clock(_ seconds: Double, tenths: Bool = true) -> String {
    let count = Int(saturating: (max(seconds, 0) * 10).rounded())
    let whole = tenths ? count / 10 : Int(saturating: max(seconds, 0).rounded())
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let head =
      whole >= 3600
      ? "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
    return tenths ? "\(head).\(count % 10)" : head
  }
}
