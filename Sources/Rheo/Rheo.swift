// `import Rheo` brings every public module.

@_exported import FlowAnalysis
@_exported import FlowFormats
@_exported import FlowRendering
@_exported import Imaging
@_exported import MotionDetection
@_exported import ObjectTracking
@_exported import OpticalFlow
@_exported import Registration
@_exported import SceneSynthesis
@_exported import VideoIO

/// The version of the program and its processor kernels, as files and reports name them.
public enum RheoVersion {
  /// `major.minor.patch`, by semantic versioning.
  public static let number = LibraryVersion.number
  /// The instruction set of the kernels in use: `baseline`, `v3` or `v4`.
  public static var processor: String { Parallelism.kernelVariant }
}
