// Cameras at this computer: FFmpeg keeps them in a library of their own.

import CFFmpeg
import Foundation

/// FFmpeg's devices. libavdevice draws in sound servers and windows, so it is loaded only when a camera is asked for.
enum CaptureDevices {
  /// The reason why the devices are not there; nil once they are. They are loaded at the first access, once for all.
  static let failure: String? = {
    // The libraries of one FFmpeg have one number for these two.
    let name = "libavdevice.so.\(avformat_version() >> 16)"
    guard let library = dlopen(name, RTLD_NOW | RTLD_GLOBAL), let symbol = dlsym(library, "avdevice_register_all")
    else {
      return "\(name) cannot be loaded; install it (Debian, Ubuntu: libavdevice\(avformat_version() >> 16))"
    }
    unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
    return nil
  }()

  /// Makes FFmpeg know the formats of devices.
  /// - Throws: ``MediaError`` `cannotOpen` where libavdevice is missing.
  static func register(for path: String) throws {
    if let failure { throw MediaError(.cannotOpen, "a camera needs FFmpeg's devices: \(failure)", file: path) }
  }
}
