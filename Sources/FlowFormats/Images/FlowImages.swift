// Pairs of grey images, as networks on actions are trained with: −bound…bound becomes 0…255 in `flow_x` and `flow_y`.
// A small JSON beside them names the bound, without which they mean nothing.

import Imaging
import VideoIO

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes flow as two 8-bit grey PNG images.
///
/// Steps are of 2 · bound / 255 pixels. There is no way to say "unknown": such vectors are written as zero motion.
public enum FlowImages {
  /// The level of a component: (x + bound) · 255 / (2 · bound), rounded (halves to even), clamped to 0…255; NaN is zero
  /// motion.
  public static func level(_ component: Float, bound: Float) -> UInt8 {
    guard !component.isNaN else { return level(0, bound: bound) }
    return UInt8(min(max(((component + bound) * 255 / (2 * bound)).rounded(.toNearestOrEven), 0), 255))
  }

  /// The component that a level stands for.
  public static func component(_ level: UInt8, bound: Float) -> Float { Float(level) * (2 * bound / 255) - bound }

  /// The names of the three files of a pair.
  public struct Names: Sendable, Hashable {
    /// The grey PNG of the horizontal components, u.
    public let x: String
    /// The grey PNG of the vertical components, v.
    public let y: String
    /// The JSON that names the two images, their size and the bound.
    public let manifest: String

    /// - Parameter path: One of the images, whose name has `flow_x` or `flow_y` in it (`flow_x_0001.png`), or the
    ///   JSON, whose name has `flow` in it (`flow_0001.json`).
    /// - Throws: ``FlowFormatError`` `unsupported` for other names.
    public init(path: String) throws {
      let file = FileName(path)
      let isManifest = file.ending.lowercased() == "json"
      let marks = isManifest ? ["flow"] : ["flow_x", "flow_y"]
      let ranges = marks.compactMap { file.name.ranges(of: $0).last }
      guard let range = ranges.first, isManifest || file.ending.lowercased() == "png"
      else {
        throw FlowFormatError(
          code: .unsupported,
          message: "\(path): the images of a pair are named like flow_x_0001.png and flow_y_0001.png, "
            + "their bound is in flow_0001.json")
      }
      func named(_ mark: String, _ ending: String) -> String {
        let marked = String(file.name[..<range.lowerBound]) + mark + String(file.name[range.upperBound...])
        return file.folder + FileName(marked).stem + "." + ending
      }
      let ending = isManifest ? "png" : file.ending
      x = named("flow_x", ending)
      y = named("flow_y", ending)
      manifest = named("flow", isManifest ? file.ending : "json")
    }
  }

  /// Writes a pair without the JSON: for whoever keeps the bound elsewhere.
  /// - Parameters:
  ///   - flow: The field, in pixels; unknown vectors are written as zero motion.
  ///   - x: The PNG to write with the horizontal components.
  ///   - y: The PNG to write with the vertical components.
  ///   - bound: The motion that 255 stands for, in pixels; above 0.
  ///   - overwrites: A Boolean value that tells whether existing files are replaced.
  /// - Throws: ``FlowFormatError`` `invalidOption`, `outputExists` or `unwritable`.
  @discardableResult
  public static func write(
    _ flow: FlowField, x: String, y: String, bound: Float, overwrites: Bool = false
  ) throws -> FlowWritingReport {
    try check(bound, name: x)
    var report = FlowWritingReport(files: [x, y])
    var levels = (Plane<UInt8>(size: flow.size), Plane<UInt8>(size: flow.size))
    levels.0.withMutableView { xView in
      levels.1.withMutableView { yView in
        flow.forEachRow { row, u, v in
          let (xRow, yRow) = (xView.row(row), yView.row(row))
          for column in 0..<flow.width {
            let isKnown = u[column].isFinite && v[column].isFinite
            xRow[column] = level(isKnown ? u[column] : 0, bound: bound)
            yRow[column] = level(isKnown ? v[column] : 0, bound: bound)
            if !isKnown { report.lostUnknownCount += 1 }
            if isKnown && max(abs(u[column]), abs(v[column])) > bound { report.clampedVectorCount += 1 }
          }
        }
      }
    }
    for (plane, path) in [(levels.0, x), (levels.1, y)] {
      try FileBytes.namingOutput(path) { try StillImage.writePNG(plane, to: path, overwrite: overwrites) }
    }
    return report
  }

