import ArgumentParser
import Foundation
import Rheo

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Turns one kind of flow file into another.",
    discussion: """
      The endings tell the kinds; --from and --to overrule them:
        .flo   Middlebury; unknown vectors are 1e10
        .png   KITTI, 16 bits: -512 to 512 pixels in steps of 1/64 (kitti)
        .pfm   three channels, as in FlyingThings3D
        .npy   NumPy: (height, width, 2), or (fields, height, width, 2)
        .flo5  HDF5 with the dataset flow, as in Spring
        .json  flow_x.png and flow_y.png with 8 bits, their bound (pictures)
      A .png is never an image in colour: those are what render makes.

      Vectors that a format cannot hold are clamped, and their number is told. "-" is standard input or output.

      %d or %06d in a name stands for a number. In OUT alone: all fields of a .npy are written, each into a file of its \
      own. In IN: all files with numbers are read, in order, and written one by one or, to a .npy, into one array.

      Example: rheo convert flow.flo flow.npy --half
      """)

  @Argument(help: "The flow file to read, or -; with %06d, several.")
  var input: String

  @Argument(help: "The flow file to write, or -; with %06d, one for each field.")
  var output: String

  @Option(help: "What kind of file the input is.")
  var from: FlowFormat?

  @Option(help: "What kind of file to write.")
  var to: FlowFormat?

  @Option(help: ArgumentHelp("Which field of a .npy of a whole video, from 0.", valueName: "n"))
  var field: Int?

  @OptionGroup(title: "Flow file") var file: FlowFileOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    _ = try FlowFileOptions.format(of: input, from, option: "--from")
    let target = try FlowFileOptions.format(of: output, to, option: "--to")
    if let field, field < 0 { throw ValidationError("--field is 0 or more, not \(field)") }
    if field != nil, NumberedName(output) ?? NumberedName(input) != nil {
      throw ValidationError("--field picks one; %d asks for all")
    }
    if input == "-", NumberedName(output) != nil { throw ValidationError("all fields of standard input: use a file") }
    if NumberedName(input) != nil, NumberedName(output) == nil, target != .npy {
      throw ValidationError("several files become one .npy, or with %d as many again")
    }
  }

  func run() throws {
    let console = Console(common)
    try reportingFailure(console) {
      switch (NumberedName(input), NumberedName(output)) {
      case (nil, nil): console.note(try convert(input, field: field, into: output))
      case (nil, let names?):
        let source = try FlowFileOptions.format(of: input, from, option: "--from")
        let count = try FlowFile.fieldCount(ofPath: input, as: source)
        console.note(try sum((0..<count).map { try convert(input, field: source == .npy ? $0 : nil, into: names[$0]) }))
      case (let names?, let targets?):
        console.note(try sum(names.existing().map { try convert(names[$0], field: nil, into: targets[$0]) }))
      case (let names?, nil): console.note(try stack(names))
      }
    }
  }

  private func read(_ path: String, field: Int?) throws -> FlowField {
    let source = try FlowFileOptions.format(of: input, from, option: "--from")
    let options = FlowReadingOptions(imageBound: source == .images ? file.bound : nil, field: field)
    return try FlowFile.read(contentsOf: path, as: source, options: options)
  }

  private func convert(_ path: String, field: Int?, into output: String) throws -> FlowWritingReport {
    let target = try FlowFileOptions.format(of: self.output, to, option: "--to")
    try OutputFile.requireDifferent(output, from: [path])
    return try FlowFile.write(
      try read(path, field: field), to: output, as: target, options: file.writing(common))
  }

  private func stack(_ names: NumberedName) throws -> FlowWritingReport {
    var writer: NumpyStackWriter?
    for number in try names.existing() {
      let flow = try read(names[number], field: nil)
      if writer == nil {
        writer = try NumpyStackWriter(path: output, size: flow.size, options: file.writing(common))
      }
      try writer?.append(flow)
    }
    return try writer?.finish() ?? FlowWritingReport()
  }

  private func sum(_ reports: [FlowWritingReport]) -> FlowWritingReport {
    reports.reduce(into: FlowWritingReport(files: [output])) { sum, report in
      sum.clampedVectorCount += report.clampedVectorCount
      sum.lostUnknownCount += report.lostUnknownCount
    }
  }
}

/// A file name in which `%d` or `%06d` stands for a number.
struct NumberedName {
  private let before: Substring
  private let after: Substring
  private let digits: Int

  /// Creates the name; nil when there is no such place in it.
  init?(_ name: String) {
    guard let percent = name.firstIndex(of: "%"), let letter = name[percent...].firstIndex(of: "d") else { return nil }
    let width = name[name.index(after: percent)..<letter]
    guard width.allSatisfy({ "0123456789".contains($0) }), width.count <= 2 else { return nil }
    before = name[..<percent]
    after = name[name.index(after: letter)...]
    digits = Int(width) ?? 0
  }

  subscript(_ number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }

  /// Returns the numbers that have files, in order: those of an export need not begin at 1, nor follow one another.
  /// - Throws: ``FlowFormatError`` when there is none.
  func existing() throws -> [Int] {
    let folder = before.lastIndex(of: "/").map { before[...$0] } ?? "./"
    let stem = before[(before.lastIndex(of: "/").map { before.index(after: $0) } ?? before.startIndex)...]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? []
    let numbers = names.filter { $0.hasPrefix(stem) }.compactMap { name in
      Int(name.dropFirst(stem.count).prefix { "0123456789".contains($0) })
    }
    let existing = Set(numbers).filter { FileManager.default.fileExists(atPath: self[$0]) }.sorted()
    guard !existing.isEmpty else {
      throw FlowFormatError(code: .unreadable, message: "\(self[0]), \(self[1]) …: there is no such file")
    }
    return existing
  }
}
