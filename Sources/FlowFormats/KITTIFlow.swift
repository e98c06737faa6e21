// The 16-bit PNG form of the KITTI flow benchmark (Menze & Geiger, CVPR 2015; development kit, readme.txt): u in red and
// v in green as 64·x + 2¹⁵, valid pixels have a blue other than 0.

import Imaging
import VideoIO

/// Reads KITTI flow pictures.
public enum KITTIFlow {
  private static let scale: Float = 64
  private static let offset: Float = 32768

  /// Reads a flow field; pixels that are not valid are unknown.
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func read(contentsOf path: String) throws -> FlowField {
    let picture: Plane<RGB16>
    do {
      picture = try StillImage.rgb16(contentsOf: path)
    } catch {
      throw FlowFormatError(code: .unreadable, message: "\(error)")
    }
    var flow = FlowField(size: picture.size)
    picture.withView { picture in
      flow.u.withMutableView { u in
        flow.v.withMutableView { v in
          for y in 0..<picture.height {
            let (row, uRow, vRow) = (picture.row(y), u.row(y), v.row(y))
            for x in 0..<picture.width {
              let isValid = row[x].b != 0
              uRow[x] = isValid ? (Float(row[x].r) - offset) / scale : .nan
              vRow[x] = isValid ? (Float(row[x].g) - offset) / scale : .nan
            }
          }
        }
      }
    }
    return flow
  }
}

/// Flow files of any kind that this package reads, by their ending.
public enum FlowFile {
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func read(contentsOf path: String) throws -> FlowField {
    path.lowercased().hasSuffix(".png")
      ? try KITTIFlow.read(contentsOf: path) : try MiddleburyFlow.read(contentsOf: path)
  }
}
