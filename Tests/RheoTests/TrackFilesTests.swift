import FlowAnalysis
import Foundation
import Imaging
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import Rheo

/// Tracks in the formats of other tools, and what is read from theirs.
@Suite struct TrackFilesTests {
  private let task = MotionTracking(input: "folder/a \"<b>\".mp4")

  private func position(_ frame: Int, _ x: Double, _ y: Double, confidence: Double = 0.75) -> TrackPosition {
    TrackPosition(
      frame: frame, time: MediaTime(value: Int64(frame), timeBase: Rational(1, 10)),
      box: BoundingBox(x: x, y: y, width: 20.5, height: 40), confidence: confidence)
  }

  private func report(_ tracks: [MotionTrack]) throws -> MotionTracking.Report {
    let store = TrackStore()
    for track in tracks { try store.append(track) }
    return MotionTracking.Report(
      store: store, frameNumbers: .init(first: 3, step: 1, count: 5), size: PixelSize(width: 64, height: 48),
      timeBase: Rational(1, 10), seconds: 1, stageSeconds: [:], gaps: [], notes: [], wasInterrupted: false)
  }

  /// Two boxes, the first of which ends early, and a point.
  private var tracks: [MotionTrack] {
    let point = TrackPosition(
      frame: 3, time: MediaTime(value: 3, timeBase: Rational(1, 10)),
      box: BoundingBox(center: SIMD2(7, 8), width: 1, height: 1), confidence: 1)
    return [
      MotionTrack(id: 1, kind: .box, positions: [position(3, 0, 4.25), position(4, 1.0004, -2, confidence: 0)]),
      MotionTrack(id: 2, kind: .box, positions: [position(4, 30, 5), position(5, 31, 5), position(7, 33, 5)]),
      MotionTrack(id: 3, kind: .point, positions: [point]),
    ]
  }

