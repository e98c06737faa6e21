import ArgumentParser
import Foundation
import Rheo

/// The side of cells in pixels, as users write it.
struct CellSizeArgument: ExpressibleByArgument {
  static let help = ArgumentHelp(
    "Export the mean vectors of square cells with sides of this many pixels, 1…1024, not those of all pixels.",
    valueName: "pixels")

  let side: Int

  init?(argument: String) {
    guard let side = Int(argument), FlowExport.cellSizeRange.contains(side) else { return nil }
    self.side = side
  }
}

/// The path and the kind of an export, as users name them.
struct ExportTarget {
  let path: String
  private let named: FlowFormat?

  /// - Parameter format: The kind of the files; nil: the name tells.
  init(_ path: String, format: FlowFormat?) {
    self.path = path
    named = format
  }

  /// The endings of files that are no folders, whatever somebody had in mind with such a name.
  private static let fileEndings: Set<String> = [
    "npz", "mp4", "mkv", "mov", "avi", "webm", "ts", "gif", "jpg", "jpeg", "png", "tif", "tiff", "json", "csv", "txt",
    "html", "htm", "zip", "gz", "pdf", "xml",
  ]

  /// Throws where the name of a folder is that of a file, unless there is such a folder.
  /// - Throws: `ValidationError`.
  static func requireFolderName(_ path: String, _ what: String, also: String? = nil) throws {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
    let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
    guard !path.hasSuffix("/"), fileEndings.contains(ending) else { return }
    throw ValidationError(
      "\(what) is a folder\(also.map { " or \($0)" } ?? ""), and '\(path)' is the name of a file; "
        + "'\(path)/' would be a folder")
  }

  /// The form: one array where the name ends in `.npy`.
  var layout: FlowExport.Layout { path.lowercased().hasSuffix(".npy") ? .stack : .folder }
  /// The kind of the files.
  var format: FlowFormat { named ?? (layout == .stack ? .npy : .flo) }

  /// - Parameter option: The option that tells the kind of the files.
  /// - Throws: `ValidationError` for what no export can be.
  func validate(_ file: FlowFileOptions, option: String) throws {
    if path == "-" { throw ValidationError("an export is a folder or a .npy file; it cannot go to standard output") }
    let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
    if !path.hasSuffix("/"), ["flo", "flo5", "pfm", "png"].contains(ending) {
      throw ValidationError(
        "an export is a folder with a file for each pair, or one .npy file, not '\(path)'; \(option) tells the kind "
          + "of its files, and rheo flow writes a single one")
    }
    if !path.hasSuffix("/") { try Self.requireFolderName(path, "an export", also: "a .npy file") }
    if layout == .stack, format != .npy {
      throw ValidationError("'\(path)' holds all pairs as npy; \(option) \(format.rawValue) needs a folder")
    }
    if file.half, format != .npy { throw ValidationError("--half is for npy, not \(format.rawValue)") }
    if file.bound != nil, format != .images {
      throw ValidationError("--bound is for pictures, not \(format.rawValue)")
    }
  }
}
