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
      try withMutablePicture { picture in
        var data = Data()
        for (index, plane) in picture.planes.enumerated() {
          let size = picture.format.planeSize(index, of: picture.size)
          for y in 0..<size.height {
            data.append(
              plane.base.assumingMemoryBound(to: UInt8.self) + y * plane.stride,
              count: size.width * picture.format.bytesPerSample)
          }
        }
        return data
      }
    }
  }
}
