import ArgumentParser
import Foundation
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
      AnnotateCommand.self, FlowCommand.self, ExportCommand.self, PlanCommand.self, MergeCommand.self,
      ConvertCommand.self, RenderCommand.self, EvaluateCommand.self, RegisterCommand.self, StabilizeCommand.self,
      StitchCommand.self, StackCommand.self,
      TrackCommand.self, DetectCommand.self, ZonesCommand.self, InfoCommand.self, SynthesizeCommand.self,
      SelftestCommand.self,
    ])

  /// Runs the command. A debug build says once that it is one: who waits for it should know why.
  static func main() {
    claimStandardDescriptors()
    requireTextArguments()
    FrameMemory.onFailure { byteCount in
      UnfinishedOutputs.removeAll()
      writeToStandardError("rheo: there is no memory for \(byteCount) bytes of an image\n")
      _exit(ExitCode.failure.rawValue)
    }
    #if DEBUG
      Logger(label: "rheo") { _ in ConsoleLogHandler() }
        .notice("this is a debug build, some 200 times slower: build with -c release")
    #endif
    main(configuredArguments().all)
  }

  /// Returns the command line with the options of its `--config` file. Ends the program where the file is at fault, and
  /// where the options are to be printed.
  private static func configuredArguments() -> ConfiguredArguments {
    do {
      let arguments = try ConfiguredArguments(Array(CommandLine.arguments.dropFirst()), root: Self.self)
      guard arguments.areToBePrinted else { return arguments }
      do { _ = try parseAsRoot(arguments.all) } catch { exit(withError: error) }
      try OutputFile.writeToStandardOutput(arguments.text.utf8)
      Foundation.exit(0)
    } catch {
      let fault = error as? ConfigurationFile.Fault
      writeToStandardError("rheo: \(shown(MediaAddress.masking(in: "\(error)")))\n")
      Foundation.exit((fault?.isUnreadable == false ? ExitCode.validationFailure : .failure).rawValue)
    }
  }

  /// Ends the program when an argument is not UTF-8. Swift repairs such arguments, so that they name another file, or
  /// none.
  private static func requireTextArguments() {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let bytes = Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
      guard FileNames.text(bytes) == nil else { continue }
      writeToStandardError("rheo: \(shown(FileNames.escaped(bytes))): \(FileNames.refusal)\n")
      Foundation.exit(ExitCode.validationFailure.rawValue)
    }
  }
}
