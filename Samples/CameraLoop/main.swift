// Flow and camera motion of frames that come from a program of your own: CameraLoop [FRAMES]
//
// The camera here is a generator; a real one fills the same buffer, row by row with a stride, in its callback.

import Rheo

/// Delivers NV12 with padded rows, as capture hardware does: a textured wall that moves 3 px right and 1 px down a
/// frame.
struct GeneratedCamera {
  let size = PixelSize(width: 320, height: 240)
  let stride = 352
  /// The rows of Y, and behind them half as many with pairs of Cb and Cr.
  var byteCount: Int { stride * size.height * 3 / 2 }
  private(set) var frame = 0

  mutating func capture(into buffer: UnsafeMutableRawBufferPointer) {
    for y in 0..<size.height {
      for x in 0..<size.width { buffer[y * stride + x] = Self.wall(x - 3 * frame, y - frame) }
    }
    // A grey wall.
    for chroma in stride * size.height..<byteCount { buffer[chroma] = 128 }
    frame += 1
  }

  /// Blocks of 4×4 pixels with brightnesses that follow from their position alone.
  private static func wall(_ x: Int, _ y: Int) -> UInt8 {
    var hash = UInt32(truncatingIfNeeded: (x >> 2) &* 374_761_393 &+ (y >> 2) &* 668_265_263)
    hash = (hash ^ (hash >> 13)) &* 1_274_126_177
    return UInt8(hash >> 24)
  }
}

let frameCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
let handler = SequenceRequestHandler()
let flow = OpticalFlowRequest(computationAccuracy: .low)
let camera = TranslationalImageRegistrationRequest(method: .direct)

var source = GeneratedCamera()
let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: source.byteCount, alignment: 64)
defer { buffer.deallocate() }

for number in 0..<frameCount {
  source.capture(into: buffer)
  // The pixels are copied: the buffer is free for the next frame. RGBA and others have layouts of their own.
  let image = try Plane.luma(
    of: UnsafeRawBufferPointer(buffer), layout: .nv12, size: source.size, stride: source.stride)
  let time = MediaTime(value: Int64(number), timeBase: Rational(1, 25))
  // Nil at the first frame, which has no predecessor.
  guard case (let motion?, let shift?) = try handler.perform(flow, camera, on: image, at: time) else { continue }
  let (u, v) = motion.flow.meanVector
  // The registration maps the new frame back onto the one before.
  print("\(time.timecode)  flow \(u) \(v)  camera \(-shift.alignmentTransform.tx) \(-shift.alignmentTransform.ty)")
}
