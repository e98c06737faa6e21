// The statistics of a video while it is searched: each frame's line goes into the file at once, so that a video
// without an end takes no memory.

import Foundation
import MotionDetection
import VideoIO

/// Writes the file that ``DetectionStatistics`` reads, frame by frame. Used by one thread at a time.
///
/// The first line tells the gaps, which are known at the end: where there are any, all that follows moves.
package final class StatisticsTable {
  private let file: OutputFile
  private let zones: ZoneSet
  /// The file in which the table grows: the output's temporary one, or one without a name for pipes and devices.
  private let descriptor: Int32
  private let isSpooled: Bool
  private var source: Detection.Source?
  private var headByteCount = 0
  /// The number of bytes in the file.
  private var byteCount = 0
  private var buffer = Data()

  /// The number of bytes that are written, and moved, at a time.
  private static let blockSize = 1 << 16

  /// - Parameters:
  ///   - file: The output, to which nothing has been written.
  ///   - zones: The zones of the detection.
  /// - Throws: `MediaError` `cannotWrite`.
  package init(_ file: OutputFile, zones: ZoneSet) throws {
    self.file = file
    self.zones = zones
    isSpooled = !file.hasTemporaryName
    descriptor = try isSpooled ? ReportStore.makeFile() : file.opened()
  }

  deinit { if isSpooled { close(descriptor) } }

  /// Begins with the lines before those of the frames.
  func begin(_ source: Detection.Source) throws {
    self.source = source
    let head = try DetectionStatistics.head(source: source, zones: zones, gaps: [])
    headByteCount = head.utf8.count
    try put(head)
  }

  /// Adds a frame.
  func append(_ frame: FrameStatistics) throws {
    try put(DetectionStatistics.row(frame, tripLines: zones.tripLines))
  }

  /// Adds the gaps.
  func finish(gaps: [MediaGap]) throws {
    try flush()
    guard let source, !gaps.isEmpty else { return }
    let head = Data(try DetectionStatistics.head(source: source, zones: zones, gaps: gaps).utf8)
    try move(by: head.count - headByteCount)
    try write(head, at: 0)
  }

  /// Gives the complete file its name.
  /// - Throws: `MediaError` `cannotWrite`.
  package func commit() throws {
    if isSpooled {
      var position = 0
      while position < byteCount {
        let block = try read(at: position, count: min(Self.blockSize, byteCount - position))
        try block.withUnsafeBytes(file.append)
        position += block.count
      }
    }
    try file.commit()
  }

  private func put(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.blockSize { try flush() }
  }

  private func flush() throws {
    try write(buffer, at: byteCount)
    byteCount += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// Moves everything behind the head towards the end, the last block first.
  private func move(by distance: Int) throws {
    var end = byteCount
    while end > headByteCount {
      let start = max(headByteCount, end - Self.blockSize)
      try write(try read(at: start, count: end - start), at: start + distance)
      end = start
    }
    byteCount += distance
  }

  private func write(_ bytes: Data, at position: Int) throws {
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(position + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("cannot be written") }
        done += count
      }
    }
  }

  private func read(at position: Int, count: Int) throws -> Data {
    var bytes = Data(count: count)
    try bytes.withUnsafeMutableBytes { buffer in
      var done = 0
      while done < count {
        let step = pread(descriptor, buffer.baseAddress! + done, count - done, off_t(position + done))
        if step < 0, errno == EINTR { continue }
        guard step > 0 else { throw failure("cannot be read back") }
        done += step
      }
    }
    return bytes
  }

  private func failure(_ what: String) -> MediaError {
    MediaError(.cannotWrite, "\(what): \(String(cString: strerror(errno)))", file: file.path)
  }
}
