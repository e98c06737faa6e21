// The forward-backward check: where the two flows disagree, at least one of them is wrong or the pixel is hidden.

import Imaging

/// Compares a flow with the flow in the opposite direction.
///
/// The error at x with forward vector w and backward vector w′(x + w) is e = |w + w′|. A pixel is consistent when
/// e² < 0.01·(|w|² + |w′|²) + 0.5 (Sundaram, Brox & Keutzer, ECCV 2010, doi:10.1007/978-3-642-15549-9_32, eq. 5).
struct ForwardBackwardConsistency {
  /// The tolerance as a share of the squared lengths, of eq. 5.
  private static let relativeTolerance: Float = 0.01
  /// The tolerance beside that, in squared pixels, of eq. 5.
  private static let absoluteTolerance: Float = 0.5

  /// t/(t + e²), where t is the tolerance above: 1 for perfect agreement, ½ at the limit, 0 where the vector leaves
  /// the image or is unknown.
  let confidence: Plane<Float>
  /// 255 where the two flows are inconsistent or the vector leaves the image; 0 elsewhere.
  let occlusion: Plane<UInt8>

  init(of flow: FlowField, against opposite: FlowField, parallelism: Parallelism) {
    var confidence = Plane<Float>(size: flow.size)
    var occlusion = Plane<UInt8>(size: flow.size)
    confidence.withMutableView { confidence in
      occlusion.withMutableView { occlusion in
        flow.u.withView { u in
          flow.v.withView { v in
            opposite.u.withView { oppositeU in
              opposite.v.withView { oppositeV in
                parallelism.forEachStripe(rows: u.height) { rows in
                  for y in rows {
                    Self.compare(
                      (u, v), (oppositeU, oppositeV), y: y, confidence: confidence.row(y), occlusion: occlusion.row(y))
                  }
                }
              }
            }
          }
        }
      }
    }
    self.confidence = confidence
    self.occlusion = occlusion
  }

  private typealias Field = (u: PlaneView<Float>, v: PlaneView<Float>)

  private static func compare(
    _ flow: Field, _ opposite: Field, y: Int, confidence: UnsafeMutablePointer<Float>,
    occlusion: UnsafeMutablePointer<UInt8>
  ) {
    let (uRow, vRow) = (flow.u.row(y), flow.v.row(y))
    let lastX = Float(flow.u.width - 1)
    let lastY = Float(flow.u.height - 1)
    for x in 0..<flow.u.width {
      let (u, v) = (uRow[x], vRow[x])
      let (targetX, targetY) = (Float(x) + u, Float(y) + v)
      // Also false for NaN.
      guard targetX >= 0, targetX <= lastX, targetY >= 0, targetY <= lastY else {
        confidence[x] = 0
        occlusion[x] = 255
        continue
      }
      let backU = opposite.u.bilinear(x: targetX, y: targetY)
      let backV = opposite.v.bilinear(x: targetX, y: targetY)
      let error = (u + backU) * (u + backU) + (v + backV) * (v + backV)
      let lengths = u * u + v * v + backU * backU + backV * backV
      let tolerance = relativeTolerance * lengths + absoluteTolerance
      let agreement = tolerance / (tolerance + error)
      confidence[x] = agreement.isNaN ? 0 : agreement
      occlusion[x] = error < tolerance ? 0 : 255
    }
  }
}
