import Foundation
import Rheo

/// Returns the text of a file.
/// - Throws: ``MediaError`` `cannotOpen`.
func textContents(of path: String) throws -> String {
  String(decoding: try FileContents.read(path), as: UTF8.self)
}

extension ZoneSet {
  /// Reads a zones file.
  /// - Throws: ``MediaError`` `cannotOpen`; ``MotionDetectionError`` `invalidZones`, with the name of the file.
  init(path: String) throws {
    do {
      try self.init(json: Data(try textContents(of: path).utf8))
    } catch let error as MotionDetectionError {
      throw MotionDetectionError(error.code, "\(path): \(error.message)")
    }
  }
}

extension DetectionStatistics {
  /// Reads a file of statistics.
  /// - Throws: ``MediaError`` `cannotOpen`; ``MotionDetectionError`` with the name of the file.
  init(path: String) throws {
    do {
      try self.init(text: try textContents(of: path))
    } catch let error as MotionDetectionError {
      throw MotionDetectionError(error.code, "\(path): \(error.message)")
    }
  }
}
