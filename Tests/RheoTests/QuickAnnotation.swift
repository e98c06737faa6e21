import Foundation
import Rheo

extension Annotation {
  /// The fastest settings: what counts here is what surrounds the flow.
  static func quick(_ input: URL, _ output: URL, _ change: (inout Annotation) -> Void = { _ in }) throws -> Report {
    var annotation = Annotation(
      input: input.path, output: output.path, flow: OpticalFlowRequest(computationAccuracy: .low),
      encoding: EncoderOptions(preset: output.pathExtension == "webm" ? nil : "ultrafast"))
    change(&annotation)
    return try annotation.run()
  }
}
