import Foundation
import TestSupport
import Testing

/// File names that are not UTF-8, as old archives and other systems make them: nothing is skipped without a word.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct FileNameTests {
  private let folder: TemporaryFolder
  private let clip: URL

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("clip.mkv")
    try Clips.moving(clip, encoding: ["-c:v", "ffv1"])
  }

  /// `$odd` is a name with a byte of Latin-1.
  private func shell(_ line: String, _ arguments: [String] = []) throws -> ChildProcess.Result {
    try Program.shell(#"odd=$(printf 'caf\351'); cd "$1"; "# + line, [folder.url.path] + arguments)
  }

  @Test(arguments: [
    #""$rheo" info "$odd.mkv""#, #""$rheo" annotate clip.mkv "$odd.mkv""#, #""$rheo" annotate "$odd.mkv" out.mkv"#,
    #""$rheo" detect "$odd.mkv""#, #""$rheo" detect clip.mkv --report "$odd.mkv""#,
    #""$rheo" export clip.mkv --output "$odd.mkv""#, #""$rheo" convert "$odd.mkv" a.flo"#,
    #""$rheo" track clip.mkv --auto --report="$odd.mkv""#,
  ])
  func argumentsAreRefused(line: String) throws {
    let result = try shell(#"cp clip.mkv "$odd.mkv"; "# + line)
    #expect(result.status == 64 && result.output.isEmpty, "\(result.errors)")
    #expect(result.errorLines.count == 1 && result.errors.contains(#"caf\xE9.mkv: the name is not UTF-8"#))
    #expect(folder.names.count == 2, "\(folder.names)")
  }

  @Test func aLinkWithAnotherNameIsTheWayOut() throws {
    let result = try shell(#"mv clip.mkv "$odd.mkv"; ln -s "$odd.mkv" link.mkv; exec "$rheo" detect link.mkv"#)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func aFolderTellsOfWhatItCannotOpen() throws {
    let result = try shell(#"cp clip.mkv "$odd.mkv"; mkdir r; exec "$rheo" detect . --report r/ --report all.json"#)
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains(#"./caf\xE9.mkv: the name is not UTF-8"#), "\(result.errors)")
    #expect(result.errors.contains("in 1 files; 1 could not be read"), "\(result.errors)")
    for name in ["r/summary.json", "all.json"] {
      let text = try String(contentsOf: folder.file(name), encoding: .utf8)
      #expect(text.contains(#"caf\\xE9.mkv"#), "\(text)")
    }
  }

  @Test func aFolderOfSuchNamesAloneIsAnError() throws {
    let result = try shell(#"mkdir v; mv clip.mkv "v/$odd.mkv"; exec "$rheo" detect v"#)
    #expect(result.status == 1 && result.errors.contains(#"v/caf\xE9.mkv: the name is not UTF-8"#), "\(result.errors)")
    // What is no video does not matter.
    let other = try shell(#"mv v/*.mkv clip.mkv; cp clip.mkv v/a.mkv; touch "v/$odd.txt"; exec "$rheo" detect v"#)
    #expect(other.status == 0, "\(other.errors)")
  }

  @Test func aListWithSuchANameIsAnError() throws {
    let result = try shell(#"printf 'clip.mkv\n%s.mkv\n' "$odd" > list; exec "$rheo" detect --list list"#)
    let expected = #"list: caf\xE9.mkv: the name is not UTF-8"#
    #expect(result.status == 1 && result.errors.contains(expected), "\(result.errors)")
  }
}
