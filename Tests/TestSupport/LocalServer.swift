// A server of HTTP for tests: it answers with what it is told to and keeps what it is sent.

import Foundation
import Synchronization

/// Listens on a free port of this machine until it is stopped.
public final class LocalServer: Sendable {
  /// The answer to a connection.
  public enum Answer: Sendable {
    case status(Int)
    /// Points elsewhere.
    case redirection(String)
    /// Takes the request and says nothing.
    case silence
    /// Sends a body.
    case body(String)
    /// Sends a body of bytes.
    case data(Data)
    /// Sends 2 GB in a minute, for as long as they are taken.
    case endlessBody
  }

  public struct Request: Sendable {
    /// `POST /path HTTP/1.1`
    public var line: String
    public var headers: [String: String]
    public var body: String
  }

  private struct State {
    var answers: [Answer]
    var requests: [Request] = []
    var sentBytes = 0
  }

  private let listener: Int32
  private let state: Mutex<State>
  public let port: Int

  public struct Failure: Error {}

  /// - Parameter answers: For one request after the other; the last for all that follow.
  public init(_ answers: [Answer]) throws {
    state = Mutex(State(answers: answers))
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listener, length) = (listener, size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0 ? getsockname(listener, address, &size) : -1
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard listener >= 0, status == 0 else { throw Failure() }
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  public var address: String { "http://127.0.0.1:\(port)" }
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The bytes of endless bodies that the system took so far.
  public var sentBytes: Int { state.withLock { $0.sentBytes } }

  /// Takes no more connections.
  public func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    guard let request = Self.read(connection) else { return }
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    let head: String
    switch answer {
    case .silence: return sleepUntilClosed(connection)
    case .body(let body): return Self.reply(Array(body.utf8), to: connection)
    case .data(let body): return Self.reply(Array(body), to: connection)
    case .endlessBody: return sendEndlessly(connection)
    case .status(let status): head = "HTTP/1.1 \(status) Test\r\n"
    case .redirection(let position): head = "HTTP/1.1 302 Found\r\nLocation: \(position)\r\n"
    }
    let text = Array((head + "Content-Length: 0\r\nConnection: close\r\n\r\n").utf8)
    _ = send(connection, text, text.count, Int32(MSG_NOSIGNAL))
  }

  private static func reply(_ body: [UInt8], to connection: Int32) {
    let head = "HTTP/1.1 200 Test\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func sendEndlessly(_ connection: Int32) {
    let head = Array("HTTP/1.1 200 Test\r\nConnection: close\r\n\r\n".utf8)
    _ = send(connection, head, head.count, Int32(MSG_NOSIGNAL))
    let piece = [UInt8](repeating: 0x20, count: 1 << 16)
    for _ in 0..<32_768 {
      // Who takes no more needs a moment to say so, on a busy machine a longer one.
      usleep(2000)
      let count = send(connection, piece, piece.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      state.withLock { $0.sentBytes += count }
    }
  }

  private func sleepUntilClosed(_ connection: Int32) {
    var byte: UInt8 = 0
    _ = recv(connection, &byte, 1, 0)
  }

  private static func read(_ connection: Int32) -> Request? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = data.range(of: Data("\r\n\r\n".utf8)) {
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] =
            line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let body = data[end.upperBound...]
        if body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
          return Request(line: lines[0], headers: headers, body: String(decoding: body, as: UTF8.self))
        }
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      data.append(contentsOf: buffer[..<count])
    }
  }
}
