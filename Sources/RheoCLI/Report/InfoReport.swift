// The output of `rheo info`: a table for people, JSON for programs.

import Foundation
import Rheo

/// A video or another file that FFmpeg opens.
struct MediaReport {
  let file: String
  let info: MediaInfo

  var json: JSONText {
    .object([
      ("kind", .string("media")), ("file", .string(MediaAddress(file).description)),
      ("format", .string(info.formatName)),
      ("duration", .optional(info.duration, JSONText.number)), ("bitRate", .optional(info.bitRate, JSONText.integer)),
      ("streams", .array(info.streams.map(json))),
      (
        "chapters",
        .array(
          info.chapters.map { chapter in
            .object([
              ("start", .number(chapter.start)), ("end", .number(chapter.end)),
              ("title", .optional(chapter.title, JSONText.string)),
            ])
          })
      ),
      ("metadata", .object(info.metadata.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
    ])
  }

  private func json(_ stream: MediaInfo.Stream) -> JSONText {
    var fields: [(String, JSONText)] = [
      ("index", .integer(stream.index)), ("kind", .string(stream.kind)), ("codec", .string(stream.codec)),
      ("profile", .optional(stream.profile, JSONText.string)), ("timeBase", .string(stream.timeBase.description)),
      ("startTime", .optional(stream.startTime, JSONText.number)),
      ("duration", .optional(stream.duration, JSONText.number)),
      ("frames", .optional(stream.frameCount, JSONText.integer)),
      ("bitRate", .optional(stream.bitRate, JSONText.integer)),
      ("language", .optional(stream.language, JSONText.string)),
    ]
    if let video = stream.video {
      fields += Self.fields(video)
      if info.isImage {
        fields.append(("exifOrientation", .optional(video.orientation.exif) { .integer($0.rawValue) }))
      }
    }
    if let audio = stream.audio {
      fields += [
        ("sampleRate", .integer(audio.sampleRate)), ("channels", .integer(audio.channelCount)),
        ("channelLayout", .string(audio.channelLayout)),
      ]
    }
    return .object(fields)
  }

  private static func fields(_ video: MediaInfo.Video) -> [(String, JSONText)] {
    [
      ("width", .integer(video.size.width)), ("height", .integer(video.size.height)),
      ("pixelFormat", .string(video.pixelFormat)),
      ("frameRate", .optional(video.frameRate) { .string($0.description) }),
      ("sampleAspectRatio", .optional(video.sampleAspectRatio) { .string($0.description) }),
      ("rotation", .integer(video.orientation.rotation)), ("mirrored", .bool(video.orientation.isMirrored)),
      ("interlaced", .bool(video.isInterlaced)), ("attachedPicture", .bool(video.isAttachedImage)),
      ("colorRange", .optional(video.color.range, JSONText.string)),
      ("colorMatrix", .optional(video.color.matrix, JSONText.string)),
      ("colorPrimaries", .optional(video.color.primaries, JSONText.string)),
      ("colorTransfer", .optional(video.color.transfer, JSONText.string)),
      ("chromaLocation", .optional(video.color.chromaLocation, JSONText.string)),
    ]
  }

  var table: String {
    var table = TextTable(isNumeric: false)
    table.add(["file", MediaAddress(file).description])
    table.add(["format", info.formatName])
    table.add(["duration", info.duration.map { MediaTime.timecode(seconds: $0) } ?? "unknown"])
    if let rate = info.bitRate { table.add(["bit rate", "\(rate / 1000) kbit/s"]) }
    for stream in info.streams { add(stream, to: &table) }
    for (number, chapter) in info.chapters.enumerated() {
      let times = "\(MediaTime.timecode(seconds: chapter.start)) – \(MediaTime.timecode(seconds: chapter.end))"
      table.add(["chapter \(number + 1)", times + (chapter.title.map { "  \($0)" } ?? "")])
    }
    for (key, value) in info.metadata.sorted(by: { $0.key < $1.key }) {
      table.add([key, value.split(whereSeparator: \.isNewline).joined(separator: " ")])
    }
    return table.text
  }

  private func add(_ stream: MediaInfo.Stream, to table: inout TextTable) {
    let name = stream.codec + (stream.profile.map { " (\($0))" } ?? "")
    let language = stream.language.map { $0 == "und" ? "" : ", \($0)" } ?? ""
    table.add(["stream \(stream.index)", "\(stream.kind), \(name)" + language])
    if let video = stream.video { add(video, to: &table) }
    if let audio = stream.audio {
      table.add([
        "  sound",
        "\(audio.sampleRate) Hz, \(counted(audio.channelCount, "channel"))"
          + (audio.channelLayout.hasSuffix("channels") ? "" : ", \(audio.channelLayout)"),
      ])
    }
    table.add(["  time base", "\(stream.timeBase) s" + (stream.startTime.map { ", begins at \(number($0)) s" } ?? "")])
    let length = [
      stream.duration.map { "\(number($0)) s" }, stream.frameCount.map { "\($0) frames" },
      stream.bitRate.map { "\($0 / 1000) kbit/s" },
    ].compactMap(\.self)
    if !length.isEmpty { table.add(["  length", length.joined(separator: ", ")]) }
  }

  private func add(_ video: MediaInfo.Video, to table: inout TextTable) {
    let rate = video.frameRate.map { "\(number($0.doubleValue)) fps (\($0))" } ?? "unknown rate"
    let kind = video.isAttachedImage ? ", an attached image" : video.isInterlaced ? ", interlaced" : ""
    table.add(["  frames", "\(video.size), \(video.pixelFormat), \(rate)\(kind)"])
    if let ratio = video.sampleAspectRatio, ratio.numerator != ratio.denominator {
      table.add(["  pixel shape", "\(ratio.numerator):\(ratio.denominator)"])
    }
    let turns = [
      video.orientation.isMirrored ? "mirrored" : nil,
      video.orientation.rotation != 0 ? "turned by \(video.orientation.rotation)° clockwise" : nil,
    ].compactMap(\.self)
    if !turns.isEmpty { table.add(["  display", turns.joined(separator: ", then ")]) }
    if info.isImage, let exif = video.orientation.exif {
      table.add(["  orientation", "EXIF \(exif.rawValue) (\(exif))"])
    }
    let color = video.color
    let tags = [
      color.range.map { "range \($0)" }, color.matrix.map { "matrix \($0)" }, color.primaries.map { "primaries \($0)" },
      color.transfer.map { "transfer \($0)" }, color.chromaLocation.map { "chroma \($0)" },
    ].compactMap(\.self)
    if !tags.isEmpty { table.add(["  colour", tags.joined(separator: ", ")]) }
  }
}

/// A flow file.
struct FlowReport {
  let file: String
  let format: String
  /// The size of the field; nil when the file holds none.
  let size: PixelSize?
  let statistics: FlowStatistics
  private static let percentiles = [0.5, 0.9, 0.95, 0.99]

  var json: JSONText {
    func range(_ range: ClosedRange<Float>?, mean: Double?) -> JSONText {
      .object([
        ("minimum", .optional(range) { .number(Double($0.lowerBound)) }),
        ("maximum", .optional(range) { .number(Double($0.upperBound)) }), ("mean", .optional(mean, JSONText.number)),
      ])
    }
    let mean = statistics.meanVector
    return .object([
      ("kind", .string("flow")), ("file", .string(MediaAddress(file).description)), ("format", .string(format)),
      ("width", .optional(size) { .integer($0.width) }), ("height", .optional(size) { .integer($0.height) }),
      ("fields", .integer(statistics.fieldCount)),
      ("unknownShare", .number(statistics.unknownShare)), ("u", range(statistics.horizontalRange, mean: mean?.u)),
      ("v", range(statistics.verticalRange, mean: mean?.v)),
      (
        "length",
        .object(
          [
            ("mean", .optional(statistics.meanLength, JSONText.number)),
            ("maximum", statistics.knownCount > 0 ? .number(statistics.longest) : .null),
          ]
            + Self.percentiles.map {
              ("p\(Int($0 * 100))", .optional(statistics.lengthPercentile($0), JSONText.number))
            })
      ),
    ])
  }

  var table: String {
    var table = TextTable(isNumeric: false)
    table.add(["file", MediaAddress(file).description])
    table.add(["format", format])
    if let size { table.add(["size", "\(size)"]) }
    if statistics.fieldCount != 1 { table.add(["fields", "\(statistics.fieldCount)"]) }
    guard statistics.fieldCount > 0 else { return table.text }
    table.add(["unknown", String(format: "%.2f %%", 100 * statistics.unknownShare)])
    guard let mean = statistics.meanVector, let u = statistics.horizontalRange, let v = statistics.verticalRange,
      let length = statistics.meanLength
    else { return table.text }
    table.add(["u", "\(number(Double(u.lowerBound))) … \(number(Double(u.upperBound))) px, mean \(number(mean.u)) px"])
    table.add(["v", "\(number(Double(v.lowerBound))) … \(number(Double(v.upperBound))) px, mean \(number(mean.v)) px"])
    table.add(["length", "mean \(number(length)) px, longest \(number(statistics.longest)) px"])
    let percentiles = Self.percentiles.map {
      "p\(Int($0 * 100)) \(number(statistics.lengthPercentile($0) ?? 0)) px"
    }
    table.add(["", percentiles.joined(separator: ", ")])
    return table.text
  }
}

/// Returns a number with at most three digits behind the point.
private func number(_ value: Double) -> String {
  let text = String(format: "%.3f", value)
  return text.contains(".") ? String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()) : text
}
