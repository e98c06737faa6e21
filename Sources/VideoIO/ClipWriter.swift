// Parts of an input as files of their own, without decoding.

import CFFmpeg
import Imaging

/// What becomes of the packets of a clip. Used by one thread.
public protocol ClipSink: AnyObject {
  /// Whether frames after the last one may be there, where others need them.
  var keepsWholeGroups: Bool { get }
  /// Takes the next packet, in the order of the input, from a key frame of the video on.
  func append(_ packet: SourcePacket) throws
  /// Frames up to this time belong to the clip.
  func advance(to end: MediaTime) throws
  /// No more packets of the video will come.
  func finishVideo() throws
  /// Completes the file and gives it its final name.
  func finish() throws
  /// Gives the file up: nothing of it stays.
  func abandon()
}

/// Copies packets into a file whose times begin at zero.
public final class ClipWriter: ClipSink {
  private let streams: CopiedStreams
  private let muxer: Muxer
  public let keepsWholeGroups = true

  /// - Parameters:
  ///   - path: A file; its ending says which container.
  ///   - start: The time of the key frame that is the first packet. It becomes zero.
  /// - Throws: ``MediaError``.
  public init(_ path: String, streams: CopiedStreams, start: MediaTime, overwrite: Bool) throws {
    self.streams = streams
    let container = try Muxer.outputFormat(path: path, format: nil)
    do {
      muxer = try Muxer(path: path, format: container, overwrite: overwrite)
      try muxer.setMetadata(&muxer.context.pointee.metadata, streams.metadata)
      for (index, stream) in streams.streams { try muxer.addCopy(of: stream, as: index) }
      let base = streams.videoStream.pointee.time_base.rational
      try muxer.start(
        options: muxer.settings(path: path, container: String(cString: container.pointee.name), timeBase: base),
        shift: start)
    } catch let error as MediaError { throw error.naming(path) }
  }

  public func append(_ packet: SourcePacket) throws {
    if packet.isVideo { try checkTimes(of: packet) }
    do {
      try muxer.write(MediaPacket(sharing: packet.pointer))
    } catch let error as MediaError { throw error.naming(muxer.path) }
  }

  /// Where frames are stored in another order than they are shown in, the decoding time is no guess at when they show.
  private func checkTimes(of packet: SourcePacket) throws {
    let delay = streams.videoStream.pointee.codecpar.pointee.video_delay
    guard packet.pointer.pointee.pts == RHEO_NO_TIME, delay > 0 || packet.time == nil else { return }
    throw MediaError(
      .cannotWrite, "the container does not say when frames show, so clips cannot be copied; encode them",
      file: streams.path)
  }

  public func advance(to end: MediaTime) {}
  public func finishVideo() {}
  public func abandon() { muxer.discard() }

  public func finish() throws {
    do { try muxer.finish() } catch let error as MediaError { throw error.naming(muxer.path) }
  }
}
