import TestSupport
import Testing

@Suite struct HelpTests {
  @Test func theProgramExplainsItself() throws {
    let result = try Program.run(["--help"])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let commands = [
      "annotate", "flow", "export", "plan", "merge", "convert", "render", "evaluate", "register", "stabilize", "stitch",
      "stack",
      "track", "detect", "zones", "info", "synthesize",
    ]
    for word in commands + ["Exit status", "--version"] {
      #expect(result.text.contains(word), "\(word)")
    }
  }

  @Test func theVersionIsANumber() throws {
    let result = try Program.run(["--version"])
    #expect(result.status == 0)
    #expect(result.text.split(separator: ".").count == 3)
  }

  /// The names are a contract: scripts run against them.
  @Test func annotateOffersTheWholeContract() throws {
    let result = try Program.run(["annotate", "--help"])
    #expect(result.status == 0)
    #expect(result.text.contains("Example: rheo annotate"))
    let names = [
      "--start", "--end", "--duration", "--frames", "--every", "--stream", "--filter", "--algorithm", "--accuracy",
      "--parameters", "--max-dimension", "--region", "--codec", "--crf", "--preset", "--pixel-format",
      "--encoder-options",
      "--no-audio", "--style",
      "--opacity", "--cell", "--tip-angle", "--min-length", "--max-length", "--normalize", "--palette", "--legend",
      "--hud",
      "--trails", "--analysis-filter", "--contact-sheet", "--moments",
      "--overwrite", "-y", "--quiet", "-q", "--verbose", "-v", "--progress", "--threads", "--format",
    ]
    let words = Set(result.text.split { !($0.isLetter || $0 == "-") }.map(String.init))
    for name in names { #expect(words.contains(name), "\(name)") }
    for style in [
      "overlay", "flowview", "wheel", "arrows", "magnitude", "side-by-side", "confidence", "occlusion", "contours",
      "saliency",
    ] {
      #expect(words.contains(style), "\(style)")
    }
  }

  @Test(arguments: [
    ("flow", ["--output", "--repeat", "--direction", "--region", "--accuracy", "--format", "--half"]),
    ("convert", ["--from", "--to", "--half", "--bound", "--field", "--overwrite"]), ("evaluate", ["--json", "--mask"]),
    ("render", ["--output", "--background", "--confidence", "--style", "--normalize", "--max-length", "--legend"]),
    ("info", ["--json"]),
    (
      "stitch",
      ["--output", "--model", "--projection", "--max-size", "--crop", "--start", "--every", "--filter", "--threads"]
    ),
    ("stack", ["--output", "--model", "--method", "--reference", "--depth", "--frames", "--filter", "--progress"]),
    (
      "detect",
      [
        "--report", "--json-lines", "--frames-too", "--zones", "--threshold", "--min-duration", "--merge-gap",
        "--before",
        "--after", "--max-duration", "--compensate", "--statistics", "--from-statistics", "--fail-without-motion",
        "--snapshots", "--clips", "--clip-mode", "--annotated", "--codec", "--no-audio", "--joined", "--mask-video",
        "--heat-map", "--config", "--dump-config",
      ]
    ),
    ("register", ["--model", "--warped", "--repeat", "--threads"]),
    (
      "track",
      [
        "--boxes", "--points", "--auto", "--textured-points", "--threshold", "--min-area", "--report", "--compensate",
        "--algorithm", "--start", "--filter", "--codec", "--threads",
      ]
    ),
    (
      "export",
      [
        "--output", "--format", "--half", "--confidence", "--resume", "--direction", "--every", "--start", "--frames",
        "--filter", "--stream", "--region", "--max-dimension", "--progress", "--threads",
      ]
    ),
  ])
  func otherCommandsOfferTheirOptions(command: String, names: [String]) throws {
    let result = try Program.run([command, "--help"])
    #expect(result.status == 0)
    #expect(result.text.contains("Example: rheo \(command)"))
    for name in names { #expect(result.text.contains(name), "\(name)") }
  }

  @Test func synthesizeNamesItsScenes() throws {
    let result = try Program.run(["synthesize", "--help"])
    #expect(result.status == 0)
    #expect(result.text.contains("Example: rheo synthesize"))
    for name in ["walkers", "--truth", "--scene", "--size", "--frames", "--rate"] {
      #expect(result.text.contains(name))
    }
  }
}
