/// The version of the library, which the program and the Python package have too.
package enum LibraryVersion {
  /// `major.minor.patch`, by semantic versioning.
  package static let number = "0.2.0"
}
