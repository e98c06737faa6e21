// Errors as C sees them: a status, and one line of text.

import CRheo
import FlowFormats
import FlowRendering

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The destination of a text that a function returns.
typealias TextDestination = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// A mistake of the caller, in one line.
struct InvalidArgument: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs the body of a function; an error becomes a status and a text.
func status(_ message: TextDestination?, _ body: () throws -> Void) -> Int32 {
  do {
    try body()
    return RHEO_OK
  } catch {
    message?.pointee = strdup(text(of: error))
    return code(of: error)
  }
}

/// Makes an object for C, which owns it.
func make<Object: AnyObject>(
  _ destination: UnsafeMutablePointer<OpaquePointer?>?, _ message: TextDestination?, _ body: () throws -> Object
) -> Int32 {
  status(message) {
    let destination = try required(destination, "the place for the object")
    destination.pointee = nil
    destination.pointee = OpaquePointer(Unmanaged.passRetained(try body()).toOpaque())
  }
}

/// Returns the object behind a pointer of C.
func object<Object: AnyObject>(_ pointer: OpaquePointer?, as type: Object.Type) throws -> Object {
  guard let pointer else { throw InvalidArgument("the object is NULL") }
  return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// Lets go of an object that C owned.
func release<Object: AnyObject>(_ pointer: OpaquePointer?, _ type: Object.Type) {
  pointer.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).release() }
}

/// Returns the words for an error; options have no dashes here.
private func text(of error: any Error) -> String {
  "\(error)".replacing("--overwrite", with: "overwrite").replacing("--bound", with: "bound")
}

private func code(of error: any Error) -> Int32 {
  switch error {
  case let error as FlowFormatError:
    switch error.code {
    case .outputExists: RHEO_EXISTS
    case .unsupported: RHEO_UNSUPPORTED
    case .invalidOption, .sizeMismatch: RHEO_INVALID
    default: RHEO_FILE
    }
  case let error as RenderingError: error.code == .fontUnavailable ? RHEO_UNSUPPORTED : RHEO_INVALID
  default: RHEO_INVALID
  }
}

/// Requires a pointer.
func required<Pointer>(_ pointer: Pointer?, _ name: String) throws -> Pointer {
  guard let pointer else { throw InvalidArgument("\(name) is NULL") }
  return pointer
}

/// Hands a text to C.
func give(_ text: String, to destination: TextDestination?) { destination?.pointee = strdup(text) }
