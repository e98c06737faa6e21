// A kernel that lets a layer fade.

/// Multiplies the opacity of each pixel by its confidence, clamped to 0…1; NaN counts as 0. Colours stay.
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
      let opacity = Lanes.rounded(Lanes.channel(old, 24) * Lanes.unit(Lanes.load(confidence, i)))
      Lanes.store((old & color) | (opacity &<< Lanes.Words(repeating: 24)), pixels, i, rest: count &- i)
    }
    i &+= 8
  }
}
