// Tracks as a table.

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// Writes a table with a line for each position of each track: boxes as in ``TrackFormat/json``, and with a ground
  /// plane the position on it in metres and the speed in metres per second, where they are known.
  func writeTable(_ report: Report, to put: (String) throws -> Void) throws {
    let ground = groundPlane == nil ? "" : ",groundX,groundY,speed"
    try put("track,kind,frame,seconds,ticks,x,y,width,height,confidence\(ground)\n")
    try report.forEachTrack { track in
      let ground = groundPlane?.path(of: track, imageSize: report.size)
      for (index, position) in track.positions.enumerated() {
        let box = position.box
        let size = track.kind == .box ? [Self.digits(box.width), Self.digits(box.height)] : ["", ""]
        var cells = [
          "\(track.id)", track.kind.rawValue, "\(position.frame)", Self.rounded(position.time.seconds, 1e6).line,
          "\(position.time.value)", Self.digits(box.x), Self.digits(box.y),
        ]
        cells += size + [Self.digits(position.confidence)]
        if let ground {
          let point = ground[index]
          cells += [point.position?.x, point.position?.y, point.speed].map { $0.map(Self.digits) ?? "" }
        }
        try put(cells.joined(separator: ",") + "\n")
      }
    }
  }
}
