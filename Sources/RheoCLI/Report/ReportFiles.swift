// Where the reports of a detection go.

import Foundation
import Rheo

/// An input that was searched, with what a page shows of it.
struct SearchedInput: Sendable {
  var outcome: DetectionOutcome
  var page = PageRecorder()
}

/// The files that --report asks for: one with everything, or a folder with some for each input and a summary.
struct ReportFiles {
  enum Format: String {
    case json, csv, html

    /// By the ending; JSON for any other.
    init(path: String) {
      let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
      self = ending == "htm" ? .html : Format(rawValue: ending) ?? .json
    }
  }

  /// What reports say of how they were made.
  struct Settings {
    var events: EventParameters
    /// Further ones, for people.
    var others: [(String, String)]
  }

  /// A file that is written at the end.
  private struct Target {
    var format: Format
    var file: OutputFile
  }

  private struct Folder {
    /// For each input the files of its report, the machine's before the people's.
    var reports: [[Target]]
    /// The figures of all.
    var summaries: [Target]
  }

  private let files: [Target]
  private let folders: [Folder]

  /// Makes folders, and looks early whether everything can be written.
  /// - Parameters:
  ///   - paths: Files, by whose ending the format is told, `-`, or folders: what is one or ends with `/`.
  ///   - inputs: In their order.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  init(_ paths: [String], inputs: [String], overwrite: Bool) throws {
    func target(_ path: String) throws -> Target {
      Target(format: Format(path: path), file: try OutputFile(path: path, overwrite: overwrite))
    }
    files = try paths.filter { !Self.isFolder($0) }.map(target)
    folders = try paths.filter(Self.isFolder).map { path in
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw MediaError(.cannotWrite, "the folder cannot be made: \(error.localizedDescription)", file: path)
      }
      let prefix = path.hasSuffix("/") ? path : path + "/"
      return Folder(
        reports: try Self.stems(of: inputs).map { stem in
          try ["json", "html"].map { try target("\(prefix)\(stem).\($0)") }
        }, summaries: try ["json", "csv", "html"].map { try target("\(prefix)summary.\($0)") })
    }
  }

  /// Whether pages are among them: those need pictures of the peaks.
  var needPictures: Bool { !folders.isEmpty || files.contains { $0.format == .html } }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return path.hasSuffix("/")
      || FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// A name for each input, the one that its events' files begin with if it can be.
  static func stems(of inputs: [String]) -> [String] {
    // The summaries have names, too.
    var taken: Set<String> = ["summary"]
    return EventOutputs.stems(of: inputs).map { name in
      var stem = name
      var number = 1
      while !taken.insert(stem).inserted {
        number += 1
        stem = "\(name)-\(number)"
      }
      return stem
    }
  }

  /// Writes all of them.
  /// - Parameter inputs: One for each input, in their order; those that were not begun are missing at the end.
  func write(_ inputs: [SearchedInput], _ settings: Settings) throws {
    for target in files { try target.file.write(Self.text(target, inputs, settings)) }
    for folder in folders { try write(inputs, folder, settings) }
  }

  private func write(_ inputs: [SearchedInput], _ folder: Folder, _ settings: Settings) throws {
    var lines: [DetectionSummary.Line] = []
    for (input, targets) in zip(inputs, folder.reports) {
      guard input.outcome.report != nil else {
        lines.append(.init(input.outcome))
        continue
      }
      for target in targets { try target.file.write(Self.text(target, [input], settings)) }
      lines.append(
        .init(input.outcome, reportFile: URL(fileURLWithPath: targets[0].file.path).lastPathComponent))
    }
    let summary = DetectionSummary(lines)
    for target in folder.summaries {
      let text =
        switch target.format {
        case .csv: summary.csv
        case .json: summary.json(options: settings.events).pretty() + "\n"
        case .html: Self.text(target, inputs, settings)
        }
      try target.file.write(text)
    }
  }

  private static func text(_ target: Target, _ inputs: [SearchedInput], _ settings: Settings) -> String {
    let outcomes = inputs.map(\.outcome)
    switch target.format {
    case .csv: return Detection.Report.csv(outcomes.compactMap(\.report))
    case .json: return Detection.Report.json(outcomes, options: settings.events).pretty() + "\n"
    case .html:
      let folder =
        target.file.path == "-" ? "." : URL(fileURLWithPath: target.file.path).deletingLastPathComponent().path
      let sections = inputs.map {
        DetectionPage.Section(outcome: $0.outcome, curve: $0.page.curve, pictures: $0.page.pictures)
      }
      return DetectionPage(sections, options: settings.events, folder: folder, settings: settings.others).markup
    }
  }
}

extension OutputFile {
  /// Writes a text as the whole file, or to standard output.
  func write(_ text: String) throws {
    guard path != "-" else { return try writeToStandardOutput(text) }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: workingPath))
    } catch {
      throw MediaError(.cannotWrite, "cannot be written: \(error.localizedDescription)", file: path)
    }
    try commit()
  }
}

/// - Throws: ``MediaError`` `cannotWrite`, when the reader has gone, say.
func writeToStandardOutput(_ text: String) throws {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  } catch {
    throw MediaError(.cannotWrite, "cannot be written: \(error.localizedDescription)", file: "standard output")
  }
}
