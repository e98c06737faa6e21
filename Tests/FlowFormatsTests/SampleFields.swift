import FlowFormats
import Foundation
import Imaging
import TestSupport
import Testing

enum SampleFields {
  /// Random vectors with steps of 1/64 pixel, which every format but images keeps; some unknown.
  static func steps(width: Int = 13, height: Int = 7, seed: UInt64 = 1) -> FlowField {
    var random = FixedRandom(seed: seed)
    return FlowField(width: width, height: height) { x, y in
      (x * 5 + y) % 11 == 3
        ? (.nan, .nan)
        : (
          Float(Int.random(in: -999...999, using: &random)) / 64, Float(Int.random(in: -999...999, using: &random)) / 64
        )
    }
  }
}

extension Data {
  /// The contents with some bytes replaced.
  func replacing(_ offset: Int, _ bytes: [UInt8]) -> Data {
    var copy = self
    copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    return copy
  }

  func decoded(_ format: FlowFormat, field: Int? = nil) throws -> FlowField {
    try withUnsafeBytes {
      try FlowFile.decode($0, as: format, name: "folder/name", options: FlowReadingOptions(field: field))
    }
  }
}

/// Expects a refusal that names the file.
func expectRefusal(
  _ data: Data, _ format: FlowFormat, _ code: FlowFormatError.Code, _ words: String...,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let error = thrown(FlowFormatError.self, sourceLocation: sourceLocation) { try data.decoded(format) }
  #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
  for word in ["folder/name"] + words {
    #expect(error?.message.contains(word) == true, "\(word): \(error?.message ?? "")", sourceLocation: sourceLocation)
  }
}
