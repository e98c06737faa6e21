// The kinds of motion that a whole image can make.

/// A family of maps between two images, each containing the ones before it.
public enum TransformModel: Int, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// No motion: what remains when the images support nothing else.
  case identity
  /// A shift: two unknowns.
  case translation
  /// A shift and a turn: three unknowns.
  case euclidean
  /// A shift and any linear map (turn, zoom, stretch, shear): six unknowns.
  case affine
  /// Any map that keeps straight lines straight: eight unknowns.
  case homography

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The number of parameters that describe a map of this family.
  public var degreesOfFreedom: Int {
    switch self {
    case .identity: 0
    case .translation: 2
    case .euclidean: 3
    case .affine: 6
    case .homography: 8
    }
  }

  /// The name that the command line takes and that reports give.
  public var name: String {
    switch self {
    case .identity: "identity"
    case .translation: "translation"
    case .euclidean: "euclidean"
    case .affine: "affine"
    case .homography: "homography"
    }
  }

  /// The next simpler family; nil below `identity`.
  public var simpler: TransformModel? { TransformModel(rawValue: rawValue - 1) }
}
