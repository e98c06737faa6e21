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
