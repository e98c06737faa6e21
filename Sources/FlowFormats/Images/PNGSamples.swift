import Imaging
import VideoIO

/// The samples of a PNG image that holds a flow field, in the processor's byte order.
final class PNGSamples<Pixel: BitwiseCopyable> {
  /// The size of the image, in pixels.
  let size: PixelSize
  private let samples: UnsafeMutableRawBufferPointer

  /// Decodes a file.
  /// - Throws: ``FlowFormatError`` that names the file; `unsupported` for an image of another layout.
  init(_ bytes: UnsafeRawBufferPointer, layout: PNGCodec.Layout, name: String) throws {
    do {
      let reader = try PNGReader(bytes)
      size = try FieldLimits.check(width: reader.size.width, height: reader.size.height, name: name)
      guard reader.layout == layout else {
        throw FlowFormatError(
          code: .unsupported,
          message: "\(name): a PNG image of \(reader.kind); a flow file has "
            + (layout == .rgb16 ? "16-bit RGB" : "8-bit grey"))
      }
      samples = try reader.decode(layout)
      try FieldLimits.checkMemory(size, fileLength: samples.count, name: name)
    } catch let failure as PNGReader.Failure {
      throw FlowFormatError(code: failure.kind.code, message: "\(name): as a PNG file: \(failure)")
    } catch let error as MediaError {
      throw FlowFormatError(code: .unreadable, message: "\(name): \(error)")
    }
  }

  deinit { samples.deallocate() }

  /// The pixels of the row `y`, which must lie inside. Valid as long as this object lives.
  func row(_ y: Int) -> UnsafeBufferPointer<Pixel> {
    let row = size.width * MemoryLayout<Pixel>.stride
    return UnsafeRawBufferPointer(rebasing: samples[y * row..<(y + 1) * row]).assumingMemoryBound(to: Pixel.self)
  }
}

extension PNGReader.Failure.Kind {
  fileprivate var code: FlowFormatError.Code {
    switch self {
    case .otherFormat: .wrongFormat
    case .absurdSize: .absurdSize
    case .truncated: .truncated
    case .trailingData: .trailingData
    case .damaged: .damaged
    }
  }
}