  @Test func theTextOfMOTChallengeCountsFromOne() throws {
    let text = try task.text(of: report(tracks), format: .mot)
    #expect(
      text == """
        4,1,1,5.25,20.5,40,0.75,-1,-1,-1
        5,1,2,-1,20.5,40,0,-1,-1,-1
        5,2,31,6,20.5,40,0.75,-1,-1,-1
        6,2,32,6,20.5,40,0.75,-1,-1,-1
        8,2,34,6,20.5,40,0.75,-1,-1,-1

        """)
    // The guess has a confidence of 0, which does not count.
    let boxes = try DetectionList(mot: Data(text.utf8)).detections.mapValues { $0.map(\.box) }
    #expect(boxes[3] == [BoundingBox(x: 0, y: 4.25, width: 20.5, height: 40)])
    #expect(boxes[4] == [BoundingBox(x: 30, y: 5, width: 20.5, height: 40)])
    #expect(boxes.keys.sorted() == [3, 4, 5, 7])
  }

  @Test func cocoHasAnImageForEachFrameAndAnAnnotationForEachBox() throws {
    let text = try task.text(of: report(tracks), format: .coco)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let images = try #require(json["images"] as? [[String: Any]])
    #expect(images.map { $0["id"] as? Int } == [4, 5, 6, 7, 8])
    #expect(images.allSatisfy { $0["file_name"] as? String == "a \"<b>\".mp4" && $0["width"] as? Int == 64 })
    let annotations = try #require(json["annotations"] as? [[String: Any]])
    #expect(annotations.map { $0["id"] as? Int } == [1, 2, 3, 4, 5])
    #expect(annotations.map { $0["image_id"] as? Int } == [4, 5, 5, 6, 8])
    #expect(annotations.map { $0["track_id"] as? Int } == [1, 1, 2, 2, 2])
    #expect(annotations[0]["bbox"] as? [Double] == [0, 4.25, 20.5, 40] && annotations[0]["area"] as? Double == 820)
    let categories = try #require(json["categories"] as? [[String: Any]])
    #expect(categories.map { $0["id"] as? Int } == [annotations[0]["category_id"] as? Int])
  }

  @Test func cvatTellsWhereTracksEnd() throws {
    let text = try task.text(of: report(tracks), format: .cvat)
    let document = try XMLDocument(data: Data(text.utf8))
    let name = try document.nodes(forXPath: "/annotations/meta/task/name").first?.stringValue
    #expect(name == "a \"<b>\".mp4")
    #expect(try document.nodes(forXPath: "/annotations/version").first?.stringValue == "1.1")
    func shapes(_ track: Int, _ attribute: String) throws -> [String?] {
      try document.nodes(forXPath: "/annotations/track[@id='\(track)']/*/@\(attribute)").map(\.stringValue)
    }
    #expect(try shapes(1, "frame") == ["3", "4", "5"] && shapes(1, "outside") == ["0", "0", "1"])
    #expect(try shapes(1, "occluded") == ["0", "1", "1"])
    #expect(try shapes(1, "xbr") == ["20.5", "21.5", "21.5"] && shapes(1, "ytl") == ["4.25", "-2", "-2"])
    // Up to the last frame.
    #expect(try shapes(2, "outside") == ["0", "0", "0"])
    #expect(try shapes(3, "points") == ["7.5,8.5", "7.5,8.5"])
  }

  @Test func theTableHasALineForEachPosition() throws {
    var task = task
    let lines = try task.text(of: report(tracks), format: .csv).split(separator: "\n")
    #expect(lines.count == 7 && lines[0] == "track,kind,frame,seconds,ticks,x,y,width,height,confidence")
    #expect(lines[1] == "1,box,3,0.3,3,0,4.25,20.5,40,0.75")
    #expect(lines[6] == "3,point,3,0.3,3,7,8,,,1")
    task.groundPlane = try? GroundPlane(homography: Homography([0.5, 0, 0, 0, 0.5, 0, 0, 0, 1]))
    let ground = try task.text(of: report(tracks), format: .csv).split(separator: "\n")
    #expect(ground[0].hasSuffix(",groundX,groundY,speed"))
    // The foot is half a pixel below the centre of the box's last row. A single position tells no speed.
    #expect(ground[1].hasPrefix(String(lines[1]) + ",4.875,21.875,"))
    #expect(ground[6] == "3,point,3,0.3,3,7,8,,,1,3.5,4,")
  }

  // MARK: Detections

  @Test func linesOfDetectionsAreRead() throws {
    let text = "2,-1,11,21.5,30,40,-0.5\r\n\n1, 7, 1, 1, 5, 6\n2,3,1e1,2,3,4,0,1,2\n2,9,1,1,1,1,1,-1,-1,-1,cup"
    let list = try DetectionList(mot: Data(text.utf8))
    #expect(
      list.detections == [
        0: [DetectedBox(box: BoundingBox(x: 0, y: 0, width: 5, height: 6))],
        1: [
          DetectedBox(box: BoundingBox(x: 10, y: 20.5, width: 30, height: 40), confidence: -0.5),
          DetectedBox(box: BoundingBox(x: 0, y: 0, width: 1, height: 1)),
        ],
      ])
    #expect(try DetectionList(mot: Data()).detections.isEmpty)
  }

  @Test func theMiddleConfidenceIsThatOfTheFile() throws {
    func middle(_ confidences: [Double]) throws -> Double? {
      try DetectionList(mot: Data(confidences.map { "1,-1,1,1,5,5,\($0)\n" }.joined().utf8)).middleConfidence
    }
    #expect(try middle([]) == nil && middle([-1, -1, -1]) == -1)
    let evenly = try #require(try middle((1...100).map { Double($0) }))
    #expect(abs(evenly - 41) < 1.5)
    // Two far-off ones of a hundred do not matter.
    let scattered = try #require(try middle((1...98).map { Double($0) } + [-1e6, 1e6]))
    #expect(abs(scattered - 41) < 1.5)
  }

  @Test(arguments: [
    ("1,1,2,3,4", "fields"), ("0,1,2,3,4,5", "frame 0"), ("1.5,1,2,3,4,5", "frame 1.5"), ("-1,1,2,3,4,5", "frame -1"),
    ("1,1,nan,3,4,5", "'nan'"), ("1,1,2,inf,4,5", "'inf'"), ("1,1,1e999,3,4,5", "1e999"), ("1,1,2,3,0,5", "box"),
    ("1,1,2,3,4,-5", "box"), ("1,1,2e6,3,4,5", "box"), ("1,1,2,3,0x10,5", "0x10"), ("1,1,,3,4,5", "no number"),
    ("1e12,1,2,3,4,5", "frame"), ("1,1,2,3,4,5,high", "'high'"), ("1;1;2;3;4;5", "1 fields"),
    ("1,1,2,3,4,5," + String(repeating: "0", count: 1000), "1012 bytes"), ("\u{FEFF}1,1,2,3,4,5", "no number"),
  ])
  func otherLinesAreRefusedWithTheirNumber(line: String, fault: String) throws {
    let refusal = thrown(MediaError.self) {
      try DetectionList(mot: Data("1,1,1,1,5,5\n\n\(line)\n1,1,1,1,5,5\n".utf8))
    }
    let error = try #require(refusal)
    #expect(error.code == .cannotOpen)
    #expect(error.message.hasPrefix("line 3: ") && error.message.contains(fault), "\(error)")
  }

  /// Damaged texts are read or refused; what is read makes sense.
  @Test func damagedDetectionsAreReadOrRefused() throws {
    var random = FixedRandom(seed: 9)
    let whole = Array("1,-1,10.5,20,30,40,0.9,-1,-1,-1\n2,2,1,1,5,5\r\n\n 7 , 3 , 1e1 , 2 , 3 , 4 , 1\n".utf8)
    let bytes = Array("0123456789,.-+eE \n\r\u{0}\u{FF}".utf8)
    var counts = (read: 0, refused: 0)
    for _ in 0..<5000 {
      var text = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[index] = bytes.randomElement(using: &random) ?? 0
        case 1: text.remove(at: index)
        default: text.insert(bytes.randomElement(using: &random) ?? 0, at: index)
        }
      }
      do {
        let found = try DetectionList(mot: Data(text)).detections
        #expect(found.keys.allSatisfy { $0 >= 0 } && found.values.joined().allSatisfy { !$0.box.isEmpty })
        counts.read += 1
      } catch {
        #expect(error is MediaError)
        counts.refused += 1
      }
    }
    #expect(counts.read > 500 && counts.refused > 500, "\(counts)")
  }

  @Test func aFrameHasNotTooManyBoxes() throws {
    let line = "1,1,1,1,5,5\n"
    let most = DetectionList.maximumBoxCount
    let whole = try DetectionList(mot: Data(String(repeating: line, count: most).utf8))
    #expect(whole.detections[0]?.count == most)
    let refusal = thrown(MediaError.self) {
      try DetectionList(mot: Data(String(repeating: line, count: most + 1).utf8))
    }
    let error = try #require(refusal)
    #expect(error.message.contains("line \(most + 1)"), "\(error)")
  }

  @Test func detectionsOfAnotherProgramAreFollowed() throws {
    let folder = try TemporaryFolder()
    let scene = try Scene(
      SceneParameters(name: .walkers, size: PixelSize(width: 480, height: 270), frameCount: 90))
    let file = folder.file("walkers.mkv")
    _ = try SceneRecorder(
      scene: scene, output: file.path, truthFolder: nil, encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p")
    ).run()
    let first = try #require(scene.events().first { $0.object == "first" })
    var task = MotionTracking(input: file.path)
    task.reading.range.start = .frame(30)
    let detections = Dictionary(
      uniqueKeysWithValues: first.boxes.map { box in
        let (x, y) = (Double(box.x), Double(box.y))
        let whole = BoundingBox(x: x, y: y, width: Double(box.width), height: Double(box.height))
        return (box.frame, [DetectedBox(box: whole)])
      })
    task.detections = DetectionList(detections: detections)
    let report = try task.run()
    // The numbers of the frames are those of the whole video.
    let track = try #require(report.tracks().max { $0.positions.count < $1.positions.count })
    let overlaps = track.positions.map { position in
      (detections[position.frame]?.first).map { position.box.intersectionOverUnion($0.box) } ?? 0
    }
    #expect(track.positions.first.map { $0.frame >= 30 } == true && track.positions.count > 30)
    #expect(overlaps.reduce(0, +) / Double(overlaps.count) > 0.9, "\(overlaps)")
    task.detections = DetectionList()
    #expect(try task.run().summaries.isEmpty)
  }

  // MARK: Ground

  /// A camera 5 m above the ground that looks down a street: 20 m away 10 m are 200 px wide, 40 m away 100 px.
  private let street = """
    {"points": [{"image": [100, 400], "ground": [-5, 20]}, {"image": [300, 400], "ground": [5, 20]},
    {"image": [250, 300], "ground": [5, 40]}, {"image": [150, 300], "ground": [-5, 40]}]}
    """

  @Test func fourPointsTellTheGroundInMetres() throws {
    let plane = try GroundPlane(json: Data(street.utf8))
    let size = PixelSize(width: 400, height: 480)
    let near = try #require(plane.position(of: SIMD2(200, 400), imageSize: size))
    #expect(abs(near.x) < 1e-9 && abs(near.y - 20) < 1e-9)
    // Half way between the lines in depth: 1/z is linear in the row, so that 30 m are at 400 − 100·(1/20 −
    // 1/30)/(1/40).
    let middle = try #require(plane.position(of: SIMD2(200, 400 - 200.0 / 3), imageSize: size))
    #expect(abs(middle.x) < 1e-9 && abs(middle.y - 30) < 1e-9, "\(middle)")
    // The horizon is row 200.
    #expect(plane.position(of: SIMD2(200, 199), imageSize: size) == nil)
    #expect(try #require(plane.position(of: SIMD2(200, 201), imageSize: size)).y > 3000)
    // The map itself tells the same, whatever its factor.
    for factor in [1.0, -2.5] {
      let elements = plane.homography.elements.map { "\($0 * factor)" }.joined(separator: ",")
      let again = try GroundPlane(json: Data("{\"homography\": [\(elements)]}".utf8))
      let point = try #require(again.position(of: SIMD2(220, 380), imageSize: size))
      let expected = try #require(plane.position(of: SIMD2(220, 380), imageSize: size))
      #expect(abs(point.x - expected.x) < 1e-9 && abs(point.y - expected.y) < 1e-9)
      #expect(again.position(of: SIMD2(200, 199), imageSize: size) == nil)
    }
  }

  @Test func speedsAreInMetresPerSecond() throws {
    let plane = try GroundPlane(json: Data(street.utf8))
    let back = try #require(plane.homography.inverse)
    // 1.5 m/s away from the camera and 2 m/s to the right: 2.5 m/s.
    let positions = (0..<30).map { frame in
      let time = MediaTime(value: Int64(frame), timeBase: Rational(1, 25))
      let foot = back.apply(x: -2 + 2 * time.seconds, y: 20 + 1.5 * time.seconds)
      return TrackPosition(
        frame: frame, time: time,
        box: BoundingBox(x: foot.x - 9.5, y: foot.y - 59.5, width: 20, height: 60), confidence: 1)
    }
    let size = PixelSize(width: 400, height: 480)
    let path = plane.path(of: MotionTrack(id: 1, kind: .box, positions: positions), imageSize: size)
    #expect(path.count == 30 && path.allSatisfy { abs(($0.speed ?? 0) - 2.5) < 1e-6 })
    #expect(path[0].position.map { abs($0.x + 2) < 1e-6 && abs($0.y - 20) < 1e-6 } == true)
    let alone = plane.path(of: MotionTrack(id: 1, kind: .box, positions: [positions[0]]), imageSize: size)
    #expect(alone[0].position != nil && alone[0].speed == nil)
    var task = task
    task.groundPlane = plane
    #expect(try task.text(of: report(tracks)).contains("\"ground\": "))
    #expect(try !self.task.text(of: report(tracks)).contains("\"ground\": "))
  }

  @Test(arguments: [
    ("", "is no ground plane"), ("[1]", "is no ground plane"), ("{}", "neither"),
    (#"{"homography": [1, 2, 3]}"#, "nine numbers"), (#"{"homography": [1,0,0,0,1,0,0,0,1e10]}"#, "nine numbers"),
    (#"{"homography": [1,1,1,1,1,1,1,1,1]}"#, "no inverse"), (#"{"points": []}"#, "four"),
    (#"{"points": [{"image": [1], "ground": [1, 2]}]}"#, "four"),
    (
      #"{"points": [{"image": [0, 0], "ground": [0, 0]}, {"image": [1, 0], "ground": [1, 0]}, "#
        + #"{"image": [2, 0], "ground": [2, 0]}, {"image": [0, 9], "ground": [0, 9]}]}"#, "line"
    ),
  ])
  func otherGroundPlanesAreRefused(text: String, fault: String) throws {
    let error = try #require(thrown(MediaError.self) { try GroundPlane(json: Data(text.utf8)) })
    #expect(error.message.contains(fault), "\(error)")
  }
}
