// HTTP on this machine alone.

import FlyingFox
import FlyingSocks
import Foundation
import Rheo

/// A server on 127.0.0.1, for the page on which zones are drawn. Used by one thread.
final class ZoneServer {
  private let server: HTTPServer
  /// The reason why the server ended by itself.
  private let failure = SharedValue<(any Error)?>(nil)
  /// The address of the page.
  let address: String

  /// The maximum time until the system says whether the port can be had, in seconds.
  private static let startLimit = 10.0
  /// The time that answers have to arrive when the server ends, in seconds.
  private static let grace = 1.0
  /// The limit on the time of a request, in seconds: requests are read to their end, however long that takes, since
  /// FlyingFox takes for the next request what is left of one that was given up.
  private static let requestLimit = 86_400.0
  /// The time between looks at what threads of the server do, in microseconds.
  private static let pause: UInt32 = 20_000

  /// Begins to listen.
  /// - Parameters:
  ///   - port: The port; 0 for a free one.
  ///   - handler: The answers.
  /// - Throws: ``MediaError`` `cannotOpen` when the port cannot be had.
  init(port: UInt16, _ handler: ZonePageHandler) throws {
    let name = "127.0.0.1"
    let failure = failure
    let server = HTTPServer(
      config: .init(address: try .inet(ip4: name, port: port), timeout: Self.requestLimit, logger: .disabled),
      handler: handler)
    let listening = SharedValue<Socket.Address?>(nil)
    Task.detached {
      do { try await server.run() } catch { failure.value = error }
    }
    Task.detached { listening.value = await ZoneServer.address(of: server) }
    let deadline = ContinuousClock.now + .seconds(Self.startLimit)
    while listening.value == nil, failure.value == nil, ContinuousClock.now < deadline { usleep(Self.pause) }
    guard case .ip4(_, let port)? = listening.value else {
      let reason = failure.value.map { ": \($0.localizedDescription)" } ?? ""
      throw MediaError(.cannotOpen, "cannot be listened to\(reason)", file: "\(name):\(port)")
    }
    self.server = server
    address = "http://\(name):\(port)/\(handler.token)/"
  }

  /// Answers until it is told to end.
  /// - Parameter isDone: Asked again and again.
  /// - Throws: ``MediaError`` when the server ends by itself.
  func run(until isDone: () -> Bool) throws {
    while !isDone() {
      if let failure = failure.value { throw MediaError(.cannotOpen, failure.localizedDescription, file: address) }
      usleep(Self.pause)
    }
    stop()
  }

  private func stop() {
    let isStopped = SharedValue(false)
    let server = server
    Task.detached {
      await server.stop(timeout: ZoneServer.grace)
      isStopped.value = true
    }
    // Semaphores wait for a time of the wall clock on Linux: for a day where that goes back by one.
    let deadline = ContinuousClock.now + .seconds(2 * Self.grace)
    while !isStopped.value, ContinuousClock.now < deadline { usleep(Self.pause) }
  }

  /// Returns the address once the server listens; nil when it takes too long.
  private static func address(of server: HTTPServer) async -> Socket.Address? {
    try? await server.waitUntilListening(timeout: startLimit)
    return await server.listeningAddress
  }
}
