import ArgumentParser
import Rheo

/// The options for estimating motion.
struct FlowOptions: ParsableArguments {
  enum AlgorithmName: String, CaseIterable, ExpressibleByArgument {
    case dis, farneback
    case lucasKanade = "lucas-kanade"
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
  var algorithm = AlgorithmName.dis

  @Option(help: "How much time to spend on precision.")
  var accuracy = AccuracyName.medium

  @Option(
    help: ArgumentHelp(
      "Change single parameters of the method; rheo help parameters lists them.", valueName: "key=value:…"))
  var parameters: String?

  @Option(
    help: ArgumentHelp(
      "Analyse at a reduced size: the longest side in pixels. The flow is scaled back.", valueName: "pixels"))
  var maxDimension: Int?

  @Option(
    help: ArgumentHelp(
      "Analyse this part only, in fractions of the image; elsewhere the flow is unknown.", valueName: "x,y,w,h"))
  var region: RegionArgument?

  @Flag(help: "In a video: start each search from the last flow, which finds faster motion.")
  var warmStart = false

  func request(direction: OpticalFlowRequest.Direction = .forward) throws -> OpticalFlowRequest {
    var request = OpticalFlowRequest(algorithm: try chosenAlgorithm(), direction: direction)
    request.maximumDimension = maxDimension
    request.startsFromLastFlow = warmStart
    request.regionOfInterest = region?.rect ?? .full
    return request
  }

  private func chosenAlgorithm() throws -> OpticalFlowRequest.Algorithm {
    let text = parameters ?? ""
    return switch algorithm {
    case .dis:
      .dis(try InverseSearchParameters(overriding: InverseSearchParameters(accuracy.accuracy), with: text))
    case .lucasKanade:
      .lucasKanade(try LucasKanadeParameters(overriding: LucasKanadeParameters(accuracy.accuracy), with: text))
    case .farneback:
      .farneback(try FarnebackParameters(overriding: FarnebackParameters(accuracy.accuracy), with: text))
    }
  }

  func validate() throws {
    do {
      try request().validate()
    } catch let error as ParameterError {
      throw ValidationError("--parameters: \(error)")
    } catch let error as AnalysisError {
      throw ValidationError("\(error)")
    }
  }
}

/// `x,y,w,h` in fractions of the image.
struct RegionArgument: ExpressibleByArgument {
  let rect: NormalizedRect

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 4, let x = parts[0], let y = parts[1], let width = parts[2], let height = parts[3] else {
      return nil
    }
    rect = NormalizedRect(x: x, y: y, width: width, height: height)
  }
}

/// `--compensate`, for the commands that take motion from a video.
struct CompensationOption: ParsableArguments {
  enum Compensation: String, CaseIterable, ExpressibleByArgument {
    case none, translation, homography
  }

  @Option(help: "Take the camera's motion out of the flow, so that only what moves in the scene is left.")
  var compensate = Compensation.none

  var model: TransformModel { Self.model(of: compensate) }

  static func model(of compensate: Compensation) -> TransformModel {
    switch compensate {
    case .none: .identity
    case .translation: .translation
    case .homography: .homography
    }
  }
}

/// `--direction`, for the commands that write flow.
struct DirectionOption: ParsableArguments {
  @Option(help: "From the first image to the second, back, or both with confidence.")
  var direction = OpticalFlowRequest.Direction.forward
}

extension OpticalFlowRequest.Direction: ExpressibleByArgument {}
