// Memory that comes and goes with every frame.

import Foundation

/// Lets the C library keep what is freed, for the rest of the program.
///
/// Planes, and the bytes of files, are some megabytes that are freed and asked for again with every frame. By default
/// glibc gives that much back to the system each time, and every page of it is then faulted in and cleared anew: a
/// tenth of the time of an export at 768×576 (`perf`: `exc_page_fault`). What is kept is at most what was in use at
/// once.
func keepFreedMemory() {
  // The function is glibc's alone, and not in the module that Swift makes of its headers.
  guard let function = dlsym(nil, "mallopt") else { return }
  let setOption = unsafeBitCast(function, to: (@convention(c) (Int32, Int32) -> Int32).self)
  let (trimThreshold, mapThreshold): (Int32, Int32) = (-1, -3)  // malloc.h
  for option in [trimThreshold, mapThreshold] { _ = setOption(option, 1 << 30) }
}
