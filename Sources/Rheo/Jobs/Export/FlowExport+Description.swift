// All that decides the bytes of an export: the head of its journal and manifest.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import Registration
import VideoIO

extension FlowExport {
  /// Returns everything but the frames themselves. Two exports with the same head, of inputs with the same frames, are
  /// the same.
  /// - Parameters:
  ///   - size: The size of the fields: that of the frames in pixels, or in cells.
  ///   - cut: The part that is exported; its description comes last, so that without it the rest is that of the whole.
  func description(of size: PixelSize, _ cut: ShardCut?) -> JSONText {
    let whole: [(String, JSONText)] = [
      ("version", .integer(ExportManifest.version)), ("generator", .string("rheo \(RheoVersion.number)")),
      ("input", inputDescription),
      ("size", .object([("width", .integer(size.width)), ("height", .integer(size.height))])),
      ("flow", flowDescription), ("output", outputDescription), ("range", rangeDescription),
    ]
    return .object(whole + (cut.map { [(ShardOutput.key, $0.json)] } ?? []))
  }

  /// The input by its name without its folder: a moved input is the same input.
  private var inputDescription: JSONText {
    var status = stat()
    let isFile = input != "-" && stat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    return .object([
      ("name", .string(isFile ? (input as NSString).lastPathComponent : MediaAddress(input).description)),
      ("bytes", isFile ? .integer(Int(status.st_size)) : .null),
      ("stream", .optional(reading.stream, JSONText.integer)),
      ("filter", .optional(reading.filter, JSONText.string)),
      ("format", .optional(reading.format, JSONText.string)),
    ])
  }

  private var flowDescription: JSONText {
    let region = flow.regionOfInterest
    return .object([
      ("algorithm", .string(flow.algorithm.name)),
      ("accuracy", .optional(flow.algorithm.accuracy) { .string($0.rawValue) }),
      (
        "parameters",
        .object(
          flow.algorithm.parameters.map { ($0.name, Double($0.value).map { .number($0) } ?? .string($0.value)) })
      ),
      ("direction", .string(flow.direction.rawValue)),
      ("region", .array([region.x, region.y, region.width, region.height].map(JSONText.number))),
      ("maximumDimension", .optional(flow.maximumDimension, JSONText.integer)),
      ("warmStart", .bool(flow.startsFromLastFlow)),
      ("compensation", compensation > .identity ? .string(compensation.name) : .null),
    ])
  }

  private var outputDescription: JSONText {
    .object(
      [
        ("layout", .string(layout.rawValue)), ("format", .string(format.rawValue)),
        ("halfPrecision", .bool(writing.halfPrecision)),
        ("bound", format == .images ? .number(Double(writing.imageBound)) : .null),
        ("confidence", .bool(includesConfidence)),
      ] + (cellSize.map { [("cellSize", .integer($0))] } ?? []))
  }

  private var rangeDescription: JSONText {
    func position(_ position: MediaRange.Position?) -> JSONText {
      switch position {
      case .seconds(let seconds): .object([("seconds", .number(seconds))])
      case .frame(let frame): .object([("frame", .integer(frame))])
      case nil: .null
      }
    }
    let range = reading.range
    return .object([
      ("start", position(range.start)), ("end", position(range.end)),
      ("duration", .optional(range.duration, JSONText.number)),
      ("frames", .optional(range.frameCount, JSONText.integer)), ("every", .integer(range.every)),
    ])
  }
}
