/// The first elements of a list, and the number of the others: what is told of a live input has no end.
package struct LimitedList<Element: Sendable>: Sendable {
  /// The maximum number of elements that are kept: more than anybody reads.
  package static var limit: Int { 1000 }

  /// The elements that are kept, in their order.
  package private(set) var listed: [Element] = []
  /// The number of elements that came after those which are kept.
  package private(set) var omittedCount = 0
  /// The first element that is not kept.
  package private(set) var firstOmitted: Element?
  /// The latest element, kept or not.
  package private(set) var last: Element?

  /// A list of the first of `elements`.
  package init(_ elements: [Element] = []) { for element in elements { append(element) } }

  /// The number of elements, kept or not.
  package var count: Int { listed.count + omittedCount }

  /// Adds an element, which is kept where there is room and all before it are kept.
  package mutating func append(_ element: Element) {
    guard omittedCount == 0, listed.count < Self.limit else { return omit(1, from: element) }
    last = element
    listed.append(element)
  }

  /// Counts elements that nobody has kept.
  /// - Parameter first: The first one.
  package mutating func omit(_ count: Int, from first: Element) {
    guard count > 0 else { return }
    if firstOmitted == nil { firstOmitted = first }
    omittedCount += count
    last = first
  }

  /// Removes elements that are kept.
  package mutating func remove(where isUnwanted: (Element) -> Bool) { listed.removeAll(where: isUnwanted) }

  /// Returns the elements from an index on: those that are kept, and the latest one where it is not.
  package func elements(from index: Int) -> [Element] {
    guard index < count else { return [] }
    return Array(listed.dropFirst(index)) + (omittedCount > 0 ? [last].compactMap(\.self) : [])
  }
}

extension LimitedList where Element == MediaGap {
  /// The gaps that are kept, and behind them one that tells how many others there are.
  package var gaps: [MediaGap] {
    guard let first = firstOmitted else { return listed }
    let reason = "\(omittedCount) more gaps from here on are not listed"
    return listed + [MediaGap(seconds: first.seconds, frameNumber: first.frameNumber, reason: reason)]
  }
}

extension [MediaGap] {
  /// The number of gaps, for people.
  package var countText: String {
    count > LimitedList<MediaGap>.limit ? "more than \(LimitedList<MediaGap>.limit)" : "\(count)"
  }
}
