import Foundation
import TestSupport

/// Makes and reads damaged files, one after the other, and notes before each step which it is.
struct FuzzWorker {
  /// The steps of the work on a file.
  enum Step: Int {
    /// The file is made, by FFmpeg's own muxers where packets are damaged.
    case making = 1
    case reading = 2
    /// All files are done.
    case finished = 3
  }

  private let samples: [MediaSample]
  private let seed: UInt64
  private let folder: URL
  private let note: UnsafeMutablePointer<Int>

  init(samples: [MediaSample], seed: UInt64, folder: URL) throws {
    self.samples = samples
    self.seed = seed
    self.folder = folder
    note = try FuzzNote.open(in: folder)
  }

  /// The damaged file, for whoever wants to know what it was.
  static func input(in folder: URL, _ ending: String) -> URL { folder.appendingPathComponent("input.\(ending)") }

  func run(_ numbers: Range<Int>) throws {
    // What grows without end fails, and is to be told, but does not fill the disk.
    var limit = rlimit(rlim_cur: 256 << 20, rlim_max: 256 << 20)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    for number in numbers {
      write(number, .making)
      let file = try makeInput(number)
      write(number, .reading)
      var random = random(number, stream: 2)
      let outcome = try MediaEntry.read(
        file, whole: sample(of: number).file, folder: folder.appendingPathComponent("outputs"), &random)
      note[2 + outcome.rawValue] += 1
      try FileManager.default.removeItem(at: file)
    }
    write(numbers.upperBound, .finished)
  }

  private func write(_ number: Int, _ step: Step) {
    note[0] = number
    note[1] = step.rawValue
  }

  private func random(_ number: Int, stream: UInt64) -> FixedRandom {
    FixedRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number) &* 0xD134_2543_DE82_EF95 &+ stream)
  }

  /// Makes the file of a number: always the same one.
  func makeInput(_ number: Int) throws -> URL {
    var random = random(number, stream: 1)
    let sample = samples[Int.random(in: 0..<samples.count, using: &random)]
    var ending = sample.file.pathExtension
    let hasDamagedPackets = Int.random(in: 0..<5, using: &random) < 2
    if hasDamagedPackets {
      if Bool.random(using: &random) {
        ending = ["mkv", "mp4", "mov", "nut", "ts", "avi"].randomElement(using: &random)!
      }
      let file = Self.input(in: folder, ending)
      let isWhole = try PacketDamage.remux(sample.file, to: file, &random)
      if isWhole, FileManager.default.fileExists(atPath: file.path) { return file }
    }
    let file = Self.input(in: folder, ending)
    var bytes = sample.bytes
    ByteDamage.damage(&bytes, &random)
    // By numbers of its own: those of packets stay what they are.
    var other = self.random(number, stream: 3)
    if Int.random(in: 0..<4, using: &other) == 0 { HeaderDamage.damage(&bytes, &other) }
    try bytes.write(to: file)
    return file
  }

  /// Returns the sample that the file of a number is made from.
  private func sample(of number: Int) -> MediaSample {
    var random = random(number, stream: 1)
    return samples[Int.random(in: 0..<samples.count, using: &random)]
  }

  /// Returns the sample that the file of a number was made from, as people read it.
  func description(of number: Int) -> String { "from \(sample(of: number).name)" }
}

/// Numbers that a worker shares with its supervisor: the file, the step, and how many files came to which end.
enum FuzzNote {
  static let count = 16

  static func open(in folder: URL) throws -> UnsafeMutablePointer<Int> {
    let file = Glibc.open(folder.appendingPathComponent("note").path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0 else { throw POSIXError(.EIO) }
    defer { close(file) }
    let length = count * MemoryLayout<Int>.stride
    guard ftruncate(file, off_t(length)) == 0,
      let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
    else { throw POSIXError(.EIO) }
    return memory.bindMemory(to: Int.self, capacity: count)
  }
}