  /// Writes a pair and its JSON, which comes last: where it is, the images are complete.
  static func write(_ flow: FlowField, to path: String, options: FlowWritingOptions) throws -> FlowWritingReport {
    let names = try Names(path: path)
    if !options.overwrites {
      for name in [names.x, names.y, names.manifest] where FileManager.default.fileExists(atPath: name) {
        throw FlowFormatError(code: .outputExists, message: "\(name): is there already; --overwrite replaces it")
      }
    }
    var report = try write(
      flow, x: names.x, y: names.y, bound: options.imageBound, overwrites: options.overwrites)
    let manifest = Manifest(
      x: FileName(names.x).name, y: FileName(names.y).name,
      bound: options.imageBound, size: flow.size)
    try FileBytes.write(manifest.encoded, to: names.manifest, options)
    report.files.append(names.manifest)
    return report
  }

  /// Reads a pair without a JSON.
  /// - Throws: ``FlowFormatError`` that names the file.
  public static func read(x: String, y: String, bound: Float) throws -> FlowField {
    try FileBytes.withContents(of: x) { xBytes in
      try FileBytes.withContents(of: y) { yBytes in
        try decode(xBytes, yBytes, bound: bound, names: (x, y))
      }
    }
  }

  /// Reads a pair that any of its three files names; without `bound`, what the JSON says.
  static func read(contentsOf path: String, bound: Float?) throws -> FlowField {
    let names = try Names(path: path)
    if let bound { return try read(x: names.x, y: names.y, bound: bound) }
    guard FileManager.default.fileExists(atPath: names.manifest) else {
      throw FlowFormatError(
        code: .invalidOption,
        message: "\(path): what the levels stand for is unknown: \(names.manifest) is missing; give the bound (--bound)"
      )
    }
    let manifest = try FileBytes.withContents(of: names.manifest) { try Manifest($0, name: names.manifest) }
    let flow = try read(x: names.x, y: names.y, bound: manifest.bound)
    guard manifest.size == flow.size else {
      throw FlowFormatError(
        code: .sizeMismatch,
        message: "\(names.manifest): speaks of \(manifest.size) pixels; the images have \(flow.size)")
    }
    return flow
  }

  /// Decodes the contents of the two images; `names` stand in the messages of errors.
  /// - Throws: ``FlowFormatError``.
  public static func decode(
    _ xBytes: UnsafeRawBufferPointer, _ yBytes: UnsafeRawBufferPointer, bound: Float, names: (x: String, y: String)
  ) throws -> FlowField {
    try check(bound, name: names.x)
    let x = try PNGSamples<UInt8>(xBytes, layout: .gray8, name: names.x)
    let y = try PNGSamples<UInt8>(yBytes, layout: .gray8, name: names.y)
    guard x.size == y.size else {
      throw FlowFormatError(
        code: .sizeMismatch,
        message: "\(names.x): has \(x.size) pixels; \(names.y) has \(y.size)")
    }
    let components = (0...255).map { component(UInt8($0), bound: bound) }
    return FlowField(size: x.size) { row, u, v in
      let (xLevels, yLevels) = (x.row(row), y.row(row))
      for column in 0..<x.size.width {
        u[column] = components[Int(xLevels[column])]
        v[column] = components[Int(yLevels[column])]
      }
    }
  }

  private static func check(_ bound: Float, name: String) throws {
    guard bound > 0, bound <= maximumBound else {
      throw FlowFormatError(
        code: .invalidOption, message: "\(name): the bound is above 0 and at most \(maximumBound) pixels, not \(bound)")
    }
  }

  /// The maximum bound, in pixels: beyond any image's sides.
  private static let maximumBound: Float = 1e6

  /// `{"format": "flow images", "x": "flow_x.png", …}`.
  struct Manifest: Codable {
    private static let kind = "flow pictures"

    var format = kind
    var x: String
    var y: String
    var bound: Float
    var width: Int
    var height: Int

    var size: PixelSize { PixelSize(width: width, height: height) }

    init(x: String, y: String, bound: Float, size: PixelSize) {
      self.x = x
      self.y = y
      self.bound = bound
      width = size.width
      height = size.height
    }

    init(_ bytes: UnsafeRawBufferPointer, name: String) throws {
      do {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
      } catch {
        throw FlowFormatError(code: .wrongFormat, message: "\(name): not the JSON of a pair of flow images")
      }
      guard format == Self.kind else {
        throw FlowFormatError(
          code: .wrongFormat, message: "\(name): its format is \"\(format)\" instead of \"\(Self.kind)\"")
      }
    }

    /// Keys in a fixed order; the shortest decimal number that reads back as the bound.
    var encoded: Data {
      func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
      }
      return Data(
        """
        {"format": \(quoted(format)), "x": \(quoted(x)), "y": \(quoted(y)), "bound": \(bound), "width": \(width), \
        "height": \(height)}

        """.utf8)
    }
  }
}
