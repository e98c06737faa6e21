// Where the reports of a detection go.

import Foundation
import Rheo

/// An input that was searched, with the notes for its reports.
struct SearchedInput: Sendable {
  var outcome: DetectionOutcome
  var notes: ReportNotes
}

/// The files that --report asks for: one with everything, or a folder with some for each input and a summary.
struct ReportFiles {
  enum Format: String {
    case json, csv, html

    /// Creates the format that the ending of a path names; JSON for standard output, and for devices and pipes, which
    /// have no ending.
    /// - Throws: ``MediaError`` `invalidOption` for any other ending.
    init(path: String) throws {
      let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
      switch ending {
      case "": self = .json
      case "htm": self = .html
      default:
        guard let format = Format(rawValue: ending) else {
          throw MediaError(
            .invalidOption, "a report is .json, .csv or .html, or a folder, not .\(ending)", file: path)
        }
        self = format
      }
    }
  }

  /// The settings of a detection that its reports tell.
  struct Settings {
    var events: EventParameters
    /// The further settings, for people.
    var others: [(String, String)]

    init(_ events: EventParameters, _ compensation: TransformModel, _ set: ZoneSet) {
      self.events = events
      others = [("Camera's motion", compensation == .identity ? "left in" : "taken out (\(compensation.name))")]
      let zones = set.zones.map { zone in
        zone.effectiveMode == .include ? zone.name : "\(zone.name) (\(zone.effectiveMode.rawValue))"
      }
      if !zones.isEmpty { others.append(("Zones", zones.joined(separator: ", "))) }
    }
  }

  /// A file that is written at the end.
  private struct Target {
    var format: Format
    var file: OutputFile

    /// The folder that it lies in; nil for standard output, which is nowhere.
    var folder: String? {
      file.path == "-" ? nil : URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    }
  }

  private struct Folder {
    /// The files of each input's report, the machine's before the people's.
    var reports: [[Target]]
    /// The files with the figures of all inputs.
    var summaries: [Target]
  }

  private let files: [Target]
  private let folders: [Folder]

  /// Makes folders, and looks early whether everything can be written.
  /// - Parameters:
  ///   - paths: Files, by whose ending the format is told, `-`, or folders: what is one, ends with `/`, or has no
  ///     ending and is not there yet.
  ///   - inputs: The inputs, in their order.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  init(_ paths: [String], inputs: [String], overwrite: Bool) throws {
    func target(_ path: String) throws -> Target {
      // What is an input has another ending, too, but that is not what is wrong with it.
      try OutputFile.requireDifferent(path, from: inputs)
      return Target(
        format: try Format(path: path), file: try OutputFile(path: path, overwrite: overwrite, inputs: inputs))
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

  /// A Boolean value that tells whether there are no reports.
  var isEmpty: Bool { files.isEmpty && folders.isEmpty }
  /// A Boolean value that tells whether pages are among the reports: those need images of the peaks.
  var needImages: Bool { needs(.html) }
  /// A Boolean value that tells whether boxes of all frames are needed: only JSON reports and folders have them.
  var needBoxes: Bool { needs(.json) }

  private func needs(_ format: Format) -> Bool { !folders.isEmpty || files.contains { $0.format == format } }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) { return isFolder.boolValue }
    return path.hasSuffix("/") || path != "-" && URL(fileURLWithPath: path).pathExtension.isEmpty
  }

  /// Returns a name for each input, the one that its events' files begin with if it can be.
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

  /// Writes all reports.
  /// - Parameter inputs: The searched inputs, in their order; those that were not begun are missing at the end.
  func write(_ inputs: [SearchedInput], _ settings: Settings) throws {
    for target in files { try Self.write(inputs, target, settings) }
    for folder in folders { try write(inputs, folder, settings) }
  }

  private func write(_ inputs: [SearchedInput], _ folder: Folder, _ settings: Settings) throws {
    var lines: [DetectionSummary.Line] = []
    for (input, targets) in zip(inputs, folder.reports) {
      guard input.outcome.report != nil else {
        lines.append(.init(input.outcome))
        continue
      }
      for target in targets { try Self.write([input], target, settings) }
      lines.append(
        .init(input.outcome, reportFile: URL(fileURLWithPath: targets[0].file.path).lastPathComponent))
    }
    let summary = DetectionSummary(lines)
    for target in folder.summaries {
      switch target.format {
      case .csv: try target.file.write { put in try put(summary.csv) }
      case .json: try target.file.write { put in try put(summary.json(options: settings.events).pretty() + "\n") }
      case .html: try Self.write(inputs, target, settings)
      }
    }
  }

  private static func write(_ inputs: [SearchedInput], _ target: Target, _ settings: Settings) throws {
    try target.file.write { put in
      switch target.format {
      case .csv: try put(Detection.Report.csv(inputs.compactMap(\.outcome.report), folder: target.folder))
      case .json:
        try Detection.Report.writeJSON(
          inputs.map { ($0.outcome, $0.notes.events) }, options: settings.events, folder: target.folder, to: put)
      case .html: try page(inputs, target, settings).write(to: put)
      }
    }
  }

  private static func page(_ inputs: [SearchedInput], _ target: Target, _ settings: Settings) -> DetectionPage {
    let sections = inputs.map {
      DetectionPage.Section(
        outcome: $0.outcome, curve: $0.notes.page.curve, images: $0.notes.page.images, heatMap: $0.notes.page.heatMap)
    }
    return DetectionPage(sections, options: settings.events, folder: target.folder ?? ".", settings: settings.others)
  }
}

/// Keeps the data for the reports on one input, from the updates that its search brings. Used by one thread.
struct ReportNotes: Sendable {
  private(set) var page: PageRecorder
  /// The events as JSON, in order, if they are to be kept.
  private(set) var events: [StoredEvent] = []
  private let store: ReportStore
  private let keepsEvents: Bool

  /// - Parameters:
  ///   - store: The store of the data, which other inputs may use, too.
  ///   - keepsEvents: A Boolean value that tells whether events are kept with the boxes of all their frames.
  init(store: ReportStore, keepsEvents: Bool) {
    self.store = store
    self.keepsEvents = keepsEvents
    page = PageRecorder(store: store)
  }

  mutating func note(_ update: Detection.Update) throws {
    try page.note(update)
    if case .event(let event, let files) = update, keepsEvents {
      events.append(try StoredEvent(event, files: files, in: store))
    }
  }
}
