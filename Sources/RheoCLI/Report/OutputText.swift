import Foundation
import Rheo

extension OutputFile {
  /// Writes the whole file, or to standard output, from pieces of text.
  /// - Parameter pieces: Called with a function that takes one piece after the other.
  /// - Throws: ``MediaError`` `cannotWrite`, and what `pieces` throws; then there is no file.
  func write(_ pieces: (_ put: @escaping (String) throws -> Void) throws -> Void) throws {
    guard path != "-" else { return try pieces { try Self.writeToStandardOutput($0.utf8) } }
    guard let file = fopen(workingPath, "we") else { throw failure() }
    do {
      try pieces { text in
        guard fputs(text, file) >= 0 else { throw self.failure() }
      }
    } catch {
      fclose(file)
      throw error
    }
    guard fclose(file) == 0 else { throw failure() }
    try commit()
  }

  private func failure() -> MediaError {
    MediaError(.cannotWrite, "cannot be written: \(String(cString: strerror(errno)))", file: path)
  }
}
