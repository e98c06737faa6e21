import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// Frames that are shown more than once are looked at once.
@Suite struct FrameRepetitionTests {
  private static let size = PixelSize(width: 160, height: 96)

  /// A textured square on its way over another texture, from frame 20 on; with noise, as an encoder leaves it.
  private func image(_ t: Int, noise: Float = 0, seed: UInt64 = 0) -> Plane<Float> {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    var random = FixedRandom(seed: seed)
    let left = 3 * Double(t - 20) - 30
    return Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
      let (dx, dy) = (Double(x) - left, Double(y) - 30)
      let isSquare = dx >= 0 && dy >= 0 && dx < 30 && dy < 40
      let value = isSquare ? cover.value(dx, dy) : ground.value(Double(x), Double(y))
      return noise > 0 ? value + Float.random(in: -noise...noise, using: &random) : value
    }
  }

  /// Returns what each frame of a video is said to be, of which each image is shown some times.
  private func answers(_ images: [Plane<Float>]) -> [Bool] {
    var repetition = FrameRepetition()
    return images.map { repetition.isRepetition($0) }
  }

  @Test(arguments: [2, 3])
  func whatIsRepeatedIsKnownAfterFourImages(times: Int) {
    let images = (32..<60).flatMap { t in
      (0..<times).map { image(t, noise: 1, seed: UInt64(t * times + $0)) }
    }
    // The first image has no change, and four that have one must be over. The second frame counts as an image, since
    // nothing is known before it; where each is shown twice, it is repeated once less than the others, which may be.
    let first = times == 2 ? 4 : 5
    #expect(answers(images) == images.indices.map { $0 > first * times && $0 % times != 0 })
  }

  @Test func framesThatAllShowSomethingElseAreNotRepeated() {
    #expect(!answers((22..<60).map { image($0, noise: 1, seed: UInt64($0)) }).contains(true))
  }

  /// What creeps through an image without noise changes it now after three frames, now after four.
  @Test func irregularChangesAreLookedAt() {
    #expect(!answers((0..<80).map { image(32 + $0 * 3 / 10) }).contains(true))
    #expect(!answers((0..<45).map { image(32 + $0 * 3 / 5) }).contains(true))
  }

  /// Ten images in 25 frames, and fifteen: with the noise of a camera these are repetitions.
  @Test(arguments: [2, 3])
  func irregularRepetitionsOfACameraAreKnown(imagesInFive: Int) {
    let numbers = (0..<70).map { 32 + $0 * imagesInFive / 5 }
    let answers = answers(numbers.map { image($0, noise: 1, seed: UInt64($0)) })
    #expect(Array(answers.dropFirst(15)) == (15..<70).map { numbers[$0] == numbers[$0 - 1] })
  }

  /// After motion nothing moves: that is no repetition.
  @Test func whatStandsStillIsLookedAt() {
    let images = (22..<40).map { image($0) } + Array(repeating: image(40), count: 30)
    #expect(!answers(images).contains(true))
  }

  /// Where little moves, an encoder leaves much of the change to the repetition.
  @Test func alternationTellsWhatAWeakChangeDoesNot() {
    // Of each step through the noise of another frame two thirds are seen at once, the rest with the repetition.
    func grounds(_ share: Float) -> [Plane<Float>] {
      (0..<30).flatMap { t in
        let (before, now) = (image(0, noise: 3, seed: UInt64(t)), image(0, noise: 3, seed: UInt64(t + 1)))
        return [Plane(width: now.width, height: now.height) { before[$0, $1] + share * (now[$0, $1] - before[$0, $1]) }]
          + [now]
      }
    }
    let answers = answers(grounds(0.66))
    #expect(Array(answers.dropFirst(16)) == (16..<60).map { $0 % 2 != 0 })
    #expect(!self.answers(grounds(0.5)).contains(true))
  }

  /// What pairs show of a video is what they show of one whose frames are shown twice.
  @Test(arguments: [0, 1])
  func shownTwiceAllIsFoundThatIsFoundOfOne(phase: Int) {
    func pairs(_ images: [Int], rate: Int32) -> [AnalyzedPair] {
      let analyzer = FramePairAnalyzer(
        analyzedSize: Self.size, compensation: .homography, parallelism: .serial, isThinned: true)
      return images.enumerated().map { index, t in
        analyzer.measure(
          AnalyzedFrame(
            number: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, rate)), image: image(t)))
      }
    }
    let numbers = (0..<100).map { 10 + ($0 + phase) / 2 }
    let (once, twice) = (pairs(Array(10..<60), rate: 25), pairs(numbers, rate: 50))
    var (shares, repeated): ([Double], Int) = ([], 0)
    for (t, pair) in zip(numbers, twice) where t >= 30 && t < 60 {
      if pair.isLeftOut {
        repeated += pair.isRepetition ? 1 : 0
      } else {
        let cells = Set(pair.observation?.movingCells.map(\.cell) ?? [])
        let expected = Set(once[t - 10].observation?.movingCells.map(\.cell) ?? [])
        shares.append(Double(cells.intersection(expected).count) / Double(max(cells.union(expected).count, 1)))
        #expect(pair.frameCount == 2)
      }
    }
    // Points that began while the second times of the first images were looked at have stood for some frames.
    #expect(shares.count == 30 && repeated == 30 && shares.reduce(0, +) > 0.9 * 30, "\(shares)")
  }

  @Test func theEventOfAWalkIsTheSame() throws {
    func event(times: Int) throws -> MotionEvent? {
      let detector = try MotionDetector(size: Self.size)
      var ended: [MotionEvent] = []
      func note(_ updates: [MotionDetector.Update]) {
        for case .ended(let event) in updates { ended.append(event) }
      }
      for frame in 0..<150 * times {
        let time = MediaTime(value: Int64(frame), timeBase: Rational(1, Int32(25 * times)))
        note(try detector.detect(image(frame / times), at: time))
      }
      note(detector.finish())
      #expect(ended.count == 1)
      return ended.first
    }
    let (once, twice) = (try #require(try event(times: 1)), try #require(try event(times: 2)))
    #expect(abs(once.start.seconds - twice.start.seconds) <= 0.04)
    // Means of eight frames tell of the end; they may begin at other frames.
    #expect(abs(once.end.seconds - twice.end.seconds) <= 0.36)
    #expect(abs(once.u - 2 * twice.u) < 0.1, "\(once.u) \(twice.u)")
  }
}
