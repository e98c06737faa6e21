// The 16-bit PNG form of the KITTI flow benchmark (Menze & Geiger, CVPR 2015; development kit, readme.txt): u in red
// and v in green as 64·x + 2¹⁵, valid pixels have a blue other than 0.

import Imaging
import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes KITTI flow images: steps of 1/64 pixel between −512 and 511.984.
public enum KITTIFlow {
  private static let scale: Float = 64
  private static let offset: Float = 32768
  private static let maximumLevel: Float = 65535
  /// The pixel of an unknown vector, as in the published files: zero motion that is not valid.
  private static let unknownPixel = RGB16(32768, 32768, 0)

  /// Reads a flow field; pixels that are not valid are unknown.
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func read(contentsOf path: String) throws -> FlowField {
    try FlowFile.read(contentsOf: path, as: .kitti)
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField {
    // The field comes after the image: data that end too early have cost only the image.
    let image = try PNGSamples<RGB16>(bytes, layout: .rgb16, name: name)
    return FlowField(size: image.size) { y, u, v in
      for (x, pixel) in image.row(y).enumerated() {
        u[x] = pixel.b != 0 ? (Float(pixel.r) - offset) / scale : .nan
        v[x] = pixel.b != 0 ? (Float(pixel.g) - offset) / scale : .nan
      }
    }
  }

  /// The contents of a file with `flow`, and how many vectors were clamped to what fits.
  static func encode(_ flow: FlowField, name: String) throws -> (Data, clamped: Int) {
    var clamped = 0
    let contents = try FileBytes.namingOutput(name) {
      try PNGCodec.encode(size: flow.size, layout: .rgb16) { target, y in
        clamped += encode(row: y, of: flow, into: target.assumingMemoryBound(to: RGB16.self))
      }
    }
    return (contents, clamped)
  }

  private static func encode(row y: Int, of flow: FlowField, into target: UnsafeMutablePointer<RGB16>) -> Int {
    var clamped = 0
    flow.withRow(y) { u, v in
      for x in 0..<flow.width {
        guard u[x].isFinite, v[x].isFinite else {
          target[x] = unknownPixel
          continue
        }
        // Rounded before the offset is added, which would leave 8 bits for the fraction.
        // Halves go to even numbers, as NumPy and OpenCV round.
        let steps = ((scale * u[x]).rounded(.toNearestOrEven), (scale * v[x]).rounded(.toNearestOrEven))
        let fitting = (clamp(steps.0), clamp(steps.1))
        target[x] = RGB16(UInt16(fitting.0 + offset), UInt16(fitting.1 + offset), 1)
        if fitting != steps { clamped += 1 }
      }
    }
    return clamped
  }

  private static func clamp(_ steps: Float) -> Float { min(max(steps, -offset), maximumLevel - offset) }
}
