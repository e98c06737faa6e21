import Imaging

/// A fast look at the flow: whether the image as a whole may have moved, so that a registration is worth its time.
public enum GlobalMotionGate {
  /// Pixels between the looks.
  private static let stride = 8
  /// Grey levels across two pixels below which the flow of a place tells nothing.
  private static let minimumGradient: Float = 6
  /// Pixels per pair.
  private static let minimumMotion: Float = 0.25
  /// The share of the places with texture that must move.
  private static let minimumShare = 0.5
  /// With fewer places nothing can be said.
  private static let minimumCount = 12

  /// Whether at least half of the textured places move.
  public static func isRaised(by flow: FlowField, on image: Plane<Float>) -> Bool {
    ruleResult(on: flow, of: image)?.isSatisfied == true
  }

  /// The share of the textured places that move; nil where there are too few of them to tell.
  /// - Parameters:
  ///   - image: Luma on whose grid the flow lies.
  ///   - flow: Of the same size, in pixels.
  public static func ruleResult(on flow: FlowField, of image: Plane<Float>) -> RuleResult? {
    var (textured, moving) = (0, 0)
    image.withView { image in
      flow.u.withView { u in
        flow.v.withView { v in
          for y in Swift.stride(from: stride / 2, to: image.height - 1, by: stride) {
            let (row, above, below) = (image.row(y), image.row(y - 1), image.row(y + 1))
            let (uRow, vRow) = (u.row(y), v.row(y))
            for x in Swift.stride(from: stride / 2, to: image.width - 1, by: stride) {
              let gradient = max(abs(row[x + 1] - row[x - 1]), abs(below[x] - above[x]))
              guard gradient >= minimumGradient else { continue }
              textured += 1
              if uRow[x] * uRow[x] + vRow[x] * vRow[x] > minimumMotion * minimumMotion { moving += 1 }
            }
          }
        }
      }
    }
    guard textured >= minimumCount else { return nil }
    return RuleResult(.globalMotion, Double(moving) / Double(textured), limit: minimumShare)
  }
}
