// Every status that FFmpeg returns goes through here.

import CFFmpeg
import Imaging

/// FFmpeg's words for a status.
func ffmpegMessage(_ status: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard av_strerror(status, &buffer, buffer.count) >= 0 else { return "status \(status)" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Throws when `status` is negative; otherwise hands it on.
@discardableResult
func check(_ status: Int32, _ code: MediaError.Code, _ operation: @autoclosure () -> String) throws -> Int32 {
  guard status < 0 else { return status }
  throw failure(status, code, operation())
}

/// The error for a failed call.
func failure(_ status: Int32, _ code: MediaError.Code, _ operation: String) -> MediaError {
  let code = status == RHEO_ERROR_NO_MEMORY ? .outOfMemory : code
  return MediaError(
    code, "\(operation): \(ffmpegMessage(status))", status: status, detail: FFmpegLog.takeLastError())
}

extension AVRational {
  init(_ value: Rational) { self.init(num: value.numerator, den: value.denominator) }
  var rational: Rational { Rational(num, den) }
  var isPositive: Bool { num > 0 && den > 0 }
}
