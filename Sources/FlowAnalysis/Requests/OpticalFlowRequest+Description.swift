// An algorithm with its parameters as text, for files that say how they came about.

import OpticalFlow

extension OpticalFlowRequest.Algorithm {
  /// `dis`, `farneback` or `lucas-kanade`.
  public var name: String {
    switch self {
    case .dis: "dis"
    case .farneback: "farneback"
    case .lucasKanade: "lucas-kanade"
    }
  }

  /// The level whose parameters these are; nil when they are no level's.
  public var accuracy: OpticalFlowRequest.ComputationAccuracy? {
    OpticalFlowRequest.ComputationAccuracy.allCases.first { accuracy in
      switch self {
      case .dis(let parameters): parameters == InverseSearchParameters(accuracy)
      case .farneback(let parameters): parameters == FarnebackParameters(accuracy)
      case .lucasKanade(let parameters): parameters == LucasKanadeParameters(accuracy)
      }
    }
  }

  /// All parameters with their values, under the keys of reports; `key=value` of them is read, too.
  public var parameters: [(name: String, value: String)] {
    func list<Parameters: NamedParameters>(_ parameters: Parameters) -> [(name: String, value: String)] {
      Parameters.keys.map { ($0.reportKey, $0.value(in: parameters)) }
    }
    return switch self {
    case .dis(let parameters): list(parameters)
    case .farneback(let parameters): list(parameters)
    case .lucasKanade(let parameters): list(parameters)
    }
  }
}
