// Confidences, which lie beside flow.

import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowFile {
  /// Reads how far the vectors of a flow field can be trusted, one number for each pixel: one-channel `.pfm`, or
  /// `.npy` of the shape (height, width) or (fields, height, width).
  ///
  /// - Parameters:
  ///   - path: The file; its ending tells the kind.
  ///   - field: Which plane of a `.npy` with several, from 0; nil: the file must hold one.
  /// - Returns: The numbers as they are in the file; a confidence is 0…1.
  /// - Throws: ``FlowFormatError`` that names the file: unreadable, of another kind, of an absurd size, too short or
  ///   too long for its header.
  public static func readConfidence(contentsOf path: String, field: Int? = nil) throws -> Plane<Float> {
    switch FlowFormat(path: path) {
    case .pfm: return try FileBytes.withContents(of: path) { try PortableFloatMap.decodePlane($0, name: path) }
    case .npy:
      return try FileBytes.withParts(of: path) { try NumpyFlow.decodePlane($0, name: path, field: field) }
    default:
      throw FlowFormatError(code: .unsupported, message: "\(path): a confidence is a .pfm or a .npy file")
    }
  }
}
