import Foundation
import Imaging

@testable import VideoIO

extension Plane {
  /// All pixels, row by row.
  var pixels: [Scalar] {
    withView { view in (0..<view.height).flatMap { y in (0..<view.width).map { view.row(y)[$0] } } }
  }
}

extension FrameBuffer {
  /// The samples plane by plane, as a raw video file holds them.
  var bytes: Data {
    get throws {
      try withMutableImage { image in
        var data = Data()
        for (index, plane) in image.planes.enumerated() {
          let size = image.format.planeSize(index, of: image.size)
          for y in 0..<size.height {
            data.append(
              plane.base.assumingMemoryBound(to: UInt8.self) + y * plane.stride,
              count: size.width * image.format.bytesPerSample)
          }
        }
        return data
      }
    }
  }
}
