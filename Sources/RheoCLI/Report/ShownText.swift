import Rheo

/// Returns a text as a terminal may get it, with characters that steer it as `\u{1B}`.
func shown(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if scalar.isSteering {
      result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Returns a number with its noun: `1 frame`, `2 frames`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
