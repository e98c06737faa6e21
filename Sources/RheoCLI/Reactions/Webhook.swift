// Posts of JSON to a server, again and again when that may help.

import Foundation
import Rheo
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An address that is told of events.
///
/// A post is tried again with doubled pauses after a failure that may pass: no answer in time, a connection that fails,
/// the statuses 408, 429 and 500 and above. Any other status but 2xx is final: the same words would be refused again.
/// Redirections are not followed, since that makes another request of a POST. Of a reply the status alone is read,
/// whatever the server goes on to send.
final class Webhook: Sendable {
  /// The reason why a post did not arrive.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private enum Answer {
    case delivered
    case refused(String)
    case maybeLater(String)
  }

  let url: URL
  private let session: URLSession
  private let replies = ReplyReader()

  /// The number of times that a post is tried.
  private static let attempts = 5
  /// The pause before the second attempt, in seconds; doubled for each that follows.
  private static let firstPause = 0.5
  /// The maximum time for an answer, in seconds.
  private static let answerLimit = 10.0
  /// The time between looks whether to stop, in seconds.
  private static let tick = 0.005

  init(_ url: URL) {
    self.url = url
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["User-Agent": "rheo/\(RheoVersion.number)"]
    session = URLSession(configuration: configuration, delegate: replies, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// The scheme, host and port of the address: the path may be the secret.
  var shownAddress: String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "http")://\(url.host ?? "")\(port)"
  }

  /// Posts a body, and waits until it was taken.
  /// - Parameter seconds: The maximum time for all attempts together, in seconds.
  /// - Throws: ``Failure`` with the last answer.
  func post(_ body: Data, seconds: Double, _ interruption: Interruption) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var pause = Self.firstPause
    for attempt in 1... {
      let answer = post(body, until: min(deadline, ContinuousClock.now + .seconds(Self.answerLimit)), interruption)
      let reason: String
      switch answer {
      case .delivered: return
      case .refused(let text): throw Failure(description: text)
      case .maybeLater(let text): reason = text
      }
      let next = ContinuousClock.now + .seconds(pause)
      let tries = attempt == 1 ? "1 attempt" : "\(attempt) attempts"
      guard attempt < Self.attempts, next < deadline else { throw Failure(description: "\(reason) (\(tries))") }
      while ContinuousClock.now < next {
        guard !interruption.isSet else { throw Failure(description: "\(reason) (\(tries))") }
        Thread.sleep(forTimeInterval: Self.tick)
      }
      pause *= 2
    }
  }

  private func post(_ body: Data, until deadline: ContinuousClock.Instant, _ interruption: Interruption) -> Answer {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = body
    let received = SharedValue<Answer?>(nil)
    let task = session.dataTask(with: request)
    replies.expect(task) { response, error in received.value = Self.answer(response, error) }
    task.resume()
    // Semaphores wait for a time of the wall clock on Linux: for a day where that goes back by one.
    while !interruption.isSet, ContinuousClock.now < deadline {
      if let answer = received.value { return answer }
      Thread.sleep(forTimeInterval: Self.tick)
    }
    task.cancel()
    return received.value ?? .maybeLater("gives no answer in time")
  }

  private static func answer(_ response: URLResponse?, _ error: (any Error)?) -> Answer {
    if let error { return .maybeLater(error.localizedDescription) }
    guard let status = (response as? HTTPURLResponse)?.statusCode else { return .maybeLater("gives no status") }
    switch status {
    case 200..<300: return .delivered
    case 408, 429, 500...: return .maybeLater("answers with status \(status)")
    default: return .refused("answers with status \(status)")
    }
  }
}

/// Hands on the head of each reply and ends the transfer there. Takes the answer that redirects as the answer.
private final class ReplyReader: NSObject, URLSessionDataDelegate {
  typealias Receiver = @Sendable (URLResponse?, (any Error)?) -> Void

  /// The receivers that wait, by the numbers of their tasks.
  private let receivers = Mutex<[Int: Receiver]>([:])

  /// Calls `receiver` once, with the head of the reply or the reason why there is none.
  func expect(_ task: URLSessionTask, _ receiver: @escaping Receiver) {
    receivers.withLock { $0[task.taskIdentifier] = receiver }
  }

  private func hand(_ response: URLResponse?, _ error: (any Error)?, of task: URLSessionTask) {
    let receiver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    receiver?(response, error)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    hand(response, nil, of: dataTask)
    // Foundation on Linux does not look at the disposition.
    completionHandler(.cancel)
    dataTask.cancel()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    hand(task.response, error, of: task)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
