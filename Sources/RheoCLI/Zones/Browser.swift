import Foundation
import Rheo

/// The browser of the desktop.
enum Browser {
  #if os(macOS)
    private static let program = "open"
  #else
    private static let program = "xdg-open"
  #endif
  /// The time that the desktop has to take the address, in seconds. Some browsers stay until their window is closed.
  private static let limit = 86_400.0
  /// The number of descriptors that are looked at: so early the program has few.
  private static let descriptorLimit: Int32 = 256

  /// Shows a page, and does not wait for it.
  /// - Parameters:
  ///   - address: The address; other users of this machine may see it in the list of processes.
  ///   - onFailure: Called with the reason when that does not work.
  /// - Throws: ``MediaError`` `noThread`.
  static func open(_ address: String, onFailure: @escaping @Sendable (String) -> Void) throws {
    keepDescriptorsFromChildren()
    try WorkThread.start("browser") {
      do {
        // Nothing ends the browser: it may be the one that the user had open.
        try CommandRun.run([program, address], seconds: limit, Interruption())
      } catch {
        onFailure("\(program): \(error)")
      }
    }
  }

  /// Keeps sockets from programs that outlive this one: a port that a child holds is taken.
  private static func keepDescriptorsFromChildren() {
    for descriptor in 3..<descriptorLimit {
      let flags = fcntl(descriptor, F_GETFD)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }
  }
}
