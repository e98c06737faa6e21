#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Numbers of a plane are stored as what they are in memory, least byte first (base64 in JSON): NaN, which JSON has no
// word for, stays what it is, and so does every bit.
extension Plane: Codable where Scalar == Float {
  private enum CodingKeys: String, CodingKey {
    case size, samples
  }

  /// Reads a plane that was stored.
  /// - Throws: `DecodingError` where the samples do not fill the size.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let size = try values.decode(PixelSize.self, forKey: .size)
    let samples = try values.decode(Data.self, forKey: .samples)
    let (count, isTooLarge) = size.width.multipliedReportingOverflow(by: size.height)
    guard size.width >= 0, size.height >= 0, !isTooLarge, samples.count % 4 == 0, count == samples.count / 4 else {
      throw DecodingError.dataCorruptedError(
        forKey: .samples, in: values, debugDescription: "\(samples.count) bytes for a plane of \(size)")
    }
    self = samples.withUnsafeBytes { bytes in
      Plane(width: size.width, height: size.height) { x, y in
        let pattern = bytes.loadUnaligned(fromByteOffset: 4 * (y * size.width + x), as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: pattern))
      }
    }
  }

  /// Stores the size and the samples, row by row.
  public func encode(to encoder: any Encoder) throws {
    var samples = Data(capacity: 4 * size.area)
    withView { view in
      for y in 0..<view.height {
        for x in 0..<view.width {
          withUnsafeBytes(of: view.row(y)[x].bitPattern.littleEndian) { samples.append(contentsOf: $0) }
        }
      }
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(size, forKey: .size)
    try values.encode(samples, forKey: .samples)
  }
}

extension FlowField: Codable {
  private enum CodingKeys: String, CodingKey {
    case u, v
  }

  /// Reads a field that was stored.
  /// - Throws: `DecodingError` where the two components differ in size.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let u = try values.decode(Plane<Float>.self, forKey: .u)
    let v = try values.decode(Plane<Float>.self, forKey: .v)
    guard u.size == v.size else {
      throw DecodingError.dataCorruptedError(
        forKey: .v, in: values, debugDescription: "components of \(u.size) and \(v.size)")
    }
    self.init(u: u, v: v)
  }

  /// Stores both components.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(u, forKey: .u)
    try values.encode(v, forKey: .v)
  }
}
