import Foundation
import TestSupport
import Testing

private let canServeTLS: Bool = {
  let isThere = (try? ChildProcess.run("openssl", ["version"]))?.status == 0
  if !isThere { print("SKIPPED: certificates, for want of the openssl program") }
  return isThere && FFmpegTools.areInstalled
}()

/// Servers whose certificates nobody vouches for are not believed.
@Suite(.enabled(if: canServeTLS), .serialized) struct CertificateTests {
  private let folder: TemporaryFolder
  private let server: ChildProcess
  private let address: String

  /// Makes a certificate and a server that sends the files of the folder.
  init() throws {
    folder = try TemporaryFolder()
    let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
    let made = try ChildProcess.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key.path, "-out", certificate.path, "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
      ])
    try #require(made.status == 0, "\(made.errors)")
    try FFmpegTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-c:v", "ffv1", folder.file("clip.mkv").path])
    // A port that was free a moment ago.
    let other = try LocalServer([.silence])
    let port = other.port
    other.stop()
    address = "https://127.0.0.1:\(port)/clip.mkv"
    server = try ChildProcess(
      "sh",
      [
        "-c", "cd \"$1\"; exec openssl s_server -accept $2 -cert certificate.pem -key key.pem -WWW", "sh",
        folder.url.path, "\(port)",
      ])
  }

  /// Returns the result of the first run that reached the server.
  private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ChildProcess.Result {
    for _ in 0..<100 {
      let result = try Program.run(arguments, environment: environment)
      guard result.errors.contains("Connection refused") else { return result }
      usleep(50_000)
    }
    throw CocoaError(.fileReadUnknown)
  }

  @Test func inputsComeFromTrustedServersOnly() throws {
    defer { server.send(SIGKILL) }
    let refused = try run(["info", address])
    #expect(refused.status == 1 && refused.errors.contains("certificate"), "\(refused.errors)")
    let trusted = try run(["info", address], ["SSL_CERT_FILE": folder.file("certificate.pem").path])
    #expect(trusted.status == 0 && trusted.text.contains("matroska"), "\(trusted.errors)")
    let chosen = try run(["detect", address, "--input-options", "tls_verify=0", "--reconnect", "never"])
    // This server ends no file properly, which counts as damage.
    #expect([0, 2].contains(chosen.status) && chosen.errors.contains("20 frames"), "\(chosen.errors)")
  }

  @Test func eventsGoToTrustedServersOnly() throws {
    defer { server.send(SIGKILL) }
    let clip = folder.file("clip.mkv").path
    let result = try run(
      ["detect", clip, "--threshold", "0.01", "--min-duration", "0", "--webhook", address, "--reaction-limit", "20"])
    #expect(result.errors.lowercased().contains("certificate"), "\(result.errors)")
  }
}
