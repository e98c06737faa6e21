// Writes the pages of the manual: rheo --experimental-dump-help | ManualPages FOLDER VERSION DATE.

import Foundation

guard CommandLine.arguments.count == 4 else {
  FileHandle.standardError.write(Data("usage: rheo --experimental-dump-help | ManualPages FOLDER VERSION DATE\n".utf8))
  exit(64)
}
struct Tool: Decodable { var command: CommandDescription }
let (folder, version, date) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
let tool = try JSONDecoder().decode(Tool.self, from: FileHandle.standardInput.readDataToEndOfFile())
for page in ManualPage.all(of: tool.command) {
  let file = URL(fileURLWithPath: folder).appendingPathComponent("\(page.name).1")
  try Data(page.text(version: version, date: date).utf8).write(to: file)
}
