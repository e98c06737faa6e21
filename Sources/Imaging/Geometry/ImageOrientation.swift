// The orientation of a stored image.

/// The orientation of an image as stored, that is how its rows and columns lie in what was seen: the numbers of EXIF's
/// tag 0x0112 (JEITA CP-3451C, section 4.6.4) and the names of Apple's frameworks. Files and videos are turned upright
/// when they are read; this is for pixels from elsewhere.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable, Codable {
  /// Upright as stored.
  case up = 1
  /// Stored as a mirror image, left for right.
  case upMirrored = 2
  /// Stored upside down: turned by 180°.
  case down = 3
  /// Stored as a mirror image, top for bottom.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// Stored turned: upright after a turn by 90° clockwise.
  case right = 6
  /// Rows and columns exchanged, then turned by 180°.
  case rightMirrored = 7
  /// Stored turned: upright after a turn by 90° counterclockwise.
  case left = 8

  /// A Boolean value that tells whether width and height are exchanged.
  public var exchangesSides: Bool { rawValue >= ImageOrientation.leftMirrored.rawValue }

  /// Returns the stored position of the pixel (x, y) of the upright image, in an image stored with `size`.
  func stored(_ x: Int, _ y: Int, _ size: PixelSize) -> (x: Int, y: Int) {
    let (right, bottom) = (size.width - 1, size.height - 1)
    return switch self {
    case .up: (x, y)
    case .upMirrored: (right - x, y)
    case .down: (right - x, bottom - y)
    case .downMirrored: (x, bottom - y)
    case .leftMirrored: (y, x)
    case .right: (y, bottom - x)
    case .rightMirrored: (right - y, bottom - x)
    case .left: (right - y, x)
    }
  }
}

extension Plane {
  /// The upright image of one that was stored with `orientation`.
  public func upright(from orientation: ImageOrientation) -> Plane {
    guard orientation != .up else { return self }
    let target =
      orientation.exchangesSides ? PixelSize(width: height, height: width) : PixelSize(width: width, height: height)
    return withView { source in
      Plane(
        size: target,
        filledBy: { output in
          for y in 0..<target.height {
            let row = output.row(y)
            for x in 0..<target.width {
              let position = orientation.stored(x, y, source.size)
              row[x] = source.row(position.y)[position.x]
            }
          }
        })
    }
  }
}
