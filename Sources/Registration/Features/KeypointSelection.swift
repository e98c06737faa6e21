// The choice of keypoints that are worth a descriptor.

import Imaging

extension Array where Element == KeypointCandidate {
  /// Returns at most `count` candidates: the strongest of each of 8×8 parts of the image first, then the strongest of
  /// all.
  ///
  /// One detailed corner would otherwise take the whole number, and a map that leans on one corner is loose everywhere
  /// else.
  func strongest(_ count: Int, octaves: [Octave], size: PixelSize) -> [KeypointCandidate] {
    guard self.count > count else { return self }
    let side = 8
    let share = Swift.max(1, count * 3 / 4 / (side * side))
    let order = indices.sorted { a, b in
      self[a].response != self[b].response ? self[a].response > self[b].response : a < b
    }
    var taken = [Int](repeating: 0, count: side * side)
    var chosen = [Bool](repeating: false, count: self.count)
    var total = 0
    for index in order where total < count {
      let candidate = self[index]
      let octave = octaves[candidate.octave]
      let column = Int((candidate.x * octave.step + octave.origin) * Float(side) / Float(size.width))
      let row = Int((candidate.y * octave.step + octave.origin) * Float(side) / Float(size.height))
      let cell = Swift.min(Swift.max(row, 0), side - 1) * side + Swift.min(Swift.max(column, 0), side - 1)
      guard taken[cell] < share else { continue }
      taken[cell] += 1
      chosen[index] = true
      total += 1
    }
    for index in order where total < count && !chosen[index] {
      chosen[index] = true
      total += 1
    }
    return indices.filter { chosen[$0] }.map { self[$0] }
  }
}
