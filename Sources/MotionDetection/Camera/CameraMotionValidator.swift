import Imaging

/// Lets the parts of the image decide whether a map is the camera's motion or that of something large before it. The
/// constants were chosen by hand.
enum CameraMotionValidator {
  /// The number of blocks per axis.
  private static let side = 8
  /// The distance between the pixels that are compared, in pixels.
  private static let stride = 2
  /// The share of the other way's difference below which a way's difference must stay to get the vote of a block.
  private static let maximumDifferenceRatio: Float = 0.85
  /// The share of the mirrored way's difference below which the map's difference must stay to get the vote of a block.
  private static let maximumMirrorRatio: Float = 0.92
  /// The difference that one of the two ways must exceed for a block to vote, in squared grey levels.
  private static let minimumDifference: Float = 1.5
  /// The minimum number of votes for the map for each vote against it: something large may fill most of the image, and
  /// what little is seen of the ground knows better; but names and times that are written into images never move.
  private static let majority = 8
  /// The minimum number of votes for the map for each vote against it while the camera moves anyway: codecs let blocks
  /// stand that move by little.
  private static let furtherMajority = 3
  /// The minimum number of votes for the map, even without any against it.
  private static let minimumVotes = 3
  /// The minimum share of the blocks that differ clearly which vote for a first map: a camera moves all of them, rain
  /// does not.
  private static let minimumVoteShare = 0.2
  /// The multiple of the lower quartile of all blocks' differences from which on a block differs clearly.
  private static let distinctFactor: Float = 2

  /// The multiple of the median difference of the blocks that vote for a map from which on a block at the upper or
  /// lower edge that votes against it has something written over it, and the minimum number of votes for the map for
  /// each of them.
  private static let (writtenFactor, minimumVotesPerWritten): (Float, Int) = (4, 4)

  /// The share of the votes for a registration's map that the flow's must have for a registration to be worth its
  /// time. Of some 900 maps of cameras that pan and shake on the tuning half of the drawn scenes, the flow's had 1.1
  /// times what was needed and more at the beginning of a motion, and 0.75 and more in it but for 3. A tremor through a
  /// codec that lets blocks stand has 0.51 at its beginning; what is below this is margin. A registration in vain costs
  /// time (0.6 and 0.4 would save 5 to 8 % in water and foliage), and in waves it may find a camera that is none.
  private static let (flowShare, furtherFlowShare) = (0.4, 0.3)

  /// The maximum share of a map's motion that no shift, turn and scaling explains. A camera that pans over the tuning
  /// half of the drawn scenes has 0…0.25, one in a hand up to 0.5; a map that follows water in the lower half of an
  /// image that stands still has 0.53…0.75.
  private static let maximumDeformation = 0.45
  /// The places along each axis at which a map's motion is looked at, as shares of the side.
  private static let places = [0, 0.5, 1]

  /// Returns the result of the rule that a camera that turns shifts and turns the image as a whole: a map that bends it
  /// follows what moves in a part of it.
  /// - Parameters:
  ///   - map: The map from pixels to pixels.
  ///   - size: The size of the image, in pixels.
  static func deformation(of map: Homography, size: PixelSize) -> RuleResult {
    let (right, bottom) = (Double(size.width - 1), Double(size.height - 1))
    // Positions from the middle of the image, and motions.
    let samples = places.flatMap { y in
      places.map { x -> (position: SIMD2<Double>, motion: SIMD2<Double>) in
        let moved = map.apply(x: x * right, y: y * bottom)
        let motion = SIMD2(moved.x - x * right, moved.y - y * bottom)
        return (SIMD2((x - 0.5) * right, (y - 0.5) * bottom), motion)
      }
    }
    // The places lie evenly around the middle, so that shift, scale and turn are found one by one.
    let shift = samples.reduce(SIMD2<Double>.zero) { $0 + $1.motion } / Double(samples.count)
    var (scale, turn, spread) = (0.0, 0.0, 0.0)
    for (position, motion) in samples {
      scale += (position * motion).sum()
      turn += position.x * motion.y - position.y * motion.x
      spread += (position * position).sum()
    }
    (scale, turn) = (scale / max(spread, 1), turn / max(spread, 1))
    var (rest, whole) = (0.0, 0.0)
    for (position, motion) in samples {
      let explained = shift + scale * position + turn * SIMD2(-position.y, position.x)
      rest += ((motion - explained) * (motion - explained)).sum()
      whole += (motion * motion).sum()
    }
    return RuleResult(.deformation, whole > 0 ? (rest / whole).squareRoot() : 0, limit: maximumDeformation)
  }

  /// Returns whether enough parts of two images vote for the motion that the flow of most points has in common, so that
  /// it may be the camera's, which a registration then tells precisely.
  /// - Parameters:
  ///   - map: The map from pixels of `previous` to pixels of `current`.
  ///   - isMoving: A Boolean value that tells whether the camera moved of late.
  static func flowRuleResult(
    on map: Homography, isMoving: Bool, previous: Plane<Float>, current: Plane<Float>
  ) -> RuleResult {
    let votes = ruleResult(on: map, isMoving: isMoving, previous: previous, current: current)
    return RuleResult(.flowConsensus, votes.value, limit: votes.limit * (isMoving ? furtherFlowShare : flowShare))
  }

