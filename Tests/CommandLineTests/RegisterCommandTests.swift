import Foundation
import Rheo
import TestSupport
import Testing

@Suite struct RegisterCommandTests {
  private let folder: TemporaryFolder
  private let reference: URL
  private let floating: URL
  private static let shift = (x: 7, y: -4)

  /// Two windows onto one texture, of different sizes.
  init() throws {
    folder = try TemporaryFolder()
    reference = folder.file("1.png")
    floating = folder.file("2.png")
    let texture = Texture(seed: 4)
    try StillImage.writePNG(Self.window(texture, width: 140, height: 100, x: 0, y: 0), to: reference.path)
    try StillImage.writePNG(
      Self.window(texture, width: 120, height: 110, x: Self.shift.x, y: Self.shift.y), to: floating.path)
  }

  private static func window(_ texture: Texture, width: Int, height: Int, x: Int, y: Int) -> Plane<UInt8> {
    Plane(width: width, height: height) { UInt8(texture.value(Double($0 + x), Double($1 + y))) }
  }

  private func register(_ options: [String]) throws -> [String: Any] {
    let result = try Program.run(["register", reference.path, floating.path] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  @Test(arguments: ["translation", "euclidean", "affine", "homography"])
  func theMapLeadsFromTheFloatingImageToTheReference(model: String) throws {
    let report = try register(["--model", model])
    let map = Homography(try #require(report["warpTransform"] as? [Double]))
    let position = map.apply(x: 50, y: 60)
    #expect(abs(position.x - 50 - Double(Self.shift.x)) < 0.1 && abs(position.y - 60 - Double(Self.shift.y)) < 0.1)
    #expect(report["model"] as? String == model && report["reason"] is NSNull)
    for name in ["inliers", "confidence"] { #expect((0...1).contains(try #require(report[name] as? Double))) }
    #expect((report["residual"] as? Double ?? 99) < 0.5)
    #expect(report["milliseconds"] == nil)
  }

  @Test(arguments: ["direct", "features", "automatic"])
  func everyMethodFindsAShift(method: String) throws {
    let report = try register(["--model", "euclidean", "--method", method])
    let position = Homography(try #require(report["warpTransform"] as? [Double])).apply(x: 50, y: 60)
    #expect(abs(position.x - 50 - Double(Self.shift.x)) < 0.5 && abs(position.y - 60 - Double(Self.shift.y)) < 0.5)
    #expect((report["confidence"] as? Double ?? 0) > 0.6)
  }

  @Test func repetitionsAreTimed() throws {
    let report = try register(["--model", "translation", "--repeat", "3", "--threads", "1"])
    #expect((report["milliseconds"] as? [Double])?.count == 3 && report["minimum"] is Double)
    #expect(report["threads"] as? Int == 1)
  }

  @Test func theWarpedImageLiesOnTheReference() throws {
    let warped = folder.file("warped.png")
    _ = try register(["--model", "translation", "--warped", warped.path])
    let (aligned, target) = (
      try StillImage.rgb(contentsOf: warped.path), try StillImage.rgb(contentsOf: reference.path)
    )
    #expect(aligned.size == target.size)
    #expect(aligned[0, 50] == .clear, "nothing is known there")
    for (x, y) in [(20, 10), (60, 50), (110, 90)] { #expect(abs(Int(aligned[x, y].g) - Int(target[x, y].g)) < 6) }
    let again = try Program.run(["register", reference.path, floating.path, "--warped", warped.path])
    #expect(again.status == 1 && again.errors.contains("--overwrite"))
  }

  @Test func whatIsNotSupportedHasAReason() throws {
    let gray = folder.file("gray.png")
    try StillImage.writePNG(Plane<UInt8>(size: PixelSize(width: 90, height: 80), repeating: 100), to: gray.path)
    let result = try Program.run(["register", gray.path, gray.path])
    #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains("texture"))
    let report = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(report["model"] as? String == "identity" && report["confidence"] as? Double == 0)
    #expect((report["reason"] as? String)?.contains("texture") == true)
  }

  @Test func imagesThatShareNothingAreNotRegistered() throws {
    var random = FixedRandom(seed: 12)
    let files = try ["a.png", "b.png"].map { name in
      // Blocks of grey, each by chance.
      let blocks = Plane<UInt8>(width: 36, height: 26) { _, _ in UInt8.random(in: 40...210, using: &random) }
      let file = folder.file(name)
      try StillImage.writePNG(Plane<UInt8>(width: 144, height: 104) { blocks[$0 / 4, $1 / 4] }, to: file.path)
      return file.path
    }
    let result = try Program.run(["register"] + files)
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.text) \(result.errors)")
    #expect(result.errors.contains("nothing in common"))
  }

  /// The report has the same bytes whichever instruction set runs and however many threads.
  @Test func theReportDoesNotDependOnTheProcessor() throws {
    let reports = try ["baseline", "v3", "v4"].flatMap { level in
      try ["1", "2"].map { threads in
        try Program.run(
          ["register", reference.path, floating.path, "--threads", threads], environment: ["RHEO_CPU": level]
        ).text
      }
    }
    #expect(Set(reports).count == 1, "\(Set(reports))")
  }

  @Test(arguments: [["--model", "cubic"], ["--method", "magic"], ["--repeat", "0"], ["--warped", "a.jpg"]])
  func wrongOptionsAreUsageErrors(options: [String]) throws {
    #expect(try Program.run(["register", reference.path, floating.path] + options).status == 64)
  }

  @Test func missingFilesAreNamed() throws {
    let result = try Program.run(["register", reference.path, folder.file("absent.png").path])
    #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains("absent.png"))
  }
}
