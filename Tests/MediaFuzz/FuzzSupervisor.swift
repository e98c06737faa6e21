import Foundation
import TestSupport

/// Starts workers, watches them, and keeps the files that they stumble over.
struct FuzzSupervisor {
  let folder: URL
  let kept: URL
  let seed: UInt64

  /// Files for each worker, so that what grows does not grow for ever.
  private static let batch = 1000
  /// A file that takes longer, in seconds, is tried once more by itself, since the machine may be busy with other
  /// things.
  private static let patience = 20.0
  /// One that then takes longer than this, in seconds, is a finding.
  private static let secondPatience = 120.0

  /// Returns the number of findings.
  func run(_ numbers: Range<Int>) throws -> Int {
    let note = try FuzzNote.open(in: folder)
    var (next, findings, muxerFindings) = (numbers.lowerBound, 0, 0)
    let start = ContinuousClock.now
    while next < numbers.upperBound {
      let count = min(Self.batch, numbers.upperBound - next)
      note[0] = next
      note[1] = 0
      var (result, hung) = try watch(note, next, count, Self.patience)
      if hung {
        next = note[0]
        (result, hung) = try watch(note, next, 1, Self.secondPatience)
        if result.status == 0 {
          next += 1
          continue
        }
      }
      if result.status == 0, note[1] == FuzzWorker.Step.finished.rawValue {
        next += count
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        print("\(next) files, \(findings) findings, \(seconds) s")
        fflush(nil)
        continue
      }
      let isMuxer = note[1] == FuzzWorker.Step.making.rawValue
      if isMuxer { muxerFindings += 1 } else { findings += 1 }
      try report(
        note[0], hung ? "took more than \(Int(Self.secondPatience)) s" : "ended with \(result.status)", isMuxer, result)
      next = note[0] + 1
    }
    let ends = MediaEntry.Outcome.allCases.map { "\(note[2 + $0.rawValue]) \($0)" }.joined(separator: ", ")
    print("\(numbers.count) files: \(ends); \(findings) findings, \(muxerFindings) in making the file")
    return findings
  }

  private func watch(
    _ note: UnsafeMutablePointer<Int>, _ from: Int, _ count: Int, _ patience: Double
  ) throws -> (ChildProcess.Result, hung: Bool) {
    let options = "abort_on_error=0:detect_leaks=0:allocator_may_return_null=1:handle_sigill=1:hard_rss_limit_mb=6000"
    let child = try ChildProcess(
      "/proc/self/exe",
      ["--worker", folder.path, "--from", "\(from)", "--count", "\(count)", "--seed", "\(seed)"],
      environment: ["ASAN_OPTIONS": options, "SWIFT_BACKTRACE": "enable=no"])
    var last = (-1, ContinuousClock.now)
    while true {
      if let result = try child.result() { return (result, false) }
      if note[0] != last.0 { last = (note[0], .now) }
      if ContinuousClock.now - last.1 > .seconds(patience) {
        child.send(SIGABRT)
        return (try child.wait(seconds: 5), true)
      }
      usleep(20_000)
    }
  }

  private func report(_ number: Int, _ what: String, _ isMuxer: Bool, _ result: ChildProcess.Result) throws {
    print("file \(number), seed \(seed): \(what)\(isMuxer ? " as it was made" : "")")
    for line in result.errorLines.filter({ $0.contains("ERROR") || $0.contains("Fatal") || $0.contains("#") }).prefix(
      12)
    {
      print("    \(line.prefix(160))")
    }
    fflush(nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("input.") }
    for name in names {
      let file = folder.appendingPathComponent(name)
      try Data(contentsOf: file).write(to: kept.appendingPathComponent("\(seed)-\(number)-\(name)"))
      try FileManager.default.removeItem(at: file)
    }
    try Data(result.errors.utf8).write(to: kept.appendingPathComponent("\(seed)-\(number).txt"))
  }
}
