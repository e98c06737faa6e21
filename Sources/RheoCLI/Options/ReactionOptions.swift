import ArgumentParser
import Foundation
import Rheo

/// The options for the reactions to an event's beginning and end.
struct ReactionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run this when an event is certain, without a shell; see above for {start}, {zone} …", valueName: "command"),
    transform: CommandTemplate.init)
  var onStart: CommandTemplate?

  @Option(
    help: ArgumentHelp("Run this when an event is over and its files are written.", valueName: "command"),
    transform: CommandTemplate.init)
  var onEnd: CommandTemplate?

  @Option(
    help: ArgumentHelp("Post the start and the end of each event there, as JSON.", valueName: "url"),
    transform: Self.address)
  var webhook: URL?

  @Option(
    help: ArgumentHelp("A command or post may take this long, and all that are left at the end.", valueName: "seconds"))
  var reactionLimit = 60.0

  static let discussion = """
    --on-start and --on-end take a program and its arguments as one text. Quotes keep words together; there is no \
    shell, so no variables, patterns or pipes. In each argument {start} and {end} are seconds, {zone} the zones' names \
    with commas, {clip} and {snapshot} the event's files, {input} the video without the passwords and tokens of an \
    address ({input:full} with them), {number} the event's, {score} the highest score so far. A command's output goes \
    to standard error. Commands begin in the order of the events, up to four at once; one that fails is a warning. \
    --webhook posts {"type": "start"|"end", "input": …, "event": {…}}, and tries again, up to five times, when the \
    server is away or answers with status 408, 429 or 500 and above.
    """

  /// A Boolean value that tells whether there are any reactions.
  var areAny: Bool { onStart != nil || onEnd != nil || webhook != nil }

  func validate() throws {
    guard (0.1...86400).contains(reactionLimit) else {
      throw ValidationError("--reaction-limit is 0.1…86400 seconds, not \(reactionLimit)")
    }
  }

  private static func address(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
    else { throw ValidationError("a webhook is an address like https://host/path, of http or https and with a host") }
    return url
  }
}
