// rheo_renderer: drawings of flow.

import CRheo
import FlowAnalysis
import FlowRendering
import Imaging

private struct DrawingOptions: Options {
  var style: String?
  var opacity: Double?
  var cell: Int?
  var tipAngle: Double?
  var minLength: Double?
  var maxLength: Length?
  var normalize: String?
  var palette: String?
  var legend: Bool?
  var threads: Int?

  enum CodingKeys: String, OptionKey {
    case style, opacity, cell, tipAngle, minLength, maxLength, normalize, palette, legend, threads

    var kind: OptionKind {
      switch self {
      case .style, .normalize, .palette: .text
      case .opacity, .tipAngle, .minLength: .number
      case .cell, .threads: .whole
      case .maxLength: .length
      case .legend: .flag
      }
    }
  }

  /// A number of pixels, or "auto".
  struct Length: Decodable {
    let value: RenderingOptions.MaximumLength

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = (try? container.decode(String.self)) == "auto" ? .automatic : .fixed(try container.decode(Double.self))
    }
  }

  func options() throws -> RenderingOptions {
    let name = style ?? RenderingStyle.overlay.rawValue
    guard let style = RenderingStyle(rawValue: name) else {
      let names = RenderingStyle.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidArgument("style '\(name)': it is one of \(names)")
    }
    var options = RenderingOptions(style: style)
    options.opacity = opacity ?? options.opacity
    options.cell = cell ?? options.cell
    options.tipAngle = tipAngle ?? options.tipAngle
    options.minLength = minLength ?? options.minLength
    options.normalization =
      try choice(normalize, "normalize", ["stream": .stream, "frame": .frame, "fixed": .fixed])
      ?? options.normalization
    options.palette =
      try choice(palette, "palette", ["hue": .hue, "uniform": .uniform, "colorblind": .colorblind])
      ?? options.palette
    options.maxLength = maxLength?.value ?? options.maxLength
    options.legend = legend ?? false
    return options
  }
}

/// The object behind rheo_renderer.
private final class Drawing {
  let renderer: FlowRenderer

  init(_ size: PixelSize, _ options: DrawingOptions) throws {
    renderer = try FlowRenderer(
      options: try options.options(), size: size, parallelism: try parallelism(options.threads))
  }

  func draw(
    _ flow: FlowField, _ confidence: Plane<Float>?, _ background: rheo_image?, into rgb: UnsafeMutablePointer<UInt8>
  ) throws {
    let options = renderer.options
    let contours =
      options.style == .contours
      ? flow.motionContours(threshold: options.contourThreshold, minimumArea: RenderingOptions.minimumContourArea) : nil
    let image = try renderer.image(
      of: flow, confidence: confidence, contours: contours, background: try background.map(Self.colors))
    image.withView { view in
      for y in 0..<view.height {
        let (row, target) = (view.row(y), rgb + 3 * y * view.width)
        for x in 0..<view.width {
          (target[3 * x], target[3 * x + 1], target[3 * x + 2]) = (row[x].r, row[x].g, row[x].b)
        }
      }
    }
  }

  private static func colors(_ image: rheo_image) throws -> Plane<RGBA8> {
    guard image.samples == RHEO_UINT8 else { throw InvalidArgument("the background has 8 bits a channel") }
    let channels = try image.planes("the background", as: UInt8.self)
    let (red, green, blue) = (channels[0], channels[channels.count > 1 ? 1 : 0], channels[channels.count > 1 ? 2 : 0])
    return red.withView { red in
      green.withView { green in
        blue.withView { blue in
          Plane(size: red.size) { output in
            for y in 0..<red.height {
              let (r, g, b, target) = (red.row(y), green.row(y), blue.row(y), output.row(y))
              for x in 0..<red.width { target[x] = RGBA8(r[x], g[x], b[x]) }
            }
          }
        }
      }
    }
  }
}

@_cdecl("rheo_renderer_create")
public func rendererCreate(
  _ width: Int64, _ height: Int64, _ options: UnsafePointer<CChar>?,
  _ renderer: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  make(renderer, error) { try Drawing(try checkedSize(width, height), DrawingOptions(options)) }
}

@_cdecl("rheo_renderer_size")
public func rendererSize(
  _ renderer: OpaquePointer?, _ width: UnsafeMutablePointer<Int64>?, _ height: UnsafeMutablePointer<Int64>?
) {
  guard let drawing = try? object(renderer, as: Drawing.self) else { return }
  width?.pointee = Int64(drawing.renderer.canvasSize.width)
  height?.pointee = Int64(drawing.renderer.canvasSize.height)
}

@_cdecl("rheo_renderer_draw")
public func rendererDraw(
  _ renderer: OpaquePointer?, _ vectors: UnsafePointer<Float>?, _ confidence: UnsafePointer<Float>?,
  _ background: UnsafePointer<rheo_image>?, _ rgb: UnsafeMutablePointer<UInt8>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let drawing = try object(renderer, as: Drawing.self)
    let size = drawing.renderer.size
    let flow = FlowField(pairs: try required(vectors, "vectors"), size: size)
    try drawing.draw(
      flow, confidence.map { Plane(rows: $0, size: size) }, background?.pointee, into: try required(rgb, "rgb"))
  }
}

@_cdecl("rheo_renderer_free")
public func rendererFree(_ renderer: OpaquePointer?) { release(renderer, Drawing.self) }
