// Steadies a shaky video: SteadyVideo VIDEO OUT.mp4

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: SteadyVideo VIDEO OUT.mp4")
  exit(64)
}

do {
  // Shifts and turns are evened out over three seconds; the zoom is just large enough to hide the borders.
  let stabilization = Stabilization(
    input: arguments[1], output: arguments[2], model: .euclidean, smoothing: 3, border: .crop, zoom: .auto,
    encoding: EncoderOptions(overwrites: true))
  let report = try stabilization.run()
  for note in report.notes { print(note) }
  print("\(report.frames) frames, enlarged \(report.zoom) times, \(report.cuts) cuts")
} catch {
  print("SteadyVideo: \(error)")
  exit(1)
}
