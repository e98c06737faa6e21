/// The parts of a path.
struct FileName {
  /// All up to the last slash, which is part of it; empty without one.
  let folder: String
  /// The name in its folder.
  let name: String

  init(_ path: String) {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    folder = String(path[..<start])
    name = String(path[start...])
  }

  /// The characters behind the last dot of the name; empty without one, and for a name that only begins with it.
  var ending: String { dot.map { String(name[name.index(after: $0)...]) } ?? "" }
  /// The name without its ending and the dot.
  var stem: String { dot.map { String(name[..<$0]) } ?? name }

  private var dot: String.Index? { name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } }
}
