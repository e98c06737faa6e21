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

      rheo COMMAND --help tells the options of a command on two screens, rheo help COMMAND everything.

      Exit status: 0 done; 1 failed; 2 done, but the input was damaged; 3 no motion (detect \
      --fail-without-motion); 64 wrong usage; \
      130 interrupted, the output is valid up to there.
      """,
    version: RheoVersion.number,
    subcommands: [
      AnnotateCommand.self, RunCommand.self, FlowCommand.self, ExportCommand.self, PlanCommand.self, MergeCommand.self,
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
    let arguments = configuredArguments().all
    do {
      if arguments == ["help", "parameters"] { return try printLine(ParameterHelp.text) }
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      if let help = arrangedHelp(error, arguments) {
        do { try OutputFile.writeToStandardOutput(help.utf8) } catch { exit(withError: error) }
        return
      }
      exit(withError: error)
    }
  }

  /// Returns the help that was asked for: `rheo COMMAND --help` on two screens, `rheo help COMMAND` as a whole.
  private static func arrangedHelp(_ error: any Error, _ arguments: [String]) -> String? {
    guard exitCode(for: error) == .success else { return nil }
    let isWhole = arguments.first == "help"
    let command = (isWhole ? arguments.dropFirst() : arguments[...]).first ?? ""
    let help = HelpText(fullMessage(for: error), command: command)
    return isWhole ? help?.full : help?.brief
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
