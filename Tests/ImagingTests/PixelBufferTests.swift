import Imaging
import TestSupport
import Testing

@Suite struct PixelBufferTests {
  private static let size = PixelSize(width: 5, height: 3)

  private func luma(
    _ layout: PixelLayout, _ bytes: some Collection<UInt8>, size: PixelSize = PixelBufferTests.size, stride: Int? = nil,
    range: SampleRange = .full, orientation: ImageOrientation = .up
  ) throws(PixelBufferError) -> Plane<Float> {
    var result: Result<Plane<Float>, PixelBufferError>?
    Array(bytes).withUnsafeBytes { memory in
      result = Result { () throws(PixelBufferError) in
        try Plane.luma(
          of: memory, layout: layout, size: size, stride: stride, range: range, orientation: orientation)
      }
    }
    return try result!.get()
  }

  @Test func rowsMayLieApart() throws {
    let bytes = (0..<3 * 9).map { UInt8($0) }
    let plane = try luma(.gray8, bytes, stride: 9)
    for y in 0..<3 { for x in 0..<5 { #expect(plane[x, y] == Float(9 * y + x)) } }
  }

  @Test func coloursAreWeighed() throws {
    let pixel: [UInt8] = [200, 100, 50]
    // 124.2, rounded.
    let expected: Float = 124
    let one = PixelSize(width: 1, height: 1)
    for (layout, bytes) in [
      (PixelLayout.rgb8, pixel), (.bgr8, pixel.reversed()), (.rgba8, pixel + [7]), (.bgra8, pixel.reversed() + [7]),
    ] {
      #expect(try luma(layout, bytes, size: one)[0, 0] == expected, "\(layout)")
    }
  }

  @Test func wideSamplesAndVideoRangeReachFromBlackToWhite() throws {
    let pair = PixelSize(width: 2, height: 1)
    #expect(try luma(.gray16, [0, 0, 255, 255], size: pair) == Plane(width: 2, height: 1) { x, _ in Float(255 * x) })
    let video = try luma(.gray8, [16, 235], size: pair, range: .video)
    #expect(video[0, 0] == 0 && abs(video[1, 0] - 255) < 1e-4)
  }

  /// Rows of Y, then half as many of pairs Cb, Cr, which must be there.
  @Test func ofNV12TheFirstPlaneIsTaken() throws {
    let (stride, rows) = (9, Self.size.height + 2)
    let bytes = (0..<rows * stride - 4).map { UInt8($0) }
    let plane = try luma(.nv12, bytes, stride: stride)
    for y in 0..<3 { for x in 0..<5 { #expect(plane[x, y] == Float(stride * y + x)) } }
    let error = thrown(PixelBufferError.self) { try luma(.nv12, bytes.dropLast(), stride: stride) }
    #expect(error?.code == .bufferTooSmall)
  }

  @Test func misuseIsToldApart() {
    func code(_ size: PixelSize, _ count: Int, _ stride: Int?) -> PixelBufferError.Code? {
      do throws(PixelBufferError) {
        _ = try luma(.gray8, [UInt8](repeating: 0, count: count), size: size, stride: stride)
        return nil
      } catch { return error.code }
    }
    #expect(code(PixelSize(width: 0, height: 4), 16, nil) == .emptyImage)
    #expect(code(PixelSize(width: 4, height: -1), 16, nil) == .emptyImage)
    #expect(code(PixelSize(width: 4, height: 4), 16, 3) == .strideTooSmall)
    #expect(code(PixelSize(width: 4, height: 4), 15, nil) == .bufferTooSmall)
    #expect(code(PixelSize(width: 4, height: 4), 3 * 6 + 3, 6) == .bufferTooSmall)
    #expect(code(PixelSize(width: 4, height: 4), 3 * 6 + 4, 6) == nil)
  }

  /// The corner that is marked in the upright image is found wherever the orientation stores it.
  @Test func everyOrientationIsUndone() throws {
    let upright = Plane<UInt8>(width: 4, height: 3) { x, y in UInt8(10 * y + x) }
    // Where EXIF says that the first stored row and column lie: top or bottom, left or right; or exchanged.
    let stored: [(ImageOrientation, [UInt8])] = [
      (.up, [0, 1, 2, 3]), (.upMirrored, [3, 2, 1, 0]), (.down, [23, 22, 21, 20]), (.downMirrored, [20, 21, 22, 23]),
      (.leftMirrored, [0, 10, 20]), (.right, [3, 13, 23]), (.rightMirrored, [23, 13, 3]), (.left, [20, 10, 0]),
    ]
    for (orientation, firstRow) in stored {
      let size =
        orientation.exchangesSides ? PixelSize(width: 3, height: 4) : PixelSize(width: 4, height: 3)
      var plane = Plane<UInt8>(size: size)
      // The inverse, by search.
      for y in 0..<size.height {
        for x in 0..<size.width {
          var mark = Plane<UInt8>(size: size)
          mark[x, y] = 1
          let turned = mark.upright(from: orientation)
          for v in 0..<3 { for u in 0..<4 where turned[u, v] == 1 { plane[x, y] = upright[u, v] } }
        }
      }
      #expect(plane.upright(from: orientation) == upright, "\(orientation)")
      #expect((0..<size.width).map { plane[$0, 0] } == firstRow, "\(orientation)")
    }
  }
}
