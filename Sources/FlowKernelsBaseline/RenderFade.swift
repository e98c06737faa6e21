// A kernel that lets a layer fade.

/// Multiplies the opacity of each pixel by s = t² · (3 − 2t), t = 2 · confidence − ½ clamped to 0…1: nothing up to a
/// confidence of ¼, half at ½, all from ¾ on, so that what is drawn ends where the confidence passes ½. NaN counts as
/// 0. Colours stay.
///
/// - Parameter pixels: One word a pixel, the opacity in the high byte.
/// - Contract: `pixels` and `confidence` may be read up to 7 elements past `count`; `pixels` are written exactly.
public func renderFadeRow(
  _ pixels: UnsafeMutablePointer<UInt32>, confidence: UnsafePointer<Float>, count: Int
) {
  typealias Lanes = RenderLanes
  let color = Lanes.Words(repeating: 0xFF_FFFF)
  var i = 0
  while i < count {
    let old = Lanes.load(UnsafePointer(pixels), i)
    if !Lanes.isClear(old) {
      let t = Lanes.unit(Lanes.load(confidence, i) * Lanes.all(2) - Lanes.all(0.5))
      let share = t * t * (Lanes.all(3) - (t + t))
      let opacity = Lanes.rounded(Lanes.channel(old, 24) * share)
      Lanes.store((old & color) | (opacity &<< Lanes.Words(repeating: 24)), pixels, i, rest: count &- i)
    }
    i &+= 8
  }
}
