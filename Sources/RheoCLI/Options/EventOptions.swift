import ArgumentParser
import Rheo

/// The options for what makes motion an event.
struct EventOptions: ParsableArguments {
  private static let standard = EventParameters()

  @Option(help: "Percent of the image that must travel for an event.")
  var threshold = EventOptions.standard.threshold

  @Option(help: ArgumentHelp("Shorter motion is no event.", valueName: "seconds"))
  var minDuration = EventOptions.standard.minimumDuration

  @Option(help: ArgumentHelp("Motion that begins within this time belongs to the event before.", valueName: "seconds"))
  var mergeGap = EventOptions.standard.mergeGap

  @Option(help: ArgumentHelp("Include this much before the motion.", valueName: "seconds"))
  var before = EventOptions.standard.before

  @Option(help: ArgumentHelp("And this much after it.", valueName: "seconds"))
  var after = EventOptions.standard.after

  @Option(help: ArgumentHelp("Cut longer events into several.", valueName: "seconds"))
  var maxDuration: Double?

  @Option(
    help: ArgumentHelp(
      "What came and stays, with signs of life, belongs to the event this long after it last travelled.",
      valueName: "seconds"))
  var presenceLimit = EventOptions.standard.presenceLimit

  var parameters: EventParameters {
    get { given }
    set {
      (threshold, minDuration, mergeGap) = (newValue.threshold, newValue.minimumDuration, newValue.mergeGap)
      (before, after, maxDuration) = (newValue.before, newValue.after, newValue.maximumDuration)
      presenceLimit = newValue.presenceLimit
    }
  }

  private var given: EventParameters {
    var parameters = Self.standard
    parameters.threshold = threshold
    parameters.minimumDuration = minDuration
    parameters.mergeGap = mergeGap
    parameters.before = before
    parameters.after = after
    parameters.maximumDuration = maxDuration
    parameters.presenceLimit = presenceLimit
    return parameters
  }

  func validate() throws {
    do {
      try parameters.validate()
    } catch let error as MotionDetectionError {
      throw ValidationError(error.message)
    }
  }
}
