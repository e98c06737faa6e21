// How a photograph is turned: its EXIF data, which only the decoder reads.

import CFFmpeg
import Imaging

extension Demuxer {
  /// A Boolean value that tells whether the input is a single image, such as a JPEG file, and not a video.
  var isImage: Bool { formatName == "image2" || formatName.hasSuffix("_pipe") }

  /// Returns the orientation that the EXIF data of an image gives; nil when there is none. Takes the image's packets
  /// and decodes it.
  /// - Throws: ``MediaError`` when it cannot be decoded.
  func imageOrientation(of stream: UnsafeMutablePointer<AVStream>) throws -> MediaInfo.Orientation? {
    guard let frame = try firstFrame(of: stream) else { return nil }
    return rheo_frame_display_matrix(frame.pointer).map(MediaInfo.Orientation.init(displayMatrix:))
  }

  private func firstFrame(of stream: UnsafeMutablePointer<AVStream>) throws -> FrameBuffer? {
    let decoder = try StreamDecoder(stream: stream, threadCount: 1)
    let packet = try OwnedPacket()
    while true {
      switch try decoder.receive() {
      case .frame(let frame): return frame
      case .finished: return nil
      case .needsPacket:
        defer { av_packet_unref(packet.pointer) }
        try decoder.send(try read(packet.pointer) ? packet.pointer : nil)
      }
    }
  }
}

extension MediaInfo.Orientation {
  /// The orientation in EXIF's numbers; nil for turns between the quarters.
  public var exif: ImageOrientation? {
    switch (rotation, isMirrored) {
    case (0, false): .up
    case (0, true): .upMirrored
    case (180, false): .down
    case (180, true): .downMirrored
    case (270, true): .leftMirrored
    case (90, false): .right
    case (90, true): .rightMirrored
    case (270, false): .left
    default: nil
    }
  }
}
