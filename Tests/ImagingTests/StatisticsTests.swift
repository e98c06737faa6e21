import Foundation
import Imaging
import Testing

@Suite struct StatisticsTests {
  @Test func splitMixGivesThePublishedNumbers() {
    // The first numbers after the seed 1234567 of Vigna's reference implementation.
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test func indicesTakeTheUpperBits() {
    var (random, all, upper) = (SplitMix64(seed: 5), SplitMix64(seed: 5), SplitMix64(seed: 5))
    for _ in 0..<1000 {
      let number = random.next()
      #expect(all.index(below: 77) == Int(number.multipliedFullWidth(by: 77).high))
      #expect(upper.index(below: 77, bits: 24) == Int(((number >> 40) * 77) >> 24))
    }
  }

  @Test func medianIsTheLaterOfTheMiddleElements() {
    var random = SplitMix64(seed: 3)
    for count in 1...40 {
      let values = (0..<count).map { _ in Double(random.index(below: 9)) }
      #expect(values.median == values.sorted()[count / 2])
    }
    #expect([Float]().median == nil)
  }

  @Test func biweightFallsToNothingAtTheCutoff() {
    #expect(biweight(0) == 1 && biweight(0.5) == 0.5625 && biweight(1) == 0 && biweight(.infinity) == 0)
  }

  @Test func componentsAreWalkedInTheOrderThatWasAskedFor() {
    // A path 0 – 1 – 3 with a branch 0 – 2, and 5 apart; 4 is not marked.
    let neighbors = [0: [1, 2], 1: [0, 3, 4], 2: [0], 3: [1], 4: [1], 5: []]
    func component(_ order: ComponentOrder) -> (cells: [Int], rest: [Bool]) {
      var marked = [true, true, true, true, false, true]
      let cells = marked.takeComponent(of: 0, order: order) { cell, body in neighbors[cell]!.forEach(body) }
      return (cells, marked)
    }
    #expect(component(.breadthFirst).cells == [0, 1, 2, 3])
    #expect(component(.depthFirst).cells == [0, 2, 1, 3])
    #expect(component(.depthFirst).rest == [false, false, false, false, false, true])
  }

  @Test func homographiesAreCodedAsTheirElements() throws {
    let map = Homography([1, 2, 3, 4, 5, 6, 7, 8, 9])
    let text = String(decoding: try JSONEncoder().encode(map), as: UTF8.self)
    #expect(text == #"{"elements":[1,2,3,4,5,6,7,8,9]}"#)
    #expect(try JSONDecoder().decode(Homography.self, from: Data(text.utf8)) == map)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Homography.self, from: Data(#"{"elements":[1]}"#.utf8))
    }
  }
}
