// Parts of an input as files of their own, without decoding.

import CFFmpeg
import Imaging

/// A receiver of the packets of a clip. Used by one thread.
package protocol ClipSink: AnyObject {
  /// The notes on what could not be carried over, and why: one line each.
  var notes: [String] { get }
  /// A Boolean value that tells whether the clip may hold frames after its last one, where others need them.
  var keepsWholeGroups: Bool { get }
  /// Takes the next packet, in the order of the input, from a key frame of the video on.
  func append(_ packet: SourcePacket) throws
  /// Declares that frames up to the time `end` belong to the clip.
  func advance(to end: MediaTime) throws
  /// Declares that no more packets of the video will come.
  func finishVideo() throws
  /// Completes the file and gives it its final name.
  func finish() throws
  /// Gives the file up: nothing of it stays.
  func abandon()
}

/// Copies packets into a file whose times begin at zero.
package final class ClipWriter: ClipSink {
  private let streams: CopiedStreams
  private let muxer: Muxer
  /// The notes on what could not be carried over, and why: one line each.
  package let notes: [String]
  /// True, because frames that are copied may need later ones.
  package let keepsWholeGroups = true

  /// - Parameters:
  ///   - path: A file; its ending says which container.
  ///   - start: The time of the key frame that is the first packet. It becomes zero.
  /// - Throws: ``MediaError``.
  package init(_ path: String, streams: CopiedStreams, start: MediaTime, overwrite: Bool) throws {
    self.streams = streams
    (muxer, notes) = try Muxer.copying(
      streams, to: path, overwrite: overwrite, inputs: [streams.path], shift: start)
  }

  /// Writes a packet; those of unknown streams, and those before the start, are dropped.
  /// - Throws: ``MediaError`` `cannotWrite`, also when the container does not say when frames show.
  package func append(_ packet: SourcePacket) throws {
    if packet.isVideo { try streams.requireTimes(of: packet) }
    do {
      try muxer.write(MediaPacket(sharing: packet.pointer))
    } catch let error as MediaError { throw error.naming(muxer.path) }
  }

  /// Has nothing to wait for.
  package func advance(to end: MediaTime) {}
  /// Has nothing to complete.
  package func finishVideo() {}
  /// Deletes what was written.
  package func abandon() { muxer.discard() }

  /// Completes the file and gives it its final name.
  package func finish() throws {
    do { try muxer.finish() } catch let error as MediaError { throw error.naming(muxer.path) }
  }
}
