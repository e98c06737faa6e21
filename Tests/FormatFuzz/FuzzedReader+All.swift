import FlowFormats
import Foundation
import HDF5Samples
import Imaging
import TestSupport

extension FuzzedReader {
  /// The memory that an image of a few hundred pixels may cost: rows in memory are padded, libraries have states of
  /// their own, and the heap grows in steps of 132 KiB.
  private static let plainAllowance = 256 << 10
  private static let libraryAllowance = 4 << 20

  /// All readers, each with small whole files. Compressed ones hold noise: their readers may rely on no more than what
  /// the compressed length allows.
  static func all(folder: URL) throws -> [FuzzedReader] {
    try [flo, kitti, pfm, npy, images, flo5].compactMap { try $0(folder) }
  }

  private static func noise(_ width: Int, _ height: Int, seed: UInt64) -> FlowField {
    var random = FixedRandom(seed: seed)
    return FlowField(width: width, height: height) { x, y in
      (x + y) % 7 == 0
        ? (.nan, .nan)
        : (Float.random(in: -30...30, using: &random), Float.random(in: -30...30, using: &random))
    }
  }

  private static func files(
    _ format: FlowFormat, _ folder: URL, _ options: FlowWritingOptions = FlowWritingOptions(overwrites: true)
  ) throws -> [Data] {
    try [(16, 12), (24, 5), (3, 17)].map { width, height in
      let path = folder.appendingPathComponent("sample.\(format.fileExtension)").path
      try FlowFile.write(noise(width, height, seed: 7), to: path, as: format, options: options)
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
  }

  private static func decoding(_ format: FlowFormat) -> (Data) throws -> FlowField {
    { data in try data.withUnsafeBytes { try FlowFile.decode($0, as: format, name: "fuzz") } }
  }

  private static func flo(_ folder: URL) throws -> FuzzedReader? {
    FuzzedReader(
      name: "flo", samples: try files(.flo, folder), allowance: plainAllowance, read: decoding(.flo))
  }

  private static func pfm(_ folder: URL) throws -> FuzzedReader? {
    FuzzedReader(
      name: "pfm", samples: try files(.pfm, folder), allowance: plainAllowance, read: decoding(.pfm))
  }

  /// Single fields and stacks, of 32 and 16 bits.
  private static func npy(_ folder: URL) throws -> FuzzedReader? {
    var samples = try files(.npy, folder)
    samples += try files(.npy, folder, FlowWritingOptions(halfPrecision: true, overwrites: true))
    for count in [1, 3] {
      let path = folder.appendingPathComponent("stack\(count).npy").path
      let writer = try NumpyStackWriter(path: path, size: PixelSize(width: 9, height: 6))
      for seed in 0..<count { try writer.append(noise(9, 6, seed: UInt64(seed))) }
      try writer.finish()
      samples.append(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    return FuzzedReader(name: "npy", samples: samples, allowance: plainAllowance) { data in
      try data.withUnsafeBytes {
        try FlowFile.decode($0, as: .npy, name: "fuzz", options: FlowReadingOptions(field: 0))
      }
    }
  }

  private static func kitti(_ folder: URL) throws -> FuzzedReader? {
    FuzzedReader(
      name: "kitti", samples: try files(.kitti, folder), repair: PNGRepair.repair, allowance: libraryAllowance,
      read: decoding(.kitti))
  }

  private static func images(_ folder: URL) throws -> FuzzedReader? {
    let names = ["flow_x.png", "flow_y.png"].map { folder.appendingPathComponent($0) }
    try FlowImages.write(noise(16, 12, seed: 3), x: names[0].path, y: names[1].path, bound: 20)
    let whole = try Data(contentsOf: names[1])
    return FuzzedReader(
      name: "pictures", samples: [try Data(contentsOf: names[0])], repair: PNGRepair.repair,
      allowance: libraryAllowance
    ) { data in
      try data.withUnsafeBytes { x in
        try whole.withUnsafeBytes { y in try FlowImages.decode(x, y, bound: 20, names: ("fuzz", "fuzz_y")) }
      }
    }
  }

  private static func flo5(_ folder: URL) throws -> FuzzedReader? {
    guard FlowFormat.flo5.isSupported else {
      print("flo5: SKIPPED: this build has no HDF5")
      return nil
    }
    let field = noise(16, 12, seed: 7)
    let values = (0..<12).flatMap { y in (0..<16).flatMap { [field[$0, y].u, field[$0, y].v] } }
    let samples =
      try files(.flo5, folder) + HDF5Sample.readable.map { $0.file(width: 16, height: 12, values: values) }
    return FuzzedReader(
      name: "flo5", samples: samples, allowance: libraryAllowance, read: decoding(.flo5))
  }
}

/// PNG's check sums, made right for whatever the chunks hold now.
enum PNGRepair {
  static func repair(_ file: inout Data) {
    var offset = 8
    while offset + 12 <= file.count {
      let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - offset - 12 else { return }
      let end = offset + 8 + length
      var sum = UInt32.max
      for byte in file[offset + 4..<end] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
      }
      withUnsafeBytes(of: (~sum).bigEndian) { file.replaceSubrange(end..<end + 4, with: $0) }
      offset = end + 4
    }
  }
}
