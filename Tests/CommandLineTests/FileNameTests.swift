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
    #expect(result.errors.contains("in 1 file; 1 could not be read"), "\(result.errors)")
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

  // MARK: Folders on the way

  /// Files that are named from a folder with such a name are found, and nothing lands elsewhere.
  @Test(arguments: [
    (#"echo '{"zones":[{"name":"a","polygon":[[0,0],[1,0],[1,1]]}]}' > z; rheo detect clip.mkv --zones z"#, "z"),
    ("rheo detect clip.mkv --statistics s.csv && rheo detect --from-statistics s.csv", "s.csv"),
    ("echo clip.mkv > list; rheo detect --list list", "list"),
    ("echo clip.mkv | rheo detect --list -", "clip.mkv"),
    ("echo 'frames = 3' > c.toml; rheo annotate clip.mkv out.mkv --config c.toml", "out.mkv"),
    ("echo 1,1,9,9,30,30,1 > d; rheo track clip.mkv --detections d --frames 3", "d"),
    (#"echo '{"homography":[1,0,0,0,1,0,0,0,1]}' > g; rheo track clip.mkv --auto --ground-homography g"#, "g"),
    ("rheo synthesize --scene pan syn.mkv --truth truth", "truth/truth.json truth/flow/000000.flo"),
    ("rheo synthesize --scene crossing-walkers syn.mkv --truth truth", "truth/truth.json truth/gt.txt"),
    ("rheo stabilize clip.mkv a.mkv --transforms t.trf && rheo stabilize clip.mkv b.mkv --transforms t.trf", "b.mkv"),
    ("rheo export clip.mkv --output f --frames 3 && rheo export clip.mkv --output f --resume --frames 3", "f"),
    ("rheo export clip.mkv --output f --frames 4 && rheo export clip.mkv --output f -y --frames 3", "f"),
    ("rheo export clip.mkv --output f/ --frames 4 && rheo export clip.mkv --output ./f/ -y --frames 3", "f"),
  ])
  func aWorkingFolderMayHaveSuchAName(line: String, outputs: String) throws {
    let begin = #"rheo() { "$rheo" "$@"; }; mkdir "$odd"; mv clip.mkv "$odd"; cd "$odd"; { "#
    let result = try shell(begin + line + "; } && ls -d \(outputs)")
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.names.count == 1, "something lies elsewhere: \(folder.names)")
    let left = try shell(#"cd "$odd"; ls -A . f 2> /dev/null | grep -e partial -e new"#)
    #expect(left.output.isEmpty, "\(left.text)")
  }

  @Test func aFolderWithSuchAPathIsReplacedByItsNameAlone() throws {
    let result = try shell(
      #"""
      flows() { "$rheo" export "$@" -q; }
      mkdir -p "$odd/f"; ln -s "$odd" a; ln -s "$odd/f" b
      flows clip.mkv --output a/f --frames 3 && flows clip.mkv --output a/f --frames 2 -y || exit
      ls a/f; cd a/f; flows ../../clip.mkv --output . --frames 3 -y; echo $?
      cd ../..; flows clip.mkv --output b --frames 3 -y; echo $?; ls b a/f
      """#)
    let whole = "frame_000001.flo\nmanifest.json\n"
    #expect(result.text == whole + "1\n1\na/f:\n\(whole)\nb:\n\(whole)", "\(result.text)")
    let lines = result.errorLines.map { $0.drop { $0 != ":" } }
    let expected = ": its real path is not UTF-8: name the folder itself, from the one above it"
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(expected) }, "\(result.errors)")
  }
}
