import Imaging
import TestSupport

/// A planar image with memory of its own: bytes before, between and after the rows are guards.
final class TestImage {
  let size: PixelSize
  let format: ImageFormat
  private var memory: [UnsafeMutableRawPointer] = []
  private var strides: [Int] = []
  private var byteCounts: [Int] = []
  private let isBottomUp: Bool

  static let guardBytes = 40

  /// Filled with noise in the range of the format.
  init(size: PixelSize, format: ImageFormat, isBottomUp: Bool = false, seed: UInt64 = 7) {
    self.size = size
    self.format = format
    self.isBottomUp = isBottomUp
    var random = FixedRandom(seed: seed)
    for plane in 0..<format.planeCount {
      let planeSize = format.planeSize(plane, of: size)
      let stride = (planeSize.width * format.bytesPerSample + Self.guardBytes) & ~1
      let byteCount = stride * planeSize.height + Self.guardBytes
      let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 2)
      for index in 0..<byteCount {
        base.storeBytes(of: UInt8.random(in: 0...255, using: &random), toByteOffset: index, as: UInt8.self)
      }
      memory.append(base)
      strides.append(stride)
      byteCounts.append(byteCount)
      for y in 0..<planeSize.height {
        for x in 0..<planeSize.width { self[plane, x, y] = Int.random(in: 0..<1 << format.bitDepth, using: &random) }
      }
    }
  }

  deinit { memory.forEach { $0.deallocate() } }

  var view: MutableImageView {
    MutableImageView(
      size: size, format: format,
      planes: memory.indices.map { plane in
        let last = (format.planeSize(plane, of: size).height - 1) * strides[plane]
        return isBottomUp
          ? .init(base: memory[plane] + last, stride: -strides[plane])
          : .init(base: memory[plane], stride: strides[plane])
      })
  }

  /// The sample (x, y) of a plane.
  subscript(plane: Int, x: Int, y: Int) -> Int {
    get {
      let position = address(plane, x, y)
      return format.bytesPerSample == 1 ? Int(position.load(as: UInt8.self)) : Int(position.load(as: UInt16.self))
    }
    set {
      let position = address(plane, x, y)
      if format.bytesPerSample == 1 {
        position.storeBytes(of: UInt8(newValue), as: UInt8.self)
      } else {
        position.storeBytes(of: UInt16(newValue), as: UInt16.self)
      }
    }
  }

  private func address(_ plane: Int, _ x: Int, _ y: Int) -> UnsafeMutableRawPointer {
    let row = isBottomUp ? format.planeSize(plane, of: size).height - 1 - y : y
    return memory[plane] + row * strides[plane] + x * format.bytesPerSample
  }

  /// All bytes, guards included.
  var bytes: [[UInt8]] {
    get { memory.indices.map { Array(UnsafeRawBufferPointer(start: memory[$0], count: byteCounts[$0])) } }
    set {
      for (plane, bytes) in newValue.enumerated() {
        memory[plane].copyMemory(from: bytes, byteCount: byteCounts[plane])
      }
    }
  }

  /// All samples of a plane, row by row.
  func samples(_ plane: Int) -> [Int] {
    let planeSize = format.planeSize(plane, of: size)
    return (0..<planeSize.height).flatMap { y in (0..<planeSize.width).map { self[plane, $0, y] } }
  }

  /// All bytes that are not samples.
  var guards: [UInt8] {
    memory.indices.flatMap { plane in
      let planeSize = format.planeSize(plane, of: size)
      let rowBytes = planeSize.width * format.bytesPerSample
      return bytes[plane].enumerated().compactMap { index, byte in
        index / strides[plane] < planeSize.height && index % strides[plane] < rowBytes ? nil : byte
      }
    }
  }
}

extension ImageFormat {
  /// Every kind of image that a renderer meets, at 8 and 10 bits, with and without full range.
  static let all: [ImageFormat] = [8, 10, 16].flatMap { depth in
    [true, false].flatMap { isFullRange in
      [ImageFormat(colorModel: .gray, bitDepth: depth, isFullRange: isFullRange)]
        + [(0, 0), (1, 0), (1, 1), (0, 1), (2, 0), (2, 2)].map { x, y in
          ImageFormat(
            colorModel: .yuv, chromaShiftX: x, chromaShiftY: y, bitDepth: depth, isFullRange: isFullRange,
            matrix: isFullRange ? .bt601 : x == 1 ? .bt709 : .bt2020)
        } + [ImageFormat(colorModel: .rgb, bitDepth: depth, isFullRange: isFullRange)]
    }
  }

  /// The format of most videos.
  static let yuv420 = ImageFormat(colorModel: .yuv, chromaShiftX: 1, chromaShiftY: 1, isFullRange: false)
}

/// Numbers of 0…1, some of them 0 or 1.
func testConfidence(width: Int, height: Int, seed: UInt64 = 4) -> Plane<Float> {
  var random = FixedRandom(seed: seed)
  return Plane(width: width, height: height) { _, _ in min(max(Float.random(in: -0.2...1.2, using: &random), 0), 1) }
}

/// Vectors of all directions with lengths up to `length`, some unknown, some zero.
func testFlow(width: Int, height: Int, length: Float = 20, seed: UInt64 = 3) -> FlowField {
  var random = FixedRandom(seed: seed)
  return FlowField(width: width, height: height) { x, y in
    switch Int.random(in: 0..<24, using: &random) {
    case 0: (.nan, .nan)
    case 1: (0, 0)
    case 2: (0, Float.random(in: -length...length, using: &random))
    default: (Float.random(in: -length...length, using: &random), Float.random(in: -length...length, using: &random))
    }
  }
}
