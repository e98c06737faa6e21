import ArgumentParser
import FlowFormats
import Foundation
@testable import MotionDetection
@testable import Rheo
@testable import VideoIO

/// A parser, whole texts for it, and words that it knows.
struct FuzzedParser {
  var name: String
  var seeds: [Data]
  var words: [String] = []
  /// Reads an input and uses what came out; throws for what it refuses.
  var parse: (Data) throws -> Void

  private static let numbers = [
    "1e308", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e-320", "nan", "inf",
  ]

  static var all: [FuzzedParser] {
    [
      zones, statistics, manifest, journal, transforms, localMotions, template, arguments, detections, ground,
      packetIndex,
    ] + flowFormats
  }

  private static var zones: FuzzedParser {
    let text = """
      {"zones":[{"name":"a","units":"pixels","mode":"exclude","polygon":[[1,2],[30,4],[5,40]],"threshold":1,
      "minimumArea":1,"maximumArea":900,"directions":[[350,20]],"anchor":"scene"},
      {"name":"b","mode":"privacy","polygon":[[0,0],[1,0],[1,1]]}],
      "tripLines":[{"name":"l","from":[0.5,1],"to":[0.5,0],"direction":"left-to-right"}]}
      """
    return FuzzedParser(
      name: "zones", seeds: [Data(text.utf8)],
      words: ["zones", "polygon", "tripLines", "pixels", "privacy", "picture"] + numbers
    ) { data in
      let zones = try ZoneSet(json: data)
      let size = PixelSize(width: 64, height: 48)
      if let mask = PrivacyMask(zones: zones, size: size) { for y in 0..<48 { _ = mask.hides(x: 5, y: y) } }
      let grid = CellGrid(size: size)
      _ = ZoneMeter(zones: zones, grid: grid, size: size)
      _ = LineCrossingCounter(zones: zones, grid: grid, size: size)
    }
  }

  private static var statistics: FuzzedParser {
    let text = """
      # rheo {"statistics":4,"input":{"file":"a.mp4","width":64,"height":48,"frameRate":25},"zones":[],"tripLines":\
      [{"name":"l","from":[0.5,1],"to":[0.5,0]}],"gaps":[{"frame":1,"reason":"x","seconds":0.5}]}
      frame,seconds,ticks,timebase,state,light,settling,score1,moving1,present1,alive1,\
      stopped1,habitual1,undecided1,insects1,age1,lag1,u1,v1,boxes1,crossings
      0,0.0,0,1/25,first,0.0,1,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0,0,0.0,0.0,,
      1,0.04,1,1/25,normal,0.0,1,1.0,1.0,0.0,0.0,0.0,0.5,0.5,0.0,1,0,2.0,0.0,1 2 3 4;5 6 7 8,1:left-to-right
      2,0.08,2,1/25,normal,0.0,0,2.0,1.0,0.5,0.1,0.3,0.0,0.0,1.5,2,1,2.0,0.0,1 2 3 4,
      3,0.12,3,1/25,camera,0.0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0,0,0.0,0.0,,

      """
    return FuzzedParser(
      name: "statistics", seeds: [Data(text.utf8)], words: ["normal", "cut", "camera", "gap", "1/25", "1:"] + numbers
    ) { data in
      guard let text = String(data: data, encoding: .utf8) else { return }
      let statistics = try DetectionStatistics(text: text)
      _ = try statistics.detect(EventParameters(), explaining: .seconds(0.05))
      // An explanation needs no frames behind what it explains: without one all are looked at.
      var parameters = EventParameters()
      parameters.minimumDuration = 0
      _ = try statistics.detect(parameters)
      let again = try DetectionStatistics(text: statistics.text())
      precondition(again.frames.count == statistics.frames.count)
    }
  }

  /// A file that the parser reads by its name.
  private static func reading(_ ending: String, _ read: @escaping (String) throws -> Void) -> (Data) throws -> Void {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-parser-\(getpid()).\(ending)").path
    return { data in
      try data.write(to: URL(fileURLWithPath: path))
      try read(path)
    }
  }

