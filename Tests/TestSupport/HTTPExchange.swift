// A client of HTTP for tests: what it sends is what it is told, name by name.

import Foundation

/// A request to a server on this machine, and its answer.
public enum HTTPExchange {
  public struct Answer: Sendable {
    public var status: Int
    public var headers: [String: String]
    public var body: String
  }

  public struct Failure: Error {
    public init() {}
  }

  /// - Parameters:
  ///   - request: The first line without the version: `GET /path`.
  ///   - headers: All headers but those of the length and of the end of the connection.
  public static func send(
    _ request: String, port: UInt16, headers: [String: String] = [:], body: Data = Data()
  ) throws -> Answer {
    let connection = try connect(to: port)
    defer { close(connection) }
    let all = headers.merging(["Content-Length": "\(body.count)", "Connection": "close"]) { own, _ in own }
    let head = "\(request) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
    return try answer(in: received(connection))
  }

  private static func connect(to port: UInt16) throws -> Int32 {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.connect(connection, $0, length) }
    }
    guard connection >= 0, status == 0 else { throw Failure() }
    return connection
  }

  private static func received(_ connection: Int32) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private static func answer(in data: Data) throws -> Answer {
    guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { throw Failure() }
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { throw Failure() }
    let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
      let parts = line.split(separator: ":", maxSplits: 1)
      return parts.count == 2 ? (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)) : nil
    }
    return Answer(
      status: status, headers: Dictionary(pairs) { first, _ in first },
      body: String(decoding: data[end.upperBound...], as: UTF8.self))
  }
}
