// Numbers in images, as the C library rounds them.

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Returns a number with so many digits after the point, whatever the program's locale.
func decimal(_ value: Double, digits: Int) -> String {
  var buffer = [CChar](repeating: 0, count: 400)
  let count = withVaList([Int32(digits), value]) { vsnprintf(&buffer, buffer.count, "%.*f", $0) }
  let text = String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return text.replacing(",", with: ".")
}
