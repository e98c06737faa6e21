import Foundation
import VideoIO

/// A folder of this run alone.
struct ShardFolder {
  private let path: String

  /// Makes a hidden folder beside a file.
  init(beside file: String) throws {
    let (above, name) = ((file as NSString).deletingLastPathComponent, (file as NSString).lastPathComponent)
    var template = Array(((above as NSString).appendingPathComponent(".\(name).shards.XXXXXX")).utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else {
      throw MediaError(.cannotWrite, "no folder can be made beside it: " + String(cString: strerror(errno)), file: file)
    }
    path = made
  }

  func file(_ name: String) -> String { (path as NSString).appendingPathComponent(name) }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
