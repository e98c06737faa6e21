import Foundation

/// A folder that lives as long as this object.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init() throws { url = try makeTemporaryFolder() }

  deinit {
    // SAFETY of the ignored error: what stays behind lies in the system's own temporary folder.
    try? FileManager.default.removeItem(at: url)
  }

  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// All names in it, hidden ones too, in order.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
