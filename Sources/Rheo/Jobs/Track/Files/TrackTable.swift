// Tracks as a table.

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// Returns a table with a line for each position of each track: boxes as in ``text(of:)``, and with a ground plane
  /// the place on it in metres and the speed in metres per second, where they are known.
  func tableText(of report: Report) -> String {
    var lines = ["track,kind,frame,seconds,ticks,x,y,width,height,confidence"]
    if groundPlane != nil { lines[0] += ",groundX,groundY,speed" }
    for track in report.tracks {
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
          let place = ground[index]
          cells += [place.position?.x, place.position?.y, place.speed].map { $0.map(Self.digits) ?? "" }
        }
        lines.append(cells.joined(separator: ","))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
