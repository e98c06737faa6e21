import Foundation
import TestSupport
import Testing

private let canServeTLS: Bool = {
  let isThere = (try? ChildProcess.run("openssl", ["version"]))?.status == 0
  if !isThere { print("SKIPPED: certificates, for want of the openssl program") }
  return isThere && FFmpegTools.areInstalled
}()

/// A Boolean value that tells whether FFmpeg compares the name in a certificate with that of the server: with OpenSSL
/// only its latest versions do.
private let comparesHosts: Bool = {
  let comparesThem = (try? ChildProcess.run("ffmpeg", ["-buildconf"]))?.text.contains("--enable-gnutls") == true
  if !comparesThem { print("SKIPPED: certificates of other hosts, for want of an FFmpeg with GnuTLS") }
  return comparesThem
}()

/// Servers whose certificates nobody vouches for are not believed.
@Suite(.enabled(if: canServeTLS), .serialized) struct CertificateTests {
  private let folder: TemporaryFolder
  private let server: ChildProcess
  private let address: String

  /// Makes a certificate and a server that sends the files of the folder.
  init() throws {
    folder = try TemporaryFolder()
    try FFmpegTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-c:v", "ffv1", folder.file("clip.mkv").path])
    (server, address) = try Self.serve(folder, certificate: "certificate.pem", of: "localhost", "IP:127.0.0.1")
  }

  /// Makes a certificate, which vouches for itself, and starts a server that has it.
  /// - Parameters:
  ///   - name: The name of the server that the certificate is for.
  ///   - alternative: Its other name.
  /// - Returns: The server, and the address of the clip at it.
  private static func serve(
    _ folder: TemporaryFolder, certificate: String, of name: String, _ alternative: String
  ) throws -> (ChildProcess, address: String) {
    let made = try ChildProcess.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder.file("key-" + certificate).path, "-out",
        folder.file(certificate).path, "-days", "2", "-subj", "/CN=\(name)", "-addext",
        "subjectAltName=\(alternative)",
      ])
    try #require(made.status == 0, "\(made.errors)")
    // A port that was free a moment ago.
    let other = try LocalServer([.silence])
    let port = other.port
    other.stop()
    let server = try ChildProcess(
      "sh",
      [
        "-c", "cd \"$1\"; exec openssl s_server -accept $2 -cert \"$3\" -key \"key-$3\" -WWW", "sh", folder.url.path,
        "\(port)", certificate,
      ])
    return (server, "https://127.0.0.1:\(port)/clip.mkv")
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

  /// The certificate is among those that are trusted, but it is that of another host.
  @Test(.enabled(if: comparesHosts)) func inputsComeFromTheHostOfTheCertificateOnly() throws {
    defer { server.send(SIGKILL) }
    let (other, address) = try Self.serve(folder, certificate: "other.pem", of: "other.example", "DNS:other.example")
    defer { other.send(SIGKILL) }
    for address in [address, address.replacing("127.0.0.1", with: "localhost")] {
      let result = try run(["info", address], ["SSL_CERT_FILE": folder.file("other.pem").path])
      #expect(result.status == 1 && result.errors.contains("does not match"), "\(result.errors)")
    }
    let trusted = try run(["info", self.address], ["SSL_CERT_FILE": folder.file("certificate.pem").path])
    #expect(trusted.status == 0, "\(trusted.errors)")
  }

  @Test func eventsGoToTrustedServersOnly() throws {
    defer { server.send(SIGKILL) }
    let clip = folder.file("clip.mkv").path
    let result = try run(
      ["detect", clip, "--threshold", "0.01", "--min-duration", "0", "--webhook", address, "--reaction-limit", "20"])
    #expect(result.errors.lowercased().contains("certificate"), "\(result.errors)")
  }
}
