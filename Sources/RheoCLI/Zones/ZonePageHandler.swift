// The answers of the page's server.

import FlyingFox
import Foundation
import Rheo

/// Answers the requests of the page on which zones are drawn, and of nobody else.
///
/// The address holds a random token, so that no other page and no other user can ask for anything. The name in the
/// request must be that of this machine, so that no name that an attacker lets point here (DNS rebinding) is of use,
/// and a request with an origin must come from the page itself.
struct ZonePageHandler: HTTPHandler {
  /// The reason why a request is refused.
  private struct Refusal: Error {
    var status: HTTPStatusCode
    var message: String
  }

  /// The part of the address that nobody can guess: 32 hexadecimal digits.
  let token = Self.randomWord()
  let document: ZoneDocument

  /// The maximum size of a zones file that is taken, in bytes: as many corners as there may be fit in.
  static let maximumBodySize = 8 << 20

  /// Creates the answers for a document.
  init(_ document: ZoneDocument) { self.document = document }

  func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      // Read to its end in any case, or the rest would be taken for the next request.
      let body = try await Self.body(of: request)
      try check(request)
      return try answer(request, body)
    } catch let refusal as Refusal {
      return Self.response(refusal.status, refusal.message)
    } catch let error as MotionDetectionError {
      return Self.response(.badRequest, error.message)
    } catch {
      return Self.response(.internalServerError, "\(error)")
    }
  }

  /// - Throws: ``Refusal``.
  private func check(_ request: HTTPRequest) throws {
    let host = request.headers[.host] ?? ""
    guard ["127.0.0.1", "localhost"].contains(host.split(separator: ":").first) else {
      throw Refusal(status: .forbidden, message: "not under this name")
    }
    if let origin = request.headers[HTTPHeader("Origin")], origin != "http://\(host)" {
      throw Refusal(status: .forbidden, message: "not from this page")
    }
    guard request.target.path().hasPrefix("/\(token)/") else { throw Refusal(status: .notFound, message: "not found") }
  }

  private func answer(_ request: HTTPRequest, _ body: Data?) throws -> HTTPResponse {
    let page = String(request.target.path().dropFirst(token.count + 2))
    switch (request.method, page) {
    case (.GET, ""):
      let nonce = Self.randomWord()
      return Self.response(.ok, type: "text/html; charset=utf-8", Data(ZonePage.text(nonce: nonce).utf8), nonce: nonce)
    case (.GET, "frame.jpg"): return Self.response(.ok, type: "image/jpeg", document.frame.jpeg)
    case (.GET, "zones"): return Self.response(.ok, type: "application/json", Data(document.json.line.utf8))
    case (.POST, "zones"), (.POST, "close"):
      try save(body)
      if page == "close" { document.close() }
      return Self.response(.ok, "saved")
    case (_, ""), (_, "frame.jpg"), (_, "zones"), (_, "close"):
      throw Refusal(status: .methodNotAllowed, message: "not in this way")
    default: throw Refusal(status: .notFound, message: "not found")
    }
  }

  private func save(_ body: Data?) throws {
    guard let body else {
      throw Refusal(status: .payloadTooLarge, message: "more than \(Self.maximumBodySize) bytes")
    }
    try document.save(body)
  }

  /// Returns the body of a request; nil when it is longer than it may be.
  private static func body(of request: HTTPRequest) async throws -> Data? {
    var body: Data? = Data()
    for try await piece in request.bodySequence {
      body?.append(piece)
      if let count = body?.count, count > maximumBodySize { body = nil }
    }
    return body
  }

  private static func response(_ status: HTTPStatusCode, _ message: String) -> HTTPResponse {
    response(status, type: "text/plain; charset=utf-8", Data(message.utf8))
  }

  /// Returns an answer that the browser neither keeps nor lets do more than the page needs.
  private static func response(
    _ status: HTTPStatusCode, type: String, _ body: Data, nonce: String? = nil
  ) -> HTTPResponse {
    let own = nonce.map {
      ["style-src 'nonce-\($0)'", "script-src 'nonce-\($0)'", "img-src 'self' data:", "connect-src 'self'"]
    }
    let policy =
      ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"] + (own ?? [])
    var headers = HTTPHeaders()
    headers[.contentType] = type
    headers[.cacheControl] = "no-store"
    headers[HTTPHeader("Content-Security-Policy")] = policy.joined(separator: "; ")
    headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
    headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
    headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
    return HTTPResponse(statusCode: status, headers: headers, body: body)
  }

  /// Returns 128 random bits as hexadecimal digits.
  private static func randomWord() -> String {
    (0..<4).map { _ in String(format: "%08x", UInt32.random(in: .min ... .max)) }.joined()
  }
}
