/// The effort with which boxes are followed, as in Vision's `VNRequestTrackingLevel`.
public enum TrackingLevel: String, Sendable, Hashable, Codable, CaseIterable {
  /// Tracking by what boxes show alone: nobody has to compute a flow for them.
  case fast
  /// Tracking by what boxes show and by the flow, which is more precise on some rigid objects; where people cross, flow
  /// goes along with the wrong one more often.
  case accurate
}
