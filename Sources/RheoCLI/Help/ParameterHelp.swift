import Rheo

/// The help on `--parameters`, which many commands have: `rheo help parameters`.
enum ParameterHelp {
  static var text: String {
    """
    The keys of --parameters KEY=VALUE:KEY=VALUE…, with the values that they take.

    \(list("dis", InverseSearchParameters.self))

    \(list("farneback", FarnebackParameters.self))

    \(list("lucas-kanade", LucasKanadeParameters.self))

    Example: rheo annotate Samples/clip.mp4 flow.mp4 --algorithm dis --parameters smoothness=8:warps=3
    """
  }

  private static func list<Parameters: NamedParameters>(_ algorithm: String, _ type: Parameters.Type) -> String {
    let width = Parameters.keys.map(\.name.count).max() ?? 0
    let rows = Parameters.keys.map { key in
      "  \(key.name)\(String(repeating: " ", count: width - key.name.count))  \(key.allowedValues)"
    }
    return (["--algorithm \(algorithm):"] + rows).joined(separator: "\n")
  }
}
