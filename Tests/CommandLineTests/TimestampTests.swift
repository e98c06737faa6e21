import Rheo
import Testing

@testable import RheoCLI

@Suite struct TimestampTests {
  @Test(arguments: [
    ("0", MediaRange.Position.seconds(0)), ("12.5", .seconds(12.5)), (".5", .seconds(0.5)), ("90", .seconds(90)),
    ("0f", .frame(0)), ("123f", .frame(123)), ("1:30", .seconds(90)), ("00:01:02.500", .seconds(62.5)),
    ("100:00:00", .seconds(360_000)), ("59:59.25", .seconds(3599.25)),
  ])
  func timesAreUnderstood(text: String, position: MediaRange.Position) {
    #expect(Timestamp(argument: text)?.position == position)
  }

  @Test(arguments: [
    "", "abc", "-1", "-1f", "1.5f", "f", "nan", "inf", "1:60", "1:2:3:4", "1.5:30", ":", "1:", "12s", "0x10", "1e3",
    "+5", "+5f", "1 ",
  ])
  func otherTextIsRefused(text: String) {
    #expect(Timestamp(argument: text) == nil)
  }

  @Test func keysAndValuesKeepTheirOrder() throws {
    let list = try #require(KeyValueList(argument: "b=1:a=x=y:c="))
    #expect(list.pairs.map(\.key) == ["b", "a", "c"])
    #expect(list.pairs.map(\.value) == ["1", "x=y", ""])
    for text in ["", "a", "=1", ":", "a=1:b"] { #expect(KeyValueList(argument: text) == nil, "\(text)") }
  }
}
