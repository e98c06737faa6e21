extension Unicode.Scalar {
  /// A Boolean value that tells whether the character steers a terminal or the direction of writing: a control of C0 or
  /// C1 but tab and line feed, DEL, or a mark, embedding, override or isolate of Unicode's bidirectional algorithm
  /// (UAX #9). In a name or title from a file it could forge what people read.
  package var isSteering: Bool {
    switch value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
