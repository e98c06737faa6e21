/// Requests of several types that a closure takes with it.
///
/// SAFETY (unchecked Sendable): all requests are Sendable, which the compiler of Swift 6.0 does not see of those in a
/// parameter pack.
package struct RequestPack<each Request: AnalysisRequest>: @unchecked Sendable {
  package let all: (repeat each Request)

  package init(_ all: repeat each Request) { self.all = (repeat each all) }
}
