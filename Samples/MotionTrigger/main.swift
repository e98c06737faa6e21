// Prints each event of motion as it ends: MotionTrigger VIDEO|CAMERA [X,Y,WIDTH,HEIGHT]
//
// The rectangle, in fractions of the image from its top left corner, is where motion counts; without it, everywhere. An
// event is known to be over when nothing has moved for a while (`events.mergeGap`); until then it may go on.

import Foundation
import Rheo

let arguments = CommandLine.arguments
guard (2...3).contains(arguments.count) else {
  print("usage: MotionTrigger VIDEO|CAMERA [X,Y,WIDTH,HEIGHT]")
  exit(64)
}

do {
  var detection = Detection(input: arguments[1])
  detection.events.minimumDuration = 0.3
  if arguments.count == 3 { detection.zones = try ZoneSet([zone(arguments[2])]) }

  let report = try detection.run(onUpdate: { update in
    // Here a program of your own would switch on a light or send a message.
    guard case .event(let event, _) = update else { return }
    print("\(event.number)  \(event.start.time.timecode) to \(event.end.time.timecode)", terminator: "")
    print("  peak \(event.peakScore) % at \(event.peak.time.timecode)", terminator: "")
    print("  moves \(event.u) px right, \(event.v) px down a frame")
    fflush(nil)
  })
  for period in report.suppressed { print("no motion: \(period.reason) at \(period.start.time.timecode)") }
  for gap in report.gaps { print("damaged: \(gap)") }
  let count = report.events.count
  print("\(count) \(count == 1 ? "event" : "events") in \(report.frames) frames")
} catch {
  print("MotionTrigger: \(error)")
  exit(1)
}

/// A rectangle as a zone.
func zone(_ text: String) throws -> Zone {
  let sides = text.split(separator: ",").compactMap { Double($0) }
  guard sides.count == 4 else {
    throw MotionDetectionError(.invalidZones, "'\(text)' is no X,Y,WIDTH,HEIGHT such as 0.4,0.5,0.3,0.5")
  }
  let (left, top, right, bottom) = (sides[0], sides[1], sides[0] + sides[2], sides[1] + sides[3])
  return Zone(name: "watched", polygon: [[left, top], [right, top], [right, bottom], [left, bottom]])
}
