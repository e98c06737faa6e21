// The image pairs with known flow of the test data, in sets and halves.

import FlowFormats
import Imaging
import VideoIO

struct LoadedPair {
  let name: String
  let previous: Plane<Float>
  let current: Plane<Float>
  let truth: FlowField
}

/// Where a pair of images and its true flow are stored.
struct ImagePairFile {
  let name: String
  let previous: String
  let current: String
  let truth: String

  func load() throws -> LoadedPair {
    LoadedPair(
      name: name, previous: try StillImage.luma(contentsOf: previous),
      current: try StillImage.luma(contentsOf: current),
      truth: truth.hasSuffix(".png")
        ? try KITTIFlow.read(contentsOf: truth) : try MiddleburyFlow.read(contentsOf: truth))
  }
}

/// Pairs of one kind.
///
/// Parameters and rules are chosen on one half of a set alone and judged by the other: the pairs at even places of the
/// list, in the order of their names, are for choosing, those at odd places for judging.
struct ImagePairSet {
  let name: String
  let files: [ImagePairFile]

  static func isForChoosing(_ index: Int) -> Bool { index % 2 == 0 }

  static func all(_ data: String) -> [ImagePairSet] { [middlebury(data), others(data), large(data)] }

  static func middlebury(_ data: String) -> ImagePairSet {
    let names = ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"]
    return ImagePairSet(
      name: "middlebury",
      files: names.map { name in
        let folder = "\(data)/flow/middlebury/\(name)"
        return ImagePairFile(
          name: name, previous: "\(folder)/frame10.png", current: "\(folder)/frame11.png",
          truth: "\(folder)/flow10.flo")
      })
  }

  /// Ordinary pairs of other data sets.
  static func others(_ data: String) -> ImagePairSet {
    let (chairs, kitti, sintel) = ("\(data)/flow/chairs", "\(data)/flow/kitti", "\(data)/flow/sintel/alley_1")
    return ImagePairSet(
      name: "others",
      files: [
        ImagePairFile(
          name: "alley_1", previous: "\(sintel)/frame_0002.png", current: "\(sintel)/frame_0003.png",
          truth: "\(sintel)/flow_0002.flo"),
        ImagePairFile(
          name: "chairs_00000", previous: "\(chairs)/00000_img1.png", current: "\(chairs)/00000_img2.png",
          truth: "\(chairs)/00000_flow.flo"),
        ImagePairFile(
          name: "chairs_00004", previous: "\(chairs)/00004_img1.png", current: "\(chairs)/00004_img2.png",
          truth: "\(chairs)/00004_flow.flo"),
        ImagePairFile(
          name: "kitti_000010", previous: "\(kitti)/kitti_000010_10.png", current: "\(kitti)/kitti_000010_11.png",
          truth: "\(kitti)/kitti_occ_000010_10.png"),
      ])
  }

  /// Fast motion: driving, films, drones, wide stereo.
  static func large(_ data: String) -> ImagePairSet {
    let names = [
      "ambush_4", "cave_4", "kitti_000074", "kitti_000110", "kitti_000151", "stereo_aloe", "tartanair", "temple_3",
      "ucl_crates", "ucl_grasssky",
    ]
    return ImagePairSet(
      name: "large",
      files: names.map { name in
        let folder = "\(data)/flow/large/\(name)"
        return ImagePairFile(
          name: name, previous: "\(folder)/frame1.png", current: "\(folder)/frame2.png",
          truth: "\(folder)/flow.\(name.hasPrefix("kitti") ? "png" : "flo")")
      })
  }
}
