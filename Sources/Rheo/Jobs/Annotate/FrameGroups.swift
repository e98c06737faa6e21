// Where an annotated video is cut into groups that can be made anywhere.

import Imaging
import VideoIO

/// Groups of frames that are drawn and encoded by themselves, told apart by the frames' times.
///
/// A drawing depends on the frames before: the scale follows the stream. A group is prepared by the frames just
/// ahead of it, and by no others. A value; used by one thread.
struct FrameGroups: Sendable {
  /// A group of frames.
  struct Group: Sendable {
    /// The number of the group in the whole video, from 0.
    let number: Int
    /// The time of the first frame by which it is prepared.
    let preparation: MediaTime
    /// The time of its first frame.
    let begin: MediaTime
  }

  /// The groups, in order.
  let groups: [Group]
  /// The time of the first frame behind them; nil: they last to the end.
  let end: MediaTime?
  /// The index of the group that comes next.
  private var position = 0

  init(groups: [Group], end: MediaTime?) {
    (self.groups, self.end) = (groups, end)
  }

  /// Returns whether the next group is being prepared, or begins.
  func isPrepared(at time: MediaTime) -> Bool { position < groups.count && time >= groups[position].preparation }

  /// Returns whether a group begins with a frame.
  mutating func begin(at time: MediaTime) -> Bool {
    let before = position
    while position < groups.count, time >= groups[position].begin { position += 1 }
    return position > before
  }

  /// Returns whether a frame belongs to one of the groups.
  func isInside(_ time: MediaTime) -> Bool {
    guard let first = groups.first, time >= first.begin else { return false }
    return end.map { time < $0 } ?? true
  }
}