  /// - Parameters:
  ///   - map: The map from pixels of `previous` to pixels of `current`.
  ///   - isMoving: A Boolean value that tells whether the camera moved of late.
  static func ruleResult(
    on map: Homography, isMoving: Bool, previous: Plane<Float>, current: Plane<Float>
  ) -> RuleResult {
    var (differencesFor, differencesAtEdges): ([Float], [Float]) = ([], [])
    var votesInside = 0
    var maxima: [Float] = []
    // Between pixels noise is less, whichever way an image is moved: a first motion must beat its mirror image too.
    let opposite = map.inverse ?? map
    forEachBlock(of: previous, current) { previous, current, rows, columns in
      let still = difference(previous, current, nil, rows, columns)
      let moved = difference(previous, current, map, rows, columns)
      guard let still, let moved else { return }
      maxima.append(max(still, moved))
      guard max(still, moved) > minimumDifference else { return }
      func beatsMirror() -> Bool {
        difference(previous, current, opposite, rows, columns).map { moved < maximumMirrorRatio * $0 } ?? false
      }
      if moved < maximumDifferenceRatio * still, isMoving || beatsMirror() { differencesFor.append(still) }
      guard still < maximumDifferenceRatio * moved else { return }
      if rows.contains(0) || rows.contains(previous.height - 1) {
        differencesAtEdges.append(moved)
      } else {
        votesInside += 1
      }
    }
    let votesFor = differencesFor.count
    // In the dark, what is written along an edge is seen best of all, and is no part of the view.
    let writtenLimit = writtenFactor * (differencesFor.median ?? .infinity)
    let writtenCount = min(differencesAtEdges.count { $0 > writtenLimit }, votesFor / minimumVotesPerWritten)
    let votesAgainst = votesInside + differencesAtEdges.count - writtenCount
    let quartile = maxima.isEmpty ? 0 : maxima.nthElement(maxima.count / 4)
    let clear = maxima.count { $0 > max(minimumDifference, distinctFactor * quartile) }
    let needed = Double((isMoving ? furtherMajority : majority) * votesAgainst)
    let limit = max(Double(minimumVotes), needed, isMoving ? 0 : (minimumVoteShare * Double(clear)).rounded(.up))
    return RuleResult(.blockConsensus, Double(votesFor), limit: limit)
  }

  /// The numbers of the parts of an image that moved by a map, and that stood still.
  struct Votes: Sendable {
    var inFavor = 0
    var against = 0

    /// Returns whether so many parts moved for each one that stood still, or hardly any stood.
    func isMajority(_ majority: Int) -> Bool { against < minimumVotes || inFavor >= majority * against }
  }

  /// Returns whether clearly more parts of two images stood still than moved by a map.
  /// - Parameter map: The map from pixels of `previous` to pixels of `current`.
  static func isContradicted(_ map: Homography, previous: Plane<Float>, current: Plane<Float>) -> Bool {
    let votes = votes(on: map, previous: previous, current: current)
    return votes.against >= max(minimumVotes, furtherMajority * votes.inFavor)
  }

  /// Returns how many parts of two images moved by a map, and how many stood still.
  /// - Parameter map: The map from pixels of `previous` to pixels of `current`.
  static func votes(on map: Homography, previous: Plane<Float>, current: Plane<Float>) -> Votes {
    var votes = Votes()
    forEachBlock(of: previous, current) { previous, current, rows, columns in
      let still = difference(previous, current, nil, rows, columns)
      let moved = difference(previous, current, map, rows, columns)
      guard let still, let moved, max(still, moved) > minimumDifference else { return }
      if moved < maximumDifferenceRatio * still { votes.inFavor += 1 }
      if still < maximumDifferenceRatio * moved { votes.against += 1 }
    }
    return votes
  }

  private static func forEachBlock(
    of previous: Plane<Float>, _ current: Plane<Float>,
    _ body: (PlaneView<Float>, PlaneView<Float>, Range<Int>, Range<Int>) -> Void
  ) {
    previous.withView { previous in
      current.withView { current in
        for row in 0..<side {
          for column in 0..<side {
            body(
              previous, current, row * previous.height / side..<(row + 1) * previous.height / side,
              column * previous.width / side..<(column + 1) * previous.width / side)
          }
        }
      }
    }
  }

  /// Returns the variance of the difference of a block: a change of light in the block as a whole has no say. Nil where
  /// less than half of it is seen.
  /// - Parameter map: The map from pixels of `previous` to pixels of `current`; nil: they are the same.
  private static func difference(
    _ previous: PlaneView<Float>, _ current: PlaneView<Float>, _ map: Homography?, _ rows: Range<Int>,
    _ columns: Range<Int>
  ) -> Float? {
    var (sum, squares, count, asked): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: stride) {
      let (before, now) = (previous.row(y), current.row(y))
      for x in Swift.stride(from: columns.lowerBound, to: columns.upperBound, by: stride) {
        asked += 1
        let position = map?.apply(x: Double(x), y: Double(y))
        guard let value = position.map({ current.interpolated(x: $0.x, y: $0.y) }) ?? now[x] else { continue }
        let difference = value - before[x]
        sum += difference
        squares += difference * difference
        count += 1
      }
    }
    guard count > 0, 2 * count >= asked else { return nil }
    return squares / count - sum / count * (sum / count)
  }
}

extension PlaneView<Float> {
  /// Returns the value between four pixels; nil outside.
  fileprivate func interpolated(x: Double, y: Double) -> Float? {
    guard x >= 0, y >= 0, x <= Double(width - 1), y <= Double(height - 1) else { return nil }
    let (x0, y0) = (Swift.min(Int(x), width - 2), Swift.min(Int(y), height - 2))
    guard x0 >= 0, y0 >= 0 else { return row(Int(y))[Int(x)] }
    return bilinear(column: x0, row: y0, fx: Float(x - Double(x0)), fy: Float(y - Double(y0)))
  }
}