  private static var manifest: FuzzedParser {
    let text = """
      {"version":2,"generator":"rheo","size":{"width":64,"height":48},"complete":true,"gaps":[{"seconds":1,"frame":2,
      "reason":"r"}],"notes":[],"pairs":[{"number":1,"previous":{"frame":0,"ticks":0,"timeBase":"1/25","seconds":0},
      "current":{"frame":1,"ticks":1,"timeBase":"1/25","seconds":0.04},"files":[{"name":"frame_000001.flo",
      "holds":"forward flow","offset":0,"bytes":12,"sha256":"00"}],"clamped":0,"lostUnknown":0}]}
      """
    return FuzzedParser(
      name: "manifest", seeds: [Data(text.utf8)],
      words: ["version", "pairs", "files", "sha256", "complete", "offset", "frame"] + numbers,
      parse: reading("manifest.json") { path in
        let contents = try ExportManifest.read(path)
        _ = ExportManifest(head: contents.head).difference(from: contents.head)
        var record = ExportRecord()
        for pair in contents.pairs {
          record.add(pair)
          for part in pair.files {
            _ = FileDigest(of: path, range: (part.offset ?? 0)..<(part.offset ?? 0) + part.bytes)
          }
        }
      })
  }

  private static var journal: FuzzedParser {
    let text = """
      {"number":1,"previous":{"frame":0,"ticks":0,"timeBase":"1/25","seconds":0},"current":{"frame":1,"ticks":1,
      "timeBase":"1/25","seconds":0.04},"files":[{"name":"a.flo","holds":"forward flow","bytes":12,"sha256":"00"}],
      "clamped":0,"lostUnknown":0}
      """
    return FuzzedParser(
      name: "journal", seeds: [Data(text.utf8), Data(#"{"a":[1,2.5,true,null,"x\u0041"]}"#.utf8)], words: numbers
    ) { data in
      if let pair = PairRecord(line: String(decoding: data, as: UTF8.self)) {
        _ = pair.number - pair.previous.frame
        precondition(PairRecord(line: pair.line) != nil)
      }
      let value = try JSONDecoder().decode(JSONText.self, from: data)
      _ = value.line
      _ = value.leaves
    }
  }

  private static var transforms: FuzzedParser {
    let text = """
      {"version": 1, "generator": "rheo", "size": {"width": 64, "height": 48}, "model": "euclidean", "frames": [
      {"confidence":1,"number":0,"seconds":0,"start":true,"warpTransform":[1,0,0,0,1,0,0,0,1]},
      {"confidence":1,"number":1,"seconds":0.04,"start":false,"warpTransform":[1,0,2.5,0,1,-1,0,0,1]}
      ]}
      """
    return FuzzedParser(
      name: "transforms", seeds: [Data(text.utf8)], words: ["warpTransform", "affine", "projective"] + numbers,
      parse: reading("json") { path in
        let read = try CameraPath.read(path, model: .euclidean, size: PixelSize(width: 64, height: 48))
        try smooth(read)
      })
  }

  private static var localMotions: FuzzedParser {
    let text = """
      VID.STAB 1
      # generator = x
      Frame 1 (List 0 [])
      Frame 2 (List 4 [(LM 1 2 8 8 16 1.0 0.0),(LM 1 2 50 8 16 1.0 0.0),(LM 1 2 8 40 16 1.0 0.0),(LM 1 2 50 40 16 1 0)])

      """
    return FuzzedParser(
      name: "trf", seeds: [Data(text.utf8)], words: ["(LM ", "Frame 3 (List ", "])"] + numbers,
      parse: reading("trf") { path in
        for model in TransformModel.allCases {
          try smooth(try CameraPath.read(path, model: model, size: PixelSize(width: 64, height: 48)))
        }
      })
  }

  private static func smooth(_ path: CameraPath) throws {
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-parser-\(getpid())-copy.trf").path
    try path.write(copy)
  }

  private static var template: FuzzedParser {
    let seeds = [
      #"sh -c 'echo {start} "{end}"' {clip} {snapshot} {zone} {input} {input:full}"#, #"a\ b "c\"d" '' {number}"#,
    ]
    return FuzzedParser(
      name: "template", seeds: seeds.map { Data($0.utf8) },
      words: CommandTemplate.Field.allCases.map { "{\($0.rawValue)}" }
    ) { data in
      let text = String(decoding: data, as: UTF8.self)
      let template = try CommandTemplate(text)
      let values = Dictionary(uniqueKeysWithValues: CommandTemplate.Field.allCases.map { ($0, "{start} '\"") })
      precondition(!template.arguments(values).isEmpty)
    }
  }

  /// Values of options: times, lists, addresses; and names that are made of inputs' names.
  private static var arguments: FuzzedParser {
    let seeds = [
      "123f", "1:02:03.5", "59", "a=b:c=d", "file,http", "1,2,3,4;5,6,7,8", "1.5,2;3,4", "640x360", "30000/1001",
      "always", "1.2",
      "rtsp://u:p@h/a?token=x", "0.1,0.2,0.5,0.5", "/a/b%03d.png",
    ]
    return FuzzedParser(
      name: "arguments", seeds: seeds.map { Data($0.utf8) }, words: ["f", ":", "://", "%d", "="] + numbers
    ) {
      data in
      let text = String(decoding: data, as: UTF8.self)
      if let time = Timestamp(argument: text) {
        _ = time.position.isReached(frame: 3, seconds: 0.1)
      }
      _ = KeyValueList(argument: text)
      _ = ProtocolList(argument: text)
      let shown = MediaAddress(text).description
      precondition(shown.isEmpty == text.isEmpty)
      let stems = EventOutputs.stems(of: [text, text])
      precondition(stems[0] != stems[1] && !stems[0].contains("/"))
    }
  }

  private static var detections: FuzzedParser {
    let text = "1,-1,10.5,20,30,40,0.9,-1,-1,-1\n1,2,1,1,5,5\r\n\n 7 , 3 , 1e1 , 2 , 3 , 4 , 0\n"
    return FuzzedParser(name: "detections", seeds: [Data(text.utf8)], words: [",-1,-1,-1", #"\x0A"#] + numbers) {
      data in
      let list = try DetectionList(mot: data)
      precondition(list.detections.values.joined().allSatisfy { !$0.box.isEmpty && $0.box.area.isFinite })
    }
  }

  private static var ground: FuzzedParser {
    let texts = [
      #"{"homography":[0.01,0,0,0,0.02,-1,0,0.001,1]}"#,
      #"{"points":[{"image":[0,9],"ground":[0,0]},{"image":[9,9],"ground":[1,0]},{"image":[7,3],"ground":[1,5]},"#
        + #"{"image":[2,3],"ground":[0,5]}]}"#,
    ]
    return FuzzedParser(
      name: "ground", seeds: texts.map { Data($0.utf8) }, words: ["homography", "points", "image", "ground"] + numbers
    ) { data in
      let plane = try GroundPlane(json: data)
      let size = PixelSize(width: 64, height: 48)
      for y in stride(from: -10.0, to: 60, by: 7) {
        if let place = plane.position(of: SIMD2(5, y), imageSize: size) {
          precondition(place.x.isFinite && place.y.isFinite)
        }
      }
    }
  }

  /// The index that lies beside a video. Its checksum is made right, which no fuzzer would find.
  private static var packetIndex: FuzzedParser {
    let file = PacketIndexFile(path: "", facts: [1, 2, 3])
    var index = PacketIndex()
    index.isComplete = true
    for (number, time) in ([0, 120, 40, 80, 240, 160, 200, 360, 280, 320] as [Int64]).enumerated() {
      index.append(
        IndexedPacket(
          time: time, duration: 40, position: 1000 * Int64(number), size: 900, isKeyFrame: number % 4 == 0,
          isDiscarded: number == 9))
    }
    return FuzzedParser(name: "index", seeds: [Data(file.encode(index).dropLast(8))]) { data in
      guard let read = file.decode(PacketIndexFile.sealed(Array(data))) else { return }
      precondition(file.decode(file.encode(read)) == read)
      let origin = MediaTime(value: 0, timeBase: Rational(1, 1000))
      for start in [5, Int.max] {
        guard let plan = try read.plan(undecodableCount: 1, margin: .max, isBefore: { $1 < start }) else { continue }
        var warmUp = WarmUp(plan, in: read, origin: origin)
        for packet in read.packets { _ = try warmUp.use(of: packet) }
        for time in plan.frames { _ = try warmUp.takes(frameAt: time) }
      }
    }
  }

  private static var flowFormats: [FuzzedParser] {
    let field = FlowField(width: 5, height: 4) { x, y in (Float(x) - 2, Float(y) / 3) }
    return [FlowFormat.flo, .pfm, .npy, .kitti].map { format in
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "rheo-seed-\(getpid()).\(format.fileExtension)")
      _ = try? FlowFile.write(field, to: path.path, as: format)
      return FuzzedParser(
        name: "flow-\(format)", seeds: [(try? Data(contentsOf: path)) ?? Data()],
        words: ["PF", "Pf", "descr", "fortran_order", "shape", "<f4", "<f2", "IHDR", "IDAT"] + numbers
      ) { data in
        _ = try data.withUnsafeBytes { try FlowFile.decode($0, as: format, name: "fuzz") }
      }
    }
  }
}
