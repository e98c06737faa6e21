// A server of RTSP for tests: one sends a stream to it, others watch.

import Foundation
import Synchronization

/// Hands on what one publisher sends (ANNOUNCE, RECORD) to all who play it, over RTSP's own connections (RFC 2326,
/// 10.12 "Embedded (Interleaved) Binary Data"). When the publisher goes, the players' connections end.
public final class RTSPRelay: Sendable {
  private struct State {
    var description = Data()
    var players: [Int32] = []
  }

  private struct Message {
    var method: String
    var address: String
    var headers: [String: String]
    var body: Data
  }

  private let listener: ListeningSocket
  private let state = Mutex(State())

  public init() throws {
    listener = try ListeningSocket()
    Thread.detachNewThread { [self] in
      while let connection = listener.accept() {
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  public var address: String { "rtsp://127.0.0.1:\(listener.port)/camera" }
  /// A Boolean value that tells whether there is something to play.
  public var hasStream: Bool { state.withLock { !$0.description.isEmpty } }
  /// The number of players.
  public var playerCount: Int { state.withLock { $0.players.count } }
  public func stop() { listener.stop() }

  private func serve(_ connection: Int32) {
    var isPublisher = false
    let input = SocketReader(connection)
    while let first = input.byte() {
      if first == UInt8(ascii: "$") {
        guard let head = input.bytes(3), let packet = input.bytes(Int(head[1]) << 8 | Int(head[2])) else { break }
        if isPublisher { relay(Data([first]) + head + packet) }
      } else if let message = Self.message(first, input) {
        if message.method == "ANNOUNCE" {
          isPublisher = true
          state.withLock { $0.description = message.body }
        }
        answer(message, connection)
      } else {
        break
      }
    }
    state.withLock { state in
      state.players.removeAll { $0 == connection }
      guard isPublisher else { return }
      for player in state.players { shutdown(player, Int32(SHUT_RDWR)) }
      state = State()
    }
    close(connection)
  }

  private func relay(_ packet: Data) {
    state.withLock { state in
      for player in state.players { Self.send(packet, to: player) }
    }
  }

  private static func send(_ data: Data, to connection: Int32) {
    let bytes = [UInt8](data)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  private static func message(_ first: UInt8, _ input: SocketReader) -> Message? {
    guard let rest = input.line() else { return nil }
    let words = (String(decoding: [first], as: UTF8.self) + rest).split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    while let line = input.line(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let body = input.bytes(Int(headers["content-length"] ?? "0") ?? 0)
    return body.map { Message(method: words[0], address: words[1], headers: headers, body: $0) }
  }

  private func answer(_ message: Message, _ connection: Int32) {
    var (headers, body) = ("", Data())
    switch message.method {
    case "OPTIONS": headers = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, ANNOUNCE, RECORD, TEARDOWN\r\n"
    case "DESCRIBE":
      body = state.withLock { $0.description }
      headers = "Content-Type: application/sdp\r\nContent-Base: \(message.address)/\r\n"
    case "SETUP":
      let transport = message.headers["transport"]?.replacing(";mode=record", with: "") ?? ""
      headers = "Transport: \(transport)\r\nSession: 1\r\n"
    default: headers = "Session: 1\r\n"
    }
    let head =
      "RTSP/1.0 200 OK\r\nCSeq: \(message.headers["cseq"] ?? "0")\r\n\(headers)Content-Length: \(body.count)\r\n\r\n"
    state.withLock { state in
      Self.send(Data(head.utf8) + body, to: connection)
      if message.method == "PLAY" { state.players.append(connection) }
    }
  }
}

/// Listens on a free port of this machine.
private final class ListeningSocket: Sendable {
  private let socket: Int32
  let port: Int

  struct Failure: Error {}

  init() throws {
    let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let length = size
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0 ? getsockname(listener, address, &size) : -1
      }
    }
    socket = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    guard listener >= 0, status == 0 else { throw Failure() }
  }

  /// Waits for the next one; nil when stopped.
  func accept() -> Int32? {
    let connection = Glibc.accept(socket, nil, nil)
    guard connection >= 0 else { return nil }
    // Programs that are started meanwhile must not keep it open.
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return connection
  }

  func stop() {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }
}

/// Reads a connection; nil is its end. Used by one thread.
private final class SocketReader {
  private let connection: Int32
  private var buffer: [UInt8] = []
  private var next = 0

  init(_ connection: Int32) { self.connection = connection }

  func byte() -> UInt8? {
    if next == buffer.count {
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer = Array(chunk[..<count])
      next = 0
    }
    defer { next += 1 }
    return buffer[next]
  }

  func bytes(_ count: Int) -> Data? {
    var data = Data(capacity: count)
    for _ in 0..<count {
      guard let byte = byte() else { return nil }
      data.append(byte)
    }
    return data
  }

  /// Reads a line, without its end.
  func line() -> String? {
    var text: [UInt8] = []
    while let byte = byte() {
      if byte == UInt8(ascii: "\n") {
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
      }
      text.append(byte)
    }
    return nil
  }
}
