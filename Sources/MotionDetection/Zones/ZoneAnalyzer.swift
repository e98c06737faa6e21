// From what pairs of frames show to the statistics that events are made of.

import Imaging

/// Adds what temporal averages show to what pairs of frames do, and measures it zone by zone. Used by one thread.
package final class ZoneAnalyzer {
  /// The measurements of one frame.
  package struct Measurement: Sendable {
    package init(
      statistics: FrameStatistics, counted: CellMask? = nil, ruleResults: DetectionExplanation.RuleResults? = nil
    ) {
      self.statistics = statistics
      self.counted = counted
      self.ruleResults = ruleResults
    }

    /// All that events are made from.
    package var statistics: FrameStatistics
    /// The cells through which something travels that counts; nil when nothing was measured.
    package var counted: CellMask?
    /// The results of the rules, for the frame that is explained.
    package var ruleResults: DetectionExplanation.RuleResults?
  }

  /// The analyzer for what is too dim to be seen in images full of noise.
  private let dim: TemporalAverageAnalyzer
  /// The analyzer for what is too slow to be seen from frame to frame.
  private let slow: TemporalAverageAnalyzer
  /// The time in seconds at which noise was last seen that is worth ``dim``; nil: ``dim`` has not been used since.
  private var lastNoise: Double?
  /// The analyzer for what rain and snow hide.
  private let weather: WeatherAnalyzer
  private var filter: TravelFilter
  private var presence: PresenceMap
  private var averageCount = 0
  private var meter: ZoneMeter
  private var lines: LineCrossingCounter
  private let lineCount: Int
  private let zoneCount: Int
  /// The map from pixels of the scene's first analysed image to those of the current one.
  private var scene = Homography.identity
  /// The measurements of the last two frames that were looked at.
  private var (last, lastButOne): (Measurement?, Measurement?)

  /// The time for which noise is expected to come again, in seconds; chosen by hand.
  private static let noiseMemoryInSeconds = 2.0

  /// - Parameters:
  ///   - zones: Where motion counts.
  ///   - size: The size of the full-size frames.
  ///   - analyzedSize: The size of the images.
  ///   - explains: Whether a frame is to be explained.
  package init(zones: ZoneSet, size: PixelSize, analyzedSize: PixelSize, explains: Bool = false) {
    func averageAnalyzer(frames: Int) -> TemporalAverageAnalyzer {
      TemporalAverageAnalyzer(
        frames: frames, size: analyzedSize, parallelism: .serial, explains: explains)
    }
    (dim, slow) = (averageAnalyzer(frames: 2), averageAnalyzer(frames: TemporalAverageAnalyzer.slowFrames))
    let grid = CellGrid(size: analyzedSize)
    weather = WeatherAnalyzer(size: analyzedSize)
    let enlargement = Double(analyzedSize.width) / Double(size.width)
    filter = TravelFilter(grid: grid, enlargement: max(1, Float(enlargement)))
    presence = PresenceMap(grid: grid)
    meter = ZoneMeter(zones: zones, grid: grid, size: size)
    lines = LineCrossingCounter(zones: zones, grid: grid, size: size)
    lineCount = zones.tripLines.count
    zoneCount = zones.measuredNames.count
  }

  /// Takes the next pair.
  package func measure(_ measured: AnalyzedPair) -> Measurement {
    if measured.isLeftOut, let last {
      if !measured.isRepetition { noteLeftOut(measured.frame) }
      return repeated(last, in: measured.frame)
    }
    let measurement = measurement(of: measured)
    (lastButOne, last) = (last, measurement)
    return measurement
  }

  /// Takes the image of a frame that is left out into what is made of many.
  private func noteLeftOut(_ frame: AnalyzedFrame) {
    let (image, seconds) = (frame.image, frame.time.seconds)
    dim.noteLeftOut(image, seconds: seconds)
    slow.noteLeftOut(image, seconds: seconds)
    weather.noteLeftOut(image, seconds: seconds)
    filter.noteLeftOut(image, seconds: seconds)
  }

  /// Returns what was measured in the frame before one that is left out.
  ///
  /// Motion that the measurement before it did not have is not repeated: chance would seem to have come twice.
  private func repeated(_ former: Measurement, in frame: AnalyzedFrame) -> Measurement {
    var repeated = former
    (repeated.statistics.frame, repeated.statistics.time) = (frame.number, frame.time)
    (repeated.statistics.crossings, repeated.ruleResults) = ([], nil)
    if repeated.statistics.state != .cameraMoving { repeated.statistics.state = .normal }
    for zone in repeated.statistics.zones.indices where lastButOne?.statistics.zones[zone].score ?? 0 == 0 {
      (repeated.statistics.zones[zone].score, repeated.statistics.zones[zone].boxes) = (0, [])
    }
    if repeated.statistics.zones.allSatisfy({ $0.score == 0 }) {
      repeated.counted = repeated.counted.map { CellMask(grid: $0.grid) }
    }
    return repeated
  }

  private func measurement(of measured: AnalyzedPair) -> Measurement {
    var pair = measured
    if let map = pair.camera, weather.contradicts(map, pair.frame, clutterSpread: filter.clutter.spread) {
      (pair.camera, pair.state) = (nil, .normal)
    }
    let (frame, seconds) = (pair.frame, pair.frame.time.seconds)
    begin(pair)
    let observation = pair.observation.map { completed($0, pair) }
    let crossed = lines.measureCells(observation, seconds: seconds)
    var counted = crossed.cells
    let zones =
      observation.map { meter.measure($0, visited: filter.visited, counted: &counted) }
      ?? Array(repeating: .none, count: zoneCount - lineCount)
    return Measurement(
      statistics: FrameStatistics(
        frame: frame.number, time: frame.time, state: pair.state, lightShare: observation?.lightShare ?? 0,
        isSettling: filter.isSettling,
        zones: (zones + crossed.motions).map { $0.stretched(by: pair.frameCount) }, crossings: crossed.crossings),
      counted: observation == nil ? nil : counted,
      ruleResults: pair.isExplained ? ruleResults(of: pair, observation) : nil)
  }

  /// Forgets what does not reach into the later frame of a pair, and follows the camera there.
  private func begin(_ pair: AnalyzedPair) {
    switch pair.state {
    case .first:
      restartTemporalAverages(newScene: true)
      filter.reset()
      presence.reset()
    case .gap: restartTemporalAverages(newScene: false)
    case .cut:
      restartTemporalAverages(newScene: true)
      filter.reset()
      presence.reset()
      scene = .identity
      meter.follow(scene)
      lines.reset()
    case .normal, .cameraMoving:
      guard let camera = pair.camera else { break }
      presence.reset()
      scene = camera * scene
      if weather.cameraHasMoved { filter.resetView() }
      meter.follow(scene)
    }
  }

  private func restartTemporalAverages(newScene: Bool) {
    dim.restart(newScene: newScene)
    slow.restart(newScene: newScene)
    weather.restart()
  }

  /// Returns what a frame shows against the one before, completed with what it shows against earlier ones.
  private func completed(_ observation: MotionObservation, _ pair: AnalyzedPair) -> MotionObservation {
    let (image, seconds) = (pair.frame.image, pair.frame.time.seconds)
    // In noise, the background too shows how it moves in means alone.
    var (seen, frame) = (observation, observation)
    if pair.medianResidual > FramePairAnalyzer.minimumNoise { lastNoise = seconds }
    if let noisy = lastNoise {
      if seconds - noisy < Self.noiseMemoryInSeconds, !weather.isOn {
        seen = dim.complete(seen, image: image, camera: pair.camera, seconds: seconds)
        frame = seen
        // What changes in means of two frames counts as moving, although nothing tells how.
        for cell in frame.changedMask.indices where frame.changedMask[cell] { frame.motionMask[cell] = true }
      } else {
        lastNoise = nil
        dim.restart(newScene: true)
      }
    }
    seen = slow.complete(seen, restless: frame, image: image, camera: pair.camera, seconds: seconds)
    let wasClear = !weather.isOn
    seen = weather.complete(seen, pair, clutter: filter.clutter)
    if wasClear, weather.isOn { filter.disproveVisits() }
    let view = TravelFilter.View(
      image: image, steady: weather.steadyImage ?? image, colors: pair.camera == nil ? pair.frame.colors : nil,
      isWeather: weather.isOn, frameCount: pair.frameCount)
    seen = filter.filtered(seen, frame: frame, in: view, excluding: presence.isPresent, seconds: seconds)
    // In the first seconds it may be dynamic background as well as somebody who came.
    if !filter.isSettling { presence.note(seen.movingCells, seconds: seconds) }
    presence.noteNobody(seen.insectCells)
    if slow.averageCount != averageCount, let average = slow.previous {
      presence.advance(average, isDynamic: filter.dynamicCells, seconds: seconds)
    }
    averageCount = slow.averageCount
    if !filter.isSettling { noteWhatHasGoneOn(in: &seen, view, noise: pair.medianResidual) }
    (seen.presentMask, seen.aliveMask, seen.stoppedMask) = (presence.isPresent, presence.isAlive, presence.hasStopped)
    return seen
  }

  /// Notes of which cells what moves has gone on: the background is seen there.
  private func noteWhatHasGoneOn(in observation: inout MotionObservation, _ view: TravelFilter.View, noise: Float) {
    (view.isWeather ? view.steady : view.image).withView { image in
      for index in observation.movingCells.indices {
        observation.movingCells[index].contrast = presence.contrast(
          of: observation.movingCells[index].cell, in: image, noise: noise)
      }
    }
  }

  /// Returns the results of the rules that explain the later frame of a pair.
  private func ruleResults(
    of pair: AnalyzedPair, _ observation: MotionObservation?
  ) -> DetectionExplanation.RuleResults {
    let tallies = observation.map(meter.explain) ?? []
    return DetectionExplanation.RuleResults(
      image: pair.ruleResults, motion: observation?.explanation,
      temporalAverages: [dim, slow].compactMap { $0.notes(at: pair.frame.time.seconds) },
      zones: tallies + Array(repeating: [], count: lineCount))
  }
}

extension ZoneMotion {
  /// Returns what was measured from frame to frame in terms of frames that are so many times closer.
  fileprivate func stretched(by count: Int) -> ZoneMotion {
    var motion = self
    (motion.u, motion.v) = (u / Double(count), v / Double(count))
    (motion.age, motion.lag) = (age * count, lag * count)
    return motion
  }
}
