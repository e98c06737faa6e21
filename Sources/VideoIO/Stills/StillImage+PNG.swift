// Images in memory as PNG files; without FFmpeg.

import Imaging

/// Reads and writes single images.
public enum StillImage {
  /// Writes a PNG file, or `-` for standard output, with 8 bits a channel; opacity is kept only where some pixel is not
  /// opaque.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ image: Plane<RGBA8>, to path: String, overwrite: Bool = false) throws {
    let isOpaque = image.withView { view in
      (0..<view.height).allSatisfy { y in (0..<view.width).allSatisfy { view.row(y)[$0].a == 255 } }
    }
    try write(size: image.size, layout: isOpaque ? .rgb8 : .rgba8, path: path, overwrite: overwrite) { target, y in
      image.withView { view in
        let row = view.row(y)
        guard isOpaque else { return target.copyMemory(from: row, byteCount: 4 * view.width) }
        let target = target.assumingMemoryBound(to: UInt8.self)
        for x in 0..<view.width {
          (target[3 * x], target[3 * x + 1], target[3 * x + 2]) = (row[x].r, row[x].g, row[x].b)
        }
      }
    }
  }

  /// Writes a grey PNG file with 8 bits: masks.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ mask: Plane<UInt8>, to path: String, overwrite: Bool = false) throws {
    try write(size: mask.size, layout: .gray8, path: path, overwrite: overwrite) { target, y in
      mask.withView { target.copyMemory(from: $0.row(y), byteCount: $0.width) }
    }
  }

  /// Writes a PNG file with 16 bits a channel.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ image: Plane<RGB16>, to path: String, overwrite: Bool = false) throws {
    try write(size: image.size, layout: .rgb16, path: path, overwrite: overwrite) { target, y in
      image.withView { target.copyMemory(from: $0.row(y), byteCount: $0.width * MemoryLayout<RGB16>.stride) }
    }
  }

  private static func write(
    size: PixelSize, layout: PNGCodec.Layout, path: String, overwrite: Bool,
    fillRow: (UnsafeMutableRawPointer, Int) -> Void
  ) throws {
    do {
      try OutputFile(path: path, overwrite: overwrite).write(
        try PNGCodec.encode(size: size, layout: layout, fillRow: fillRow))
    } catch let error as MediaError { throw error.naming(path) }
  }
}
