// The motion of a plane in space, and how it is fitted to samples of a flow.
//
// Two views of a plane are related by a homography (Hartley & Zisserman 2004, section 13.1), so the flow of a plane at
// x is H(x) − x. Its eight elements are fitted linearly, with weights that fall with the residual (Cauchy's), in
// coordinates around the middle of the samples (ibid., section 4.4.4).

/// A homography from the first image to the second, in pixels of a level.
struct PlanarMotion: Sendable {
  /// The first eight elements row by row, whose ninth is 1, and the point from which coordinates count: the form that
  /// kernels take.
  let numbers: [Float]

  /// Returns the same motion in an image whose sides are `factor` times as long.
  func scaled(by factor: Float) -> PlanarMotion {
    let n = numbers
    return PlanarMotion(
      numbers: [
        n[0], n[1], n[2] * factor, n[3], n[4], n[5] * factor, n[6] / factor, n[7] / factor, n[8] * factor,
        n[9] * factor,
      ])
  }
}
