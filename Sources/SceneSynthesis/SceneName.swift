import Imaging

/// The scenes that can be drawn.
public enum SceneName: String, CaseIterable, Sendable, Hashable, Codable {
  /// The camera pans at a constant 2.25 px and −1.25 px a frame.
  case pan
  /// The camera zooms in and out by half a percent a frame.
  case zoom
  /// The camera rolls by 0.6° a frame.
  case rotation
  /// The camera turns about three axes in front of a slanted wall: a general homography.
  case perspective
  /// Textured objects cross before a still background and hide each other.
  case objects
  /// Textured objects cross before a panning background and hide each other.
  case objectsPan = "objects-pan"
  /// A drift of a quarter of a pixel a frame.
  case subpixel
  /// The pan with sensor noise.
  case noise
  /// An object moves while the light grows.
  case brightness
  /// Nothing moves, but the light flickers and is dimmed for a while.
  case flicker
  /// A shaking camera, with jitter of shift and roll, and an object that passes.
  case shake
  /// Nothing moves.
  case still
  /// A fixed camera before which people come and go at known times.
  case walkers
  /// Balloons drift over a landscape: a slow camera, many speeds and directions.
  case demo
  /// Rain, and somebody who passes from frame 150 on.
  case rain
  /// Few flakes, and somebody who passes from frame 150 on.
  case snowLight = "snow-light"
  /// Snow, and somebody who passes from frame 150 on.
  case snowMedium = "snow-medium"
  /// Dense snow, and somebody who passes from frame 150 on.
  case snowHeavy = "snow-heavy"
  /// A flag in the wind, and somebody who passes from frame 150 on.
  case flag
  /// Ripples on a pond, and somebody who passes from frame 150 on.
  case water
  /// A running text, and somebody who passes from frame 150 on.
  case banner
  /// A television that runs, and somebody who passes from frame 150 on.
  case television
  /// An insect before the lens, and somebody who passes from frame 150 on.
  case insect
  /// Rolling bands of mains light, and somebody who passes from frame 150 on.
  case rollingBands = "rolling-bands"
  /// The light of cars on walls at night, and somebody who passes from frame 150 on.
  case headlights
  /// Somebody passes whose luma is that of the ground.
  case equalLuma = "equal-luma"
  /// Somebody comes, stands for eight seconds with small shifts of weight, and leaves.
  case standingVisitor = "standing-visitor"
  /// Two frames a second, and somebody who passes in six seconds.
  case slowCamera = "slow-camera"
  /// Five people cross in the middle and hide each other.
  case crossingWalkers = "crossing-walkers"
  /// Four people pass behind a pillar and a pole.
  case hiddenWalkers = "hidden-walkers"
  /// Two people meet, go on together and part; a third one passes.
  case meetingWalkers = "meeting-walkers"
  /// Three people come, stand and go; a fourth one passes.
  case standingWalkers = "standing-walkers"
}

extension SceneName {
  /// The content of the scene, in one line.
  public var summary: String {
    switch self {
    case .pan: "the camera pans at a constant 2.25 px and -1.25 px a frame"
    case .zoom: "the camera zooms in and out by half a percent a frame"
    case .rotation: "the camera rolls by 0.6 degrees a frame"
    case .perspective: "the camera turns about three axes in front of a slanted wall: a general homography"
    case .objects: "textured objects cross before a still background and hide each other"
    case .objectsPan: "the same objects before a panning background"
    case .subpixel: "a drift of a quarter of a pixel a frame"
    case .noise: "the pan with sensor noise (sigma 4 unless told otherwise)"
    case .brightness: "an object moves while the light grows"
    case .flicker: "nothing moves, but the light flickers and is dimmed for a while: no events"
    case .shake: "a shaking camera: jitter of shift and roll, and an object that passes"
    case .still: "nothing moves"
    case .walkers: "a fixed camera before which people come and go at known times"
    case .demo: "balloons drift over a landscape: slow camera, many speeds and directions"
    case .rain: "rain; somebody passes from frame 150 on"
    case .snowLight: "few flakes of snow; somebody passes from frame 150 on"
    case .snowMedium: "snow; somebody passes from frame 150 on"
    case .snowHeavy: "dense snow; somebody passes from frame 150 on"
    case .flag: "a flag in the wind; somebody passes from frame 150 on"
    case .water: "ripples on a pond; somebody passes from frame 150 on"
    case .banner: "a running text; somebody passes from frame 150 on"
    case .television: "a television that runs; somebody passes from frame 150 on"
    case .insect: "an insect before the lens; somebody passes from frame 150 on"
    case .rollingBands: "rolling bands of mains light; somebody passes from frame 150 on"
    case .headlights: "the light of cars on walls at night; somebody passes from frame 150 on"
    case .equalLuma: "somebody passes whose luma is that of the ground"
    case .standingVisitor: "somebody comes, stands with small shifts of weight, and leaves"
    case .slowCamera: "two frames a second; somebody passes in six seconds"
    case .crossingWalkers: "five people cross in the middle and hide each other"
    case .hiddenWalkers: "four people pass behind a pillar and a pole"
    case .meetingWalkers: "two people meet, go on together and part; a third one passes"
    case .standingWalkers: "three people come, stand and go; a fourth one passes"
    }
  }

  /// The number of frames unless another is asked for.
  var usualFrameCount: Int {
    switch self {
    case .slowCamera: 60
    case .standingVisitor: 380
    case .equalLuma: 220
    case .walkers: 250
    case .meetingWalkers, .standingWalkers: 380
    case _ where isForTracking: 300
    case _ where isForDetection: 250
    default: 100
    }
  }

  /// The frame rate unless another is asked for.
  var usualFrameRate: Rational { self == .slowCamera ? Rational(2, 1) : Rational(25, 1) }

  /// The standard deviation of the noise unless another is asked for.
  var usualNoise: Double { self == .noise ? 4 : isForDetection || isForTracking ? 1.5 : 0 }

  /// A Boolean value that tells whether the scene tries trackers: its truth has the boxes and identities of people, see
  /// ``SceneTrack``. There is no truth of flow, since limbs swing.
  public var isForTracking: Bool {
    switch self {
    case .crossingWalkers, .hiddenWalkers, .meetingWalkers, .standingWalkers: true
    default: false
    }
  }

  /// A Boolean value that tells whether ``Scene/flow(from:)`` and ``Scene/occlusion(_:)`` are true of every pixel.
  public var hasExactFlow: Bool { !isForDetection && !isForTracking }

  /// A Boolean value that tells whether the scene tries the detection of motion: its truth is that of events and
  /// presence, not of flow, since weather, cloth, water and light are no part of it.
  public var isForDetection: Bool {
    switch self {
    case .rain, .snowLight, .snowMedium, .snowHeavy, .flag, .water, .banner, .television, .insect, .rollingBands,
      .headlights, .equalLuma, .standingVisitor, .slowCamera:
      true
    default: false
    }
  }

  /// The scene that is called `text`.
  /// - Throws: ``SceneError`` with the list of all names.
  public init(named text: String) throws {
    guard let name = SceneName(rawValue: text) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw SceneError(code: .unknownScene, message: "there is no scene '\(text)', only: \(names)")
    }
    self = name
  }
}
