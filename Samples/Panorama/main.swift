// A panorama of a pan, or of two or more images that overlap: Panorama OUT.png INPUT…

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  print("usage: Panorama OUT.png VIDEO|IMAGE IMAGE…")
  exit(64)
}

do {
  let stitching = Stitching(
    inputs: Array(arguments.dropFirst(2)), output: arguments[1], model: .homography, overwrite: true)
  let report = try stitching.run()
  for name in report.leftOut { print("left out: \(name)") }
  for note in report.notes { print(note) }
  print("\(report.size) of \(report.imageCount) images around \(report.center)")
} catch {
  print("Panorama: \(error)")
  exit(1)
}
