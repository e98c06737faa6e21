import Foundation
import TestSupport
import Testing

/// The README prints what the program prints.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DocumentedEventsTests {
  private let readme = URL(fileURLWithPath: #filePath)  // Tests/CommandLineTests/DocumentedEventsTests.swift
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("README.md")

  @Test func theEventsOfTheWalkersAreThose() throws {
    let folder = try TemporaryFolder()
    let video = folder.file("walkers.mp4").path
    #expect(try Program.run(["synthesize", video, "--scene", "walkers"]).status == 0)
    let printed = try Program.run(["detect", video]).text.split(separator: "\n")
    let lines = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("event ") })
    #expect(printed.count == 3)
    #expect(Array(lines[start..<min(start + printed.count, lines.count)]) == printed)
  }
}
