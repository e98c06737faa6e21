import ArgumentParser
import Logging
import Rheo

@main
struct RheoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rheo",
    abstract: "Shows and measures the motion in videos.",
    discussion: """
      rheo decodes any video with FFmpeg, computes dense optical flow between its frames, and draws it.

      Exit status: 0 done; 1 failed; 2 done, but the input was damaged; 3 no motion (detect \
      --fail-without-motion); 64 wrong usage; \
      130 interrupted, the output is valid up to there.
      """,
    version: RheoVersion.number,
    subcommands: [
      AnnotateCommand.self, FlowCommand.self, ExportCommand.self, ConvertCommand.self, RenderCommand.self,
      EvaluateCommand.self, RegisterCommand.self, StabilizeCommand.self, StitchCommand.self, StackCommand.self,
      TrackCommand.self, DetectCommand.self, InfoCommand.self, SynthesizeCommand.self, SelftestCommand.self,
    ])

  /// Runs the command. A debug build says once that it is one: who waits for it should know why.
  static func main() {
    claimStandardDescriptors()
    #if DEBUG
      Logger(label: "rheo") { _ in ConsoleLogHandler() }
        .notice("this is a debug build, some 200 times slower: build with -c release")
    #endif
    main(nil)
  }
}
