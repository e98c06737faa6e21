// Medians without sorting.

extension Array where Element: Comparable {
  /// The element that would stand at `rank` if the array were sorted; rearranges the array (Hoare 1961). No NaN.
  @_specialize(where Element == Double)
  @_specialize(where Element == Float)
  package mutating func nthElement(_ rank: Int) -> Element {
    withUnsafeMutableBufferPointer { values in
      var (low, high) = (0, values.count - 1)
      while low < high {
        let pivot = values[low + (high - low) / 2]
        var (i, j) = (low, high)
        while i <= j {
          while values[i] < pivot { i += 1 }
          while values[j] > pivot { j -= 1 }
          if i <= j {
            values.swapAt(i, j)
            i += 1
            j -= 1
          }
        }
        if rank <= j {
          high = j
        } else if rank >= i {
          low = i
        } else {
          break
        }
      }
      return values[rank]
    }
  }

  /// The middle element in rising order, of an even number the later of the two; nil of none. No NaN.
  package var median: Element? {
    guard !isEmpty else { return nil }
    var copy = self
    return copy.nthElement(count / 2)
  }
}
