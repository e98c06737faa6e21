/// The numbers of frames in files that others may have written.
enum FrameNumbers {
  /// The range of the numbers: whole ones that every reader of JSON tells apart, and of which sums are far from an end.
  static let range = 0...1 << 53
}
