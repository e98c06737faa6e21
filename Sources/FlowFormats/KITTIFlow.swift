// The 16-bit PNG form of the KITTI flow benchmark (Menze & Geiger, CVPR 2015; development kit, readme.txt): u in red and
// v in green as 64·x + 2¹⁵, valid pixels have a blue other than 0.

import Foundation
import Imaging
import VideoIO

/// Reads and writes KITTI flow pictures: steps of 1/64 pixel between −512 and 511.984.
public enum KITTIFlow {
  private static let scale: Float = 64
  private static let offset: Float = 32768
  private static let largestLevel: Float = 65535

  /// Reads a flow field; pixels that are not valid are unknown.
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func read(contentsOf path: String) throws -> FlowField {
    try FlowFile.read(contentsOf: path, as: .kitti)
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField {
    let png = try PNGStructure(bytes, name: name)
    try png.check(.rgb16)
    var flow = FlowField(size: png.size)
    try flow.u.withMutableView { u in
      try flow.v.withMutableView { v in
        try png.decode(.rgb16) { y, samples in
          let (uRow, vRow) = (u.row(y), v.row(y))
          for x in 0..<png.size.width {
            let pixel = samples.pixel(x)
            uRow[x] = pixel.b != 0 ? (Float(pixel.r) - offset) / scale : .nan
            vRow[x] = pixel.b != 0 ? (Float(pixel.g) - offset) / scale : .nan
          }
        }
      }
    }
    return flow
  }

  /// The contents of a file with `flow`, and how many vectors were clamped to what fits. Unknown vectors are black.
  static func encode(_ flow: FlowField, name: String) throws -> (Data, clamped: Int) {
    var clamped = 0
    let contents = try FileBytes.namingOutput(name) {
      try PNGCodec.encode(size: flow.size, layout: .rgb16) { target, y in
        clamped += encode(row: y, of: flow, into: target)
      }
    }
    return (contents, clamped)
  }

  private static func encode(row y: Int, of flow: FlowField, into target: UnsafeMutablePointer<UInt8>) -> Int {
    var clamped = 0
    flow.withRow(y) { u, v in
      for x in 0..<flow.width {
        guard u[x].isFinite, v[x].isFinite else {
          target.storePixel(x, RGB16(0, 0, 0))
          continue
        }
        let levels = (scale * u[x] + offset, scale * v[x] + offset)
        let pixel = RGB16(level(levels.0), level(levels.1), 1)
        target.storePixel(x, pixel)
        if abs(Float(pixel.r) - levels.0) > 0.5 || abs(Float(pixel.g) - levels.1) > 0.5 { clamped += 1 }
      }
    }
    return clamped
  }

  private static func level(_ value: Float) -> UInt16 { UInt16(min(max(value.rounded(), 0), largestLevel)) }
}
