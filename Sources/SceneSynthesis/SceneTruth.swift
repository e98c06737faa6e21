import Foundation
import Imaging

/// What is true of a scene, as it is written to `truth.json`. Events have the form of the motion report.
public struct SceneTruth: Sendable, Codable, Hashable {
  public struct Parameters: Sendable, Codable, Hashable {
    public var scene: SceneName
    public var width: Int
    public var height: Int
    public var frames: Int
    /// As `25/1`.
    public var frameRate: String
    public var seed: UInt64
    public var noise: Double
    public var motion: Double
  }

  public struct Frame: Sendable, Codable, Hashable {
    public var frame: Int
    public var seconds: Double
    /// Factor on all colours of this frame.
    public var gain: Double
    /// Nine elements, row by row: maps the background's pixels of this frame into the next. The last frame has none.
    public var homography: [Double]?
  }

  public struct Moment: Sendable, Codable, Hashable {
    public var frame: Int
    public var seconds: Double
    public var timecode: String
  }

  public struct Event: Sendable, Codable, Hashable {
    /// From 1.
    public var number: Int
    public var object: String
    /// The first and the last frame in which the object is visible and moves.
    public var start: Moment
    public var end: Moment
    public var boxes: [SceneEvent.Box]
  }

  public var version = 1
  public var parameters: Parameters
  public var frames: [Frame]
  public var events: [Event]

  /// - Complexity: That of ``Scene/events()``.
  public init(_ scene: Scene) {
    let given = scene.parameters
    parameters = Parameters(
      scene: given.name, width: given.size.width, height: given.size.height, frames: given.frameCount,
      frameRate: given.frameRate.description, seed: given.seed, noise: given.noiseSigma, motion: given.motion)
    frames = (0..<scene.frameCount).map { t in
      Frame(
        frame: t, seconds: scene.presentationTime(t).seconds, gain: scene.gain(t),
        homography: t + 1 < scene.frameCount ? scene.homography(t).elements : nil)
    }
    func moment(_ t: Int) -> Moment {
      let time = scene.presentationTime(t)
      return Moment(frame: t, seconds: time.seconds, timecode: time.timecode)
    }
    events = scene.events().enumerated().map { index, event in
      Event(
        number: index + 1, object: event.object, start: moment(event.frames.lowerBound),
        end: moment(event.frames.upperBound), boxes: event.boxes)
    }
  }

  /// The summary as JSON, keys sorted.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
