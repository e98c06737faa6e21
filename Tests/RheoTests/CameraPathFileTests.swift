import Foundation
import Imaging
import Registration
import Rheo
import TestSupport
import Testing

@Suite struct CameraPathFileTests {
  /// A file may hold any invertible matrix; vid.stab's format holds whole numbers.
  @Test(arguments: [1e300, -1e300, 1e18]) func motionsBeyondWholeNumbersAreWritten(shift: Double) throws {
    let folder = try TemporaryFolder()
    let motions = [0.0, shift].enumerated().map { number, shift in
      CameraMotion(
        seconds: Double(number) / 25, warpTransform: Homography([1, 0, shift, 0, 1, 0, 0, 0, 1]),
        startsPath: number == 0, confidence: 1)
    }
    let size = PixelSize(width: 64, height: 48)
    let file = folder.file("path.trf").path
    try CameraPath(size: size, model: .translation, motions: motions).write(file)
    let read = try CameraPath.read(file, model: .translation, size: size)
    #expect(read.motions.count == 2)
  }
}
