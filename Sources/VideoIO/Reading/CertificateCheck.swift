// FFmpeg believes any certificate unless told otherwise.

import CFFmpeg
import Foundation

/// Lets all that an input opens over TLS, the parts of a playlist too, be opened only from servers whose certificates
/// the system trusts, or those in the file that the environment variable `SSL_CERT_FILE` names.
enum CertificateCheck {
  private typealias Open =
    @convention(c) (
      UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
      UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  /// FFmpeg's own way to open what a context asks for.
  private static let usualOpen: Open? = {
    let context = avformat_alloc_context()
    defer { avformat_free_context(context) }
    return context?.pointee.io_open
  }()

  /// The options of FFmpeg's TLS.
  static let options: [(key: String, value: String)] =
    [("tls_verify", "1")] + (certificates.map { [("ca_file", $0)] } ?? [])

  /// The file with the certificates to trust; nil where FFmpeg knows the system's by itself, as it does with GnuTLS.
  private static let certificates: String? = {
    if let named = getenv("SSL_CERT_FILE") { return String(cString: named) }
    guard let configuration = avformat_configuration(), String(cString: configuration).contains("--enable-openssl")
    else { return nil }
    let usual = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
    return usual.first { access($0, R_OK) == 0 }
  }()

  /// Makes a context check certificates, before it opens anything.
  static func install(in context: UnsafeMutablePointer<AVFormatContext>?) {
    guard usualOpen != nil else { return }
    context?.pointee.io_open = { context, file, url, flags, given in
      var none: OpaquePointer?
      return withUnsafeMutablePointer(to: &none) { none in
        let status = CertificateCheck.open(context, file, url, flags, given ?? none)
        av_dict_free(none)
        return status
      }
    }
  }

  private static func open(
    _ context: UnsafeMutablePointer<AVFormatContext>?,
    _ file: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, _ url: UnsafePointer<CChar>?, _ flags: Int32,
    _ dictionary: UnsafeMutablePointer<OpaquePointer?>
  ) -> Int32 {
    var own: [String] = []
    for (key, value) in options where av_dict_get(dictionary.pointee, key, nil, 0) == nil {
      guard av_dict_set(dictionary, key, value, 0) >= 0 else { return RHEO_ERROR_NO_MEMORY }
      own.append(key)
    }
    let status = usualOpen?(context, file, url, flags, dictionary) ?? RHEO_ERROR_INVALID_DATA
    // What nobody took is not to look like a mistake of the caller.
    for key in own { av_dict_set(dictionary, key, nil, 0) }
    return status
  }
}
