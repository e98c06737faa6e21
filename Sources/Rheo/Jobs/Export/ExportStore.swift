// Where an export goes. There are two kinds: a folder with files for each pair, and one file for all of them.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import VideoIO

/// The state of the output of an export before its work: what is there already.
enum ExportPresence {
  case nothing
  /// A journal is there: an export was interrupted.
  case unfinished
  /// A manifest is there, and no journal.
  case complete
  /// Something is there that no export has made.
  case foreign
}

/// The files of an export. Used by one thread at a time.
protocol ExportStore: AnyObject {
  /// The output as users name it.
  var path: String { get }
  var journalPath: String { get }
  var manifestPath: String { get }

  /// Checks that nothing that is read would be replaced or deleted.
  /// - Throws: `MediaError` `invalidOption`.
  func requireDifferent(from inputs: FileIdentities) throws
  func presence() throws -> ExportPresence
  /// A Boolean value that tells whether an output is there that stays as it is until the new one is complete.
  var replacesOutput: Bool { get }
  /// A Boolean value that tells whether the manifest may replace a file: one that was there at the beginning, or any in
  /// a folder of the export's own.
  var replacesManifest: Bool { get }
  /// Makes room for a new export.
  func prepare() throws
  /// Turns to a new output beside the one that is there, which `publish` puts in its place.
  /// - Returns: The lock on an export that is there and may be under way in another program.
  /// - Throws: `MediaError` `cannotWrite` when it is under way.
  func prepareReplacement() throws -> ExportJournal?
  /// Turns to the new output that an interrupted run left beside the one that is there.
  /// - Returns: False when there is none.
  func findReplacement() -> Bool
  /// Deletes the new output, the journal included.
  func discard() throws
  /// Makes what is there ready to be checked by `isWhole`.
  /// - Parameter isUnfinished: True when more is going to be written.
  func reopen(isUnfinished: Bool) throws
  /// Tells whether all files of a pair are as the record says.
  func isWhole(_ record: PairRecord) throws -> Bool
  /// Begins writing behind the first `count` pairs, the last of which has the number `last`.
  func open(keeping count: Int, upTo last: Int, size: PixelSize) throws
  func write(_ pair: ExportedPair) throws -> WrittenPair
  /// Takes over a pair that another export has written.
  /// - Parameters:
  ///   - record: The pair, with the number that it is to have.
  ///   - source: The output that has it.
  /// - Returns: The parts as they are in this output.
  /// - Throws: `MediaError` `damaged` when a part is not as the record says.
  func copy(_ record: PairRecord, from source: ShardOutput) throws -> [PairRecord.Part]
  /// Completes the files, and gives them their names.
  func finish() throws
  /// Puts the complete output, its manifest included, in the place of the one that is there.
  func publish() throws
}

extension ExportStore {
  /// Returns the error of a call of the file system.
  func failure(_ what: String, _ path: String) -> MediaError {
    MediaError(.cannotWrite, "\(what): \(String(cString: strerror(errno)))", file: path)
  }

  /// Deletes a file if it is there.
  func removeFile(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be deleted", path) }
  }

  func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
