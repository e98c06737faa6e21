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

      %d or %06d in a name stands for a number. In OUT alone: all fields of a .npy are written, each into a file of \
      its own. In IN: all files with numbers are read, in order, and written one by one or, to a .npy, into one array.

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
    if field != nil, NumberedFileName(output) ?? NumberedFileName(input) != nil {
      throw ValidationError("--field picks one; %d asks for all")
    }
    if input == "-", NumberedFileName(output) != nil {
      throw ValidationError("all fields of standard input: use a file")
    }
    if NumberedFileName(input) != nil, NumberedFileName(output) == nil, target != .npy {
      throw ValidationError("several files become one .npy, or with %d as many again")
    }
  }

  func run() throws {
    OutputFile.protect([input])
    let console = Console(common)
    try reportingFailure(console) {
      switch (NumberedFileName(input), NumberedFileName(output)) {
      case (nil, nil): console.note(try convert(input, field: field, into: output))
      case (nil, let names?):
        let source = try FlowFileOptions.format(of: input, from, option: "--from")
        let count = try FlowFile.fieldCount(ofPath: input, as: source)
        console.note(try sum((0..<count).map { try convert(input, field: source == .npy ? $0 : nil, into: names[$0]) }))
      case (let names?, let targets?):
        console.note(try sum(numbers(of: names).map { try convert(names[$0], field: nil, into: targets[$0]) }))
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

  private func stack(_ names: NumberedFileName) throws -> FlowWritingReport {
    var writer: NumpyStackWriter?
    for number in try numbers(of: names) {
      let flow = try read(names[number], field: nil)
      if writer == nil {
        writer = try NumpyStackWriter(path: output, size: flow.size, options: file.writing(common))
      }
      try writer?.append(flow)
    }
    return try writer?.finish() ?? FlowWritingReport()
  }

  /// - Throws: ``FlowFormatError`` when there is no file with a number.
  private func numbers(of names: NumberedFileName) throws -> [Int] {
    let numbers = (try? names.existingNumbers()) ?? []
    guard !numbers.isEmpty else {
      throw FlowFormatError(code: .unreadable, message: "\(names[0]), \(names[1]) …: there is no such file")
    }
    return numbers
  }

  private func sum(_ reports: [FlowWritingReport]) -> FlowWritingReport {
    reports.reduce(into: FlowWritingReport(files: [output])) { sum, report in
      sum.clampedVectorCount += report.clampedVectorCount
      sum.lostUnknownCount += report.lostUnknownCount
    }
  }
}
