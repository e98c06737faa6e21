// Registered images, before they are stitched.

import Imaging
import Registration
import VideoIO

/// Images or key frames, how they lie on each other, and how to read them again.
struct ImageSet {
  /// A reduced image, to be compared with others.
  struct Thumbnail {
    var image: Plane<RGBA8>
    /// The number of pixels of the image per pixel of the reduced one.
    var step: Int

    /// The maximum length of the longer side, in pixels.
    static let maximumSide = 640

    init(of image: Plane<RGBA8>, parallelism: Parallelism) {
      step = reductionStep(image.size, maximumSide: Self.maximumSide)
      self.image = image.averaged(by: step, parallelism: parallelism)
    }
  }

  /// The names of the images or key frames in a report.
  var names: [String] = []
  var sizes: [PixelSize] = []
  var thumbnails: [Thumbnail] = []
  var links: [ImageLink] = []
  /// The notes about what could not be placed already, one line each.
  var lost: [String] = []
  var gaps: [MediaGap] = []
  /// The number of frames that were registered, where there are frames.
  var frameCount = 0
  /// The video that the frames belong to; nil for images.
  var video: String?
  /// Reads the images with these numbers, in ascending order.
  var forEachImage: (_ numbers: [Int], _ body: (Int, Plane<RGBA8>) throws -> Void) throws -> Void = { _, _ in }

  func plan(model: TransformModel) throws -> PanoramaPlan {
    do {
      return try PanoramaPlan(links: links, sizes: sizes, model: model)
    } catch let error as PanoramaError where error.code == .tooFewConnected {
      guard let video else { throw error }
      let reason = lost.isEmpty ? "the camera does not move" : "no two frames show the same"
      throw PanoramaError(.tooFewConnected, "\(video): \(reason): there is nothing to stitch")
    }
  }

  /// Returns lines about what is not part of the panorama.
  func leftOut(_ plan: PanoramaPlan) -> [String] {
    let members = Set(plan.members)
    return lost
      + names.indices.filter { !members.contains($0) }.map {
        "\(names[$0]): left out, it shows nothing that the others show"
      }
  }
}

/// Returns the smallest whole factor that makes the longer side `maximumSide` at most.
func reductionStep(_ size: PixelSize, maximumSide: Int) -> Int {
  max((max(size.width, size.height) + maximumSide - 1) / maximumSide, 1)
}

extension Homography {
  /// Returns this map between reduced images as one of full-size ones: pixels of the reduced images are means of
  /// blocks.
  func betweenFullSizes(reference: Int, floating: Int) -> Homography {
    .enlargement(reference) * self * .reduction(floating)
  }

  /// Returns this map between full-size images as one of reduced ones.
  func betweenReduced(reference: Int, floating: Int) -> Homography {
    .reduction(reference) * self * .enlargement(floating)
  }

  private static func enlargement(_ step: Int) -> Homography {
    let (s, o) = (Double(step), Double(step - 1) / 2)
    return Homography([s, 0, o, 0, s, o, 0, 0, 1])
  }

  private static func reduction(_ step: Int) -> Homography {
    let (s, o) = (1 / Double(step), (1 / Double(step) - 1) / 2)
    return Homography([s, 0, o, 0, s, o, 0, 0, 1])
  }
}
