// Flow files, and how far a field is from the truth.

import CRheo
import FlowFormats
import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Options of rheo_flow_read and rheo_flow_write.
private struct FileOptions: Options {
  var format: String?
  var field: Int?
  var bound: Double?
  var half: Bool?
  var overwrite: Bool?

  enum CodingKeys: String, OptionKey {
    case format, field, bound, half, overwrite

    var kind: OptionKind {
      switch self {
      case .format: .text
      case .field: .whole
      case .bound: .number
      case .half, .overwrite: .flag
      }
    }
  }

  /// The kind of file: that which is named, or the one that the ending says.
  func kind(of path: String) throws -> FlowFormat {
    guard let format else {
      if let kind = FlowFormat(path: path) { return kind }
      throw InvalidArgument("\(path): no ending of a flow file; these are \(FlowFormat.endings)")
    }
    guard let kind = FlowFormat(rawValue: format) else {
      let names = FlowFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidArgument("format '\(format)': it is one of \(names)")
    }
    return kind
  }
}

private func checkedPath(_ path: UnsafePointer<CChar>?) throws -> String {
  let bytes = try required(path, "path")
  guard let text = String(validatingCString: bytes), !text.isEmpty, text != "-" else {
    throw InvalidArgument("path: a file is named, in UTF-8")
  }
  return text
}

@_cdecl("rheo_flow_read")
public func flowRead(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ width: UnsafeMutablePointer<Int64>?,
  _ height: UnsafeMutablePointer<Int64>?, _ vectors: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let options = try FileOptions(options)
    let destination = try required(vectors, "vectors")
    let path = try checkedPath(path)
    let flow = try FlowFile.read(
      contentsOf: path, as: try options.kind(of: path),
      options: FlowReadingOptions(imageBound: options.bound.map(Float.init), field: options.field))
    guard let memory = malloc(flow.size.area * 2 * MemoryLayout<Float>.stride) else {
      throw InvalidArgument("there is no memory for a field of \(flow.size)")
    }
    let pairs = memory.bindMemory(to: Float.self, capacity: flow.size.area * 2)
    flow.write(pairs: pairs)
    width?.pointee = Int64(flow.width)
    height?.pointee = Int64(flow.height)
    destination.pointee = pairs
  }
}

@_cdecl("rheo_flow_write")
public func flowWrite(
  _ path: UnsafePointer<CChar>?, _ vectors: UnsafePointer<Float>?, _ width: Int64, _ height: Int64,
  _ options: UnsafePointer<CChar>?, _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let options = try FileOptions(options)
    let flow = FlowField(pairs: try required(vectors, "vectors"), size: try checkedSize(width, height))
    let path = try checkedPath(path)
    let written = try FlowFile.write(
      flow, to: path, as: try options.kind(of: path),
      options: FlowWritingOptions(
        halfPrecision: options.half ?? false,
        imageBound: options.bound.map(Float.init) ?? FlowWritingOptions.usualImageBound,
        overwrites: options.overwrite ?? false))
    give(
      try json(
        WritingOutcome(clamped: written.clampedVectorCount, lost: written.lostUnknownCount, files: written.files)),
      to: report)
  }
}

private struct WritingOutcome: Encodable {
  var clamped: Int
  var lost: Int
  var files: [String]
}

@_cdecl("rheo_flow_evaluate")
public func flowEvaluate(
  _ estimate: UnsafePointer<Float>?, _ truth: UnsafePointer<Float>?, _ mask: UnsafePointer<UInt8>?, _ width: Int64,
  _ height: Int64, _ figures: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  status(error) {
    let size = try checkedSize(width, height)
    let metrics = try FlowMetrics(
      estimate: FlowField(pairs: try required(estimate, "estimate"), size: size),
      truth: FlowField(pairs: try required(truth, "truth"), size: size),
      mask: mask.map { Plane(rows: $0, size: size) })
    let fields = metrics.figures.map { "\"\($0.name)\": \($0.value.isFinite ? "\($0.value)" : "null")" }
    give("{\"pixels\": \(metrics.pixelCount), " + fields.joined(separator: ", ") + "}", to: figures)
  }
}
