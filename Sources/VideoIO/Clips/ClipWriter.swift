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
  package private(set) var notes: [String] = []
  /// True, because frames that are copied may need later ones.
  package let keepsWholeGroups = true

  /// - Parameters:
  ///   - path: A file; its ending says which container.
  ///   - start: The time of the key frame that is the first packet. It becomes zero.
  /// - Throws: ``MediaError``.
  package init(_ path: String, streams: CopiedStreams, start: MediaTime, overwrite: Bool) throws {
    self.streams = streams
    let container = try Muxer.outputFormat(path: path, format: nil)
    do {
      muxer = try Muxer(path: path, format: container, overwrite: overwrite)
      try muxer.setMetadata(&muxer.context.pointee.metadata, streams.metadata)
      let name = String(cString: container.pointee.name)
      for (index, stream) in streams.streams {
        let codec = stream.pointee.codecpar.pointee.codec_id
        if avformat_query_codec(container, codec, FF_COMPLIANCE_NORMAL) == 0, streams.audioIndices.contains(index) {
          notes.append(VideoWriter.leftOut("audio", index, codec, name))
        } else {
          try muxer.addCopy(of: stream, as: index)
        }
      }
      let base = streams.videoStream.pointee.time_base.rational
      try muxer.start(
        options: muxer.settings(path: path, container: name, timeBase: base),
        shift: start)
    } catch let error as MediaError { throw error.naming(path) }
  }

  /// Writes a packet; those of unknown streams, and those before the start, are dropped.
  /// - Throws: ``MediaError`` `cannotWrite`, also when the container does not say when frames show.
  package func append(_ packet: SourcePacket) throws {
    if packet.isVideo { try checkTimes(of: packet) }
    do {
      try muxer.write(MediaPacket(sharing: packet.pointer))
    } catch let error as MediaError { throw error.naming(muxer.path) }
  }

  /// Throws where the container does not say when frames show. Where frames are stored in another order than they are
  /// shown in, the decoding time is no guess at when they show.
  private func checkTimes(of packet: SourcePacket) throws {
    let delay = streams.videoStream.pointee.codecpar.pointee.video_delay
    guard packet.pointer.pointee.pts == RHEO_NO_TIME, delay > 0 || packet.time == nil else { return }
    throw MediaError(
      .cannotWrite, "the container does not say when frames show, so clips cannot be copied; encode them",
      file: streams.path)
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
