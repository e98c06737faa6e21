import Imaging

/// A fast look at the flow that tells whether the image as a whole may have moved, so that a registration is worth its
/// time.
public enum GlobalMotionGate {
  /// The distance between the places that are looked at, in pixels.
  private static let stride = 8
  /// The difference across two pixels below which the flow of a place tells nothing, in grey levels.
  private static let minimumGradient: Float = 6
  /// The minimum motion of a place, in pixels per pair.
  private static let minimumMotion: Float = 0.25
  /// The minimum share of the places with texture that must move.
  private static let minimumShare = 0.5
  /// The minimum number of textured places: with fewer nothing can be said.
  private static let minimumCount = 12

  /// Returns whether at least half of the textured places move.
  public static func isRaised(by flow: FlowField, on image: Plane<Float>) -> Bool {
    ruleResult(on: flow, of: image)?.isSatisfied == true
  }

  /// Returns the share of the textured places that move; nil where there are too few of them to tell.
  /// - Parameters:
  ///   - image: Luma on whose grid the flow lies.
  ///   - flow: The flow, of the size of the image, in pixels.
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
