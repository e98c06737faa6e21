import ArgumentParser
import Rheo

/// How motion is estimated.
struct FlowOptions: ParsableArguments {
  enum AlgorithmName: String, CaseIterable, ExpressibleByArgument {
    case farneback
  }

  enum AccuracyName: String, CaseIterable, ExpressibleByArgument {
    case low, medium, high
    case veryHigh = "very-high"

    var accuracy: OpticalFlowRequest.ComputationAccuracy {
      switch self {
      case .low: .low
      case .medium: .medium
      case .high: .high
      case .veryHigh: .veryHigh
      }
    }
  }

  @Option(help: "The method of estimation.")
  var algorithm = AlgorithmName.farneback

  @Option(help: "How much time to spend on precision.")
  var accuracy = AccuracyName.medium

  @Option(help: ArgumentHelp(FlowOptions.parametersHelp, valueName: "key=value:…"))
  var parameters: String?

  func request() throws -> OpticalFlowRequest {
    switch algorithm {
    case .farneback:
      let base = FarnebackParameters(accuracy.accuracy)
      return OpticalFlowRequest(
        algorithm: .farneback(try FarnebackParameters(overriding: base, with: parameters ?? "")))
    }
  }

  func validate() throws {
    do { _ = try request() } catch let error as ParameterError { throw ValidationError("--parameters: \(error)") }
  }

  private static var parametersHelp: String {
    "Change single parameters of the method. For farneback: "
      + FarnebackParameters.keys.map { "\($0.name) (\($0.allowedValues))" }.joined(separator: ", ") + "."
  }
}
