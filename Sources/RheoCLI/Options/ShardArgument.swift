import ArgumentParser
import Rheo

/// `K/N`: a shard of a video.
struct ShardArgument: ExpressibleByArgument {
  static let help = ArgumentHelp(
    "Do the K-th of N parts of nearly one length only, as rheo plan shows them.", valueName: "K/N")

  let shard: Shard

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let number = Int(parts[0]), let count = Int(parts[1]), let shard = try? Shard(number: number, of: count)
    else { return nil }
    self.shard = shard
  }
}
