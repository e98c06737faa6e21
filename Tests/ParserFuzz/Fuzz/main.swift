// Coverage-guided fuzzing of the parsers that are Rheo's own, by libFuzzer: `ParserFuzz PARSER [options of libFuzzer]`.
// With no more than a parser it writes the parser's seeds into the folder `demo/parser-fuzz/PARSER` and begins there.

import CLibFuzzer
import Foundation

let names = FuzzedParser.all.map(\.name)
guard CommandLine.arguments.count > 1,
  let parser = FuzzedParser.all.first(where: { $0.name == CommandLine.arguments[1] })
else {
  print(names.joined(separator: "\n"))
  exit(CommandLine.arguments.count > 1 ? EXIT_FAILURE : EXIT_SUCCESS)
}
// SAFETY: one thread, which libFuzzer calls back on.
nonisolated(unsafe) let parse = parser.parse
let corpus = "demo/parser-fuzz/\(parser.name)"
try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
for (number, seed) in parser.seeds.enumerated() {
  try seed.write(to: URL(fileURLWithPath: "\(corpus)/seed-\(number)"))
}
let words = corpus + ".words"
try Data((parser.words.map { "\"\($0)\"" }.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: words))

let arguments =
  [CommandLine.arguments[0], corpus, "-dict=\(words)", "-artifact_prefix=\(corpus)-"]
  + CommandLine.arguments.dropFirst(2)
var list = arguments.map { strdup($0) } + [nil]
var count = Int32(arguments.count)
let status = list.withUnsafeMutableBufferPointer { list in
  var pointer = list.baseAddress
  return LLVMFuzzerRunDriver(&count, &pointer) { bytes, size in
    let data = bytes.map { Data(bytes: $0, count: size) } ?? Data()
    do {
      try parse(data)
    } catch {
      // Refused, as it should be; a message can be made of it.
      precondition(!"\(error)".isEmpty)
    }
    return 0
  }
}
exit(status)
