import Imaging

extension TransformModel {
  /// The unknowns of the member of the family nearest to `map`, which lies in normalised coordinates: the inverse of
  /// `increment`.
  func parameters(of map: Homography) -> [Double] {
    let e = map.normalized.elements
    switch self {
    case .identity: return []
    case .translation: return [e[2], e[5]]
    case .euclidean:
      let (cosine, sine) = ((e[0] + e[4]) / 2, (e[3] - e[1]) / 2)
      let length = (cosine * cosine + sine * sine).squareRoot()
      // 2·tan(φ/2), as `increment` takes it.
      return [e[2], e[5], length + cosine > 0 ? 2 * sine / (length + cosine) : 0]
    case .affine: return [e[2], e[5], e[0] - 1, e[1], e[3], e[4] - 1]
    case .homography: return [e[2], e[5], e[0] - 1, e[1], e[3], e[4] - 1, -e[6], -e[7]]
    }
  }
}

extension NormalizedFrame {
  /// A map of pixels as one of normalised coordinates.
  func normalized(_ map: Homography) -> Homography {
    let up = Homography([scale, 0, centerX, 0, scale, centerY, 0, 0, 1])
    let down = Homography([1 / scale, 0, -centerX / scale, 0, 1 / scale, -centerY / scale, 0, 0, 1])
    return (down * map * up).normalized
  }
}
