import Foundation
import Imaging

func power(_ x: Double, _ exponent: Double) -> Double { pow(x, exponent) }

/// The largest difference of two colours in any channel.
func maximumDifference(_ a: RGBA8, _ b: RGBA8) -> Int {
  max(abs(Int(a.r) - Int(b.r)), abs(Int(a.g) - Int(b.g)), abs(Int(a.b) - Int(b.b)))
}

/// The largest difference of two images in any channel; larger than any when their sizes differ.
func maximumDifference(_ a: Plane<RGBA8>, _ b: Plane<RGBA8>) -> Int {
  guard a.size == b.size else { return .max }
  return a.withView { a in
    b.withView { b in
      var worst = 0
      for y in 0..<a.height {
        for x in 0..<a.width { worst = max(worst, maximumDifference(a.row(y)[x], b.row(y)[x])) }
      }
      return worst
    }
  }
}
