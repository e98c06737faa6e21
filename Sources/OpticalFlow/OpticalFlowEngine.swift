// The interface of all flow algorithms.

import Imaging

/// A method to estimate dense flow between two images.
///
/// The work on a single image is apart from the work on a pair, so that a sequence prepares each frame once. The
/// flow is a function of the two images and the parameters alone: who prepared them, when, with how many threads and
/// in whose workspace does not change a bit.
public protocol OpticalFlowEngine: Sendable {
  /// The data that the engine computes from one image: pyramids, gradients, expansions. A value.
  associatedtype Prepared: Sendable
  /// Memory that calls reuse. Owned by one task; holds nothing that changes a result.
  associatedtype Workspace

  /// A workspace, which grows with the first image.
  func makeWorkspace() -> Workspace
  /// An empty value for `prepare(_:into:)`.
  func makePrepared() -> Prepared

  /// Prepares an image, reusing the memory of `prepared`, whatever it held.
  ///
  /// - Parameters:
  ///   - image: Luma, 0…255, 1×1 or larger.
  ///   - prepared: Becomes what the engine needs of the image.
  func prepare(_ image: Plane<Float>, into prepared: inout Prepared)

  /// Estimates forward flow on the grid of `previous`. Both must have been prepared by this engine, for one size.
  ///
  /// - Parameters:
  ///   - previous: The first image, prepared.
  ///   - current: The second image, prepared.
  ///   - initial: Where the search begins, such as the flow of the pair before: a field of the full size without
  ///     unknown vectors. nil: zero motion.
  ///   - workspace: Memory, whatever it was used for before.
  func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, workspace: inout Workspace
  ) -> FlowField
}

extension OpticalFlowEngine {
  /// Estimates forward flow, starting from zero motion.
  public func flow(previous: Prepared, current: Prepared, workspace: inout Workspace) -> FlowField {
    flow(previous: previous, current: current, startingFrom: nil, workspace: &workspace)
  }

  /// Prepares an image.
  public func prepare(_ image: Plane<Float>) -> Prepared {
    var prepared = makePrepared()
    prepare(image, into: &prepared)
    return prepared
  }

  /// Estimates dense forward flow from `previous` to `current`, two images of one size.
  public func flow(previous: Plane<Float>, current: Plane<Float>) -> FlowField {
    var workspace = makeWorkspace()
    return flow(previous: prepare(previous), current: prepare(current), workspace: &workspace)
  }
}
