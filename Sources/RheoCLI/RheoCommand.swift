import ArgumentParser
import Foundation
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
      writeMessage("this is a debug build, some 200 times slower: build with -c release")
    #endif
    let configured = configuredArguments()
    let arguments = configured.all
    InterruptWatch.removeUnfinishedOutputsAtSignals()
    // No output replaces the file that standard input is, or that with the options.
    OutputFile.protect(["-"] + [configured.filePath].compactMap(\.self))
    do {
      if arguments == ["help", "parameters"] { return try printLine(ParameterHelp.text) }
      if arguments.first == "help", let name = arguments.dropFirst().first { try requireCommand(name) }
      var command = try parseAsRoot(arguments.joiningNegativeNumbers)
      try command.run()
    } catch {
      end(error, arguments)
    }
  }

  /// Ends the program with what there is to say: help on standard output, a mistake on standard error.
  private static func end(_ error: any Error, _ arguments: [String]) -> Never {
    let code = exitCode(for: error)
    if error is ExitCode { Foundation.exit(code.rawValue) }
    guard code == .success else {
      let text = CommandNames.suggestion(for: error, arguments) ?? fullMessage(for: error)
      // Words of the command line are in it: names of files, which may steer the terminal, and addresses.
      let masked = MediaAddress.masking(in: SecretOptions.masking(in: text, arguments))
      let lines = masked.split(separator: "\n", omittingEmptySubsequences: false)
      writeToStandardError(lines.map { shown(String($0)) }.joined(separator: "\n") + "\n")
      Foundation.exit(code.rawValue)
    }
    do {
      try OutputFile.writeToStandardOutput(
        (arrangedHelp(error, arguments) ?? fullMessage(for: error) + "\n").utf8)
    } catch {
      writeToStandardError("rheo: \(error)\n")
      Foundation.exit(ExitCode.failure.rawValue)
    }
    Foundation.exit(0)
  }

  /// - Throws: `ValidationError` when there is no such command.
  private static func requireCommand(_ name: String) throws {
    guard !name.hasPrefix("-"), !CommandNames.all.contains(name) else { return }
    throw ValidationError(CommandNames.refusal(of: name))
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
      do { _ = try parseAsRoot(arguments.all.joiningNegativeNumbers) } catch { end(error, arguments.all) }
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
