// The kinds of flow files, what tells them apart, and what is settled when one is read or written.

import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A kind of flow file.
public enum FlowFormat: String, Sendable, Hashable, CaseIterable {
  /// Middlebury's `.flo`: 32-bit floats, little endian.
  case flo
  /// KITTI's 16-bit colour PNG: steps of 1/64 pixel, −512…511.98.
  case kitti
  /// Portable float map with three channels, as FlyingThings3D has it.
  case pfm
  /// NumPy's array (height, width, 2), or (fields, height, width, 2) for a whole video.
  case npy
  /// HDF5 with a dataset `flow`, as the Spring benchmark has it. An optional part of the build.
  case flo5
  /// Two 8-bit grey PNG, `flow_x` and `flow_y`, over −bound…bound, and a small JSON that names the bound.
  case images = "pictures"

  /// The ending of such a file's name, without the dot; of `images` that of the JSON.
  public var fileExtension: String {
    switch self {
    case .flo: "flo"
    case .kitti: "png"
    case .pfm: "pfm"
    case .npy: "npy"
    case .flo5: "flo5"
    case .images: "json"
    }
  }

  /// The kind of file that the ending of `path` names, in any case; nil for other endings. A `.png` is always KITTI's.
  public init?(path: String) {
    let ending = FileName(path).ending.lowercased()
    guard let format = Self.allCases.first(where: { $0.fileExtension == ending }) else { return nil }
    self = format
  }

  /// A Boolean value that tells whether this build reads and writes such files: `.flo5` needs HDF5.
  public var isSupported: Bool { self != .flo5 || HDF5Flow.isPartOfBuild }

  /// All endings, for messages: `.flo, .png, …`.
  public static var endings: String { allCases.map { "." + $0.fileExtension }.joined(separator: ", ") }
}

/// The options for reading that the file alone does not tell.
public struct FlowReadingOptions: Sendable, Hashable {
  /// The bound that 0 and 255 stand for in image pairs, in pixels; nil: the one in the JSON beside them.
  public var imageBound: Float?
  /// The number of the field in a `.npy` with several, from 0; nil: the file must hold one.
  public var field: Int?

  /// Options for a file that tells everything itself, unless given.
  public init(imageBound: Float? = nil, field: Int? = nil) {
    self.imageBound = imageBound
    self.field = field
  }
}

/// The options for writing a flow file.
public struct FlowWritingOptions: Sendable, Hashable {
  /// The bound of image pairs that is usual for training networks on actions, in pixels.
  public static let usualImageBound: Float = 20

  /// A Boolean value that tells whether `.npy` files hold 16-bit floats: half the size, about three decimal digits, up
  /// to ±65504.
  public var halfPrecision: Bool
  /// The bound of image pairs, where 0 and 255 stand for −bound and bound, in pixels; above 0.
  public var imageBound: Float
  /// A Boolean value that tells whether existing files are replaced.
  public var overwrites: Bool
  /// The durability of the data when a file gets its name.
  package var durability = OutputFile.Durability.synchronized

  /// 32-bit floats, the usual bound, nothing replaced, unless given.
  public init(
    halfPrecision: Bool = false, imageBound: Float = usualImageBound, overwrites: Bool = false
  ) {
    self.halfPrecision = halfPrecision
    self.imageBound = imageBound
    self.overwrites = overwrites
  }
}

/// The outcome of writing a field into a file.
public struct FlowWritingReport: Sendable, Hashable {
  /// The number of known vectors with a component beyond what the format can hold: the nearest that fits was written.
  public var clampedVectorCount: Int
  /// The number of unknown vectors written as zero motion, because the format has no way to say "unknown" (image
  /// pairs).
  public var lostUnknownCount: Int
  /// The files written, in order.
  public var files: [String]

  /// A report of a field that went into its files whole, unless given.
  public init(clampedVectorCount: Int = 0, lostUnknownCount: Int = 0, files: [String] = []) {
    self.clampedVectorCount = clampedVectorCount
    self.lostUnknownCount = lostUnknownCount
    self.files = files
  }
}
