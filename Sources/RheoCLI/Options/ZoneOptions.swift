import ArgumentParser
import Rheo

/// The options for the zones in which motion counts.
struct ZoneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Where motion counts (JSON): areas in fractions of the image's or square pixels, directions in degrees, 0 right, \
      90 down.
      """,
      valueName: "file"))
  var zones: String?

  @Option(
    help: ArgumentHelp(
      "Let motion count in the white areas of this image, which is stretched over the video.", valueName: "image"))
  var zonesFromMask: String?

  /// A Boolean value that tells whether any are given.
  var areGiven: Bool { zones != nil || zonesFromMask != nil }

  /// Keeps the files from being replaced by an output.
  func protect() { OutputFile.protect([zones, zonesFromMask].compactMap(\.self)) }

  /// Returns the zones that are asked for, read from their files.
  func zoneSet() throws -> ZoneSet {
    let painted = try zonesFromMask.map(mask)
    guard let zones else { return painted ?? .everywhere }
    let named = try ZoneSet(path: zones)
    guard let painted else { return named }
    return try ZoneSet(named.zones + painted.zones, tripLines: named.tripLines)
  }

  private func mask(_ path: String) throws -> ZoneSet {
    do {
      return try ZoneSet(mask: try StillImage.luma(contentsOf: path))
    } catch let error as MotionDetectionError {
      throw MotionDetectionError(error.code, "\(path): \(error.message)")
    }
  }
}
