import FlowFormats
import Foundation
import Imaging
import TestSupport

/// A reader, whole files for it, and how much memory it may take.
struct FuzzedReader {
  var name: String
  var samples: [Data]
  /// Makes check sums right again, so that the damage gets past them.
  var repair: ((inout Data) -> Void)?
  /// Bytes of address space that may be taken beyond twice the length of the file.
  var allowance: Int
  var read: (Data) throws -> FlowField

  struct Outcome {
    var line: String
    var violations: [String]
  }

  /// Reads `count` damaged files.
  func run(count: Int, seed: UInt64) throws -> Outcome {
    var random = FixedRandom(seed: seed)
    var (readable, refused, maximumBeyond) = (0, 0, 0)
    var violations: [String] = []
    for sample in samples { _ = try read(sample) }
    var before = try AddressSpace.filledToPeak()
    let start = ContinuousClock.now
    for number in 0..<count {
      var file = samples[number % samples.count]
      Mutation.damage(&file, &random)
      if let repair, Int.random(in: 0..<4, using: &random) > 0 { repair(&file) }
      CrashNote.position = "\(name), seed \(seed), file \(number)"
      do {
        let flow = try read(file)
        readable += 1
        if !flow.isSound { violations.append("file \(number): a vector is half unknown") }
      } catch let error as FlowFormatError {
        refused += 1
        if !error.message.contains("fuzz") {
          violations.append("file \(number): the file is not named: \(error)")
        }
      }
      let after = try AddressSpace.current()
      // The peak cannot be set back: a file is judged if it takes more than every file before it.
      if after.peak > before.peak {
        let taken = after.peak - before.size
        maximumBeyond = max(maximumBeyond, taken - 2 * file.count)
        if taken > allowance + 2 * file.count {
          violations.append("file \(number): \(taken) bytes taken for a file of \(file.count)")
        }
      }
      before = after
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return Outcome(
      line: "\(name): \(count) files, \(readable) read, \(refused) refused, \(violations.count) violations, "
        + "at most \(maximumBeyond) bytes beyond twice the file (allowed: \(allowance)), "
        + String(format: "%.2f s", seconds),
      violations: violations)
  }
}

extension FlowField {
  /// Whether every vector is known in both components or in none, and finite where known.
  fileprivate var isSound: Bool {
    u.withView { u in
      v.withView { v in
        (0..<u.height).allSatisfy { y in
          (0..<u.width).allSatisfy { x in
            let (a, b) = (u.row(y)[x], v.row(y)[x])
            return a.isNaN ? b.isNaN : a.isFinite && b.isFinite
          }
        }
      }
    }
  }
}

/// Says which file it was, when a signal ends the program.
enum CrashNote {
  // SAFETY: one thread.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
  private static let installed: Void = {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] {
      signal(number) { number in
        _ = Glibc.write(1, CrashNote.text, strlen(CrashNote.text))
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }()

  static var position: String {
    get { String(cString: text) }
    set {
      installed
      strncpy(text, "CRASH: \(newValue)\n", 255)
    }
  }
}
