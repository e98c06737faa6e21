import Foundation
import Imaging

/// The facts that are true of a scene, as it is written to `truth.json`. Events have the form of the motion report.
public struct SceneTruth: Sendable, Codable, Hashable {
  /// The parameters of what was drawn: ``SceneParameters`` as JSON has them.
  public struct Parameters: Sendable, Codable, Hashable {
    /// The scene's name.
    public var scene: SceneName
    /// The width of the frames, in pixels.
    public var width: Int
    /// The height of the frames, in pixels.
    public var height: Int
    /// Frames in the video.
    public var frames: Int
    /// The frame rate in frames per second, as `25/1`.
    public var frameRate: String
    /// The seed that the textures and the noise were drawn with.
    public var seed: UInt64
    /// Standard deviation of the sensor noise, in 8-bit levels.
    public var noise: Double
    /// The factor on all speeds.
    public var motion: Double
  }

  /// The facts that are true of one frame, and of the pair that it begins.
  public struct Frame: Sendable, Codable, Hashable {
    /// The number of the frame, from 0.
    public var frame: Int
    /// The time at which the frame shows, in seconds.
    public var seconds: Double
    /// Factor on all colours of this frame.
    public var gain: Double
    /// Nine elements, row by row: maps the background's pixels of this frame into the next. The last frame has none.
    public var homography: [Double]?
  }

  /// A frame as the ends of events name it.
  public struct Moment: Sendable, Codable, Hashable {
    /// The number of the frame, from 0.
    public var frame: Int
    /// The time at which the frame shows, in seconds.
    public var seconds: Double
    /// The time at which the frame shows, as `hh:mm:ss.mmm`.
    public var timecode: String
  }

  /// An object that is seen, or is seen to move, over all its frames.
  public struct Event: Sendable, Codable, Hashable {
    /// The number in its list, from 1.
    public var number: Int
    /// The object's name.
    public var object: String
    /// The first frame.
    public var start: Moment
    /// The last frame.
    public var end: Moment
    /// The visible part of the object, one box for each frame from start to end.
    public var boxes: [SceneEvent.Box]
  }

  /// The form of the JSON; readers should refuse others.
  public var version = 1
  /// The parameters of what was drawn.
  public var parameters: Parameters
  /// The facts about each frame, in order.
  public var frames: [Frame]
  /// The spans in which an object is visible and moves, sorted by start, then from back to front.
  public var events: [Event]
  /// The spans in which an object that moves at some time is visible, sorted likewise.
  public var presence: [Event]
  /// The tracks of everybody, also while they are hidden, of scenes that try trackers; nil of others.
  public var tracks: [SceneTrack]?

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
    func numbered(_ events: [SceneEvent]) -> [Event] {
      events.enumerated().map { index, event in
        Event(
          number: index + 1, object: event.object, start: moment(event.frames.lowerBound),
          end: moment(event.frames.upperBound), boxes: event.boxes)
      }
    }
    events = numbered(scene.events())
    presence = numbered(scene.presence())
    tracks = given.name.isForTracking ? scene.tracks() : nil
  }

  /// The summary as JSON, keys sorted.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
