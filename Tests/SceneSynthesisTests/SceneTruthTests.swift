import Imaging
import Testing

@testable import SceneSynthesis

@Suite("The truth about a scene")
struct SceneTruthTests {
  /// Frame t at x shows what frame t + 1 shows at x + flow, away from edges and hidden points.
  @Test("brightness is constant along the flow", arguments: SceneName.withExactFlow)
  func brightnessConstancy(name: SceneName) throws {
    let scene = try smallScene(name, noiseSigma: 0)
    let t = scene.frameCount * 3 / 5
    let (first, second) = (scene.luma(t), scene.luma(t + 1))
    let (flow, occlusion) = (scene.flow(from: t), scene.occlusion(t))
    let (owners, nextOwners) = (scene.layers(t), scene.layers(t + 1))
    let lighting = scene.gain(t + 1) / scene.gain(t)
    var (sum, count, worst) = (0.0, 0, 0.0)
    for y in 0..<scene.size.height {
      for x in 0..<scene.size.width where occlusion[x, y] == 0 && owners.isUniform(x: x, y: y, radius: 3) {
        let vector = flow[x, y]
        let (targetX, targetY) = (Double(x) + Double(vector.u), Double(y) + Double(vector.v))
        guard let value = second.bicubic(x: targetX, y: targetY),
          nextOwners.isUniform(x: Int(targetX.rounded()), y: Int(targetY.rounded()), radius: 4)
        else { continue }
        let error = abs(value - Double(first[x, y]) * lighting)
        sum += error
        worst = max(worst, error)
        count += 1
      }
    }
    #expect(count > scene.size.area / 2)
    // All that is left is the error of the interpolation: wavelengths of 4.4 px are near its limit.
    #expect(sum / Double(count) < 0.3, "mean of \(count) pixels")
    #expect(worst < 8)
  }

  /// The textures exist between pixels: a scene moved by whole pixels repeats its levels to rounding errors.
  @Test("a motion by whole pixels is exact")
  func wholePixels() throws {
    // Eight times (0.25, -0.125) is (2, -1).
    let scene = try smallScene(.subpixel, motion: 8)
    let (first, second) = (scene.luma(3), scene.luma(4))
    for y in 1..<scene.size.height {
      for x in 0..<scene.size.width - 2 { #expect(abs(first[x, y] - second[x + 2, y - 1]) < 1e-2) }
    }
  }

  @Test("the homography is the flow of the background", arguments: SceneName.allCases)
  func homographyIsBackgroundFlow(name: SceneName) throws {
    let scene = try smallScene(name)
    for t in [0, scene.frameCount * 3 / 5, scene.frameCount - 2] {
      let (map, flow, owners) = (scene.homography(t), scene.flow(from: t), scene.layers(t))
      var worst = 0.0
      for y in 0..<scene.size.height {
        for x in 0..<scene.size.width where owners[x, y] == 0 {
          let target = map.apply(x: Double(x), y: Double(y))
          let vector = flow[x, y]
          worst = max(worst, abs(target.x - Double(x) - Double(vector.u)), abs(target.y - Double(y) - Double(vector.v)))
        }
      }
      #expect(worst < 1e-4)
    }
  }

  @Test("a pan moves by its documented speed")
  func panSpeed() throws {
    let vector = try smallScene(.pan).flow(from: 7)[50, 60]
    #expect(abs(vector.u - 2.25) < 1e-5 && abs(vector.v + 1.25) < 1e-5)
    let drift = try smallScene(.subpixel).flow(from: 7)[50, 60]
    #expect(abs(drift.u - 0.25) < 1e-5 && abs(drift.v + 0.125) < 1e-5)
  }

  /// Independent of the mask's own method: carry every pixel forward and look which layer is drawn there.
  @Test(
    "occlusion is what a forward mapping finds", arguments: [.objects, .objectsPan, .demo, .walkers] as [SceneName])
  func occlusionByForwardMapping(name: SceneName) throws {
    let scene = try smallScene(name)
    var hidden = 0
    for t in stride(from: 20, to: scene.frameCount - 1, by: 30) {
      let (flow, occlusion) = (scene.flow(from: t), scene.occlusion(t))
      let (owners, nextOwners) = (scene.layers(t), scene.layers(t + 1))
      for y in 0..<scene.size.height {
        for x in 0..<scene.size.width {
          let vector = flow[x, y]
          let targetX = Int((Double(x) + Double(vector.u)).rounded())
          let targetY = Int((Double(y) + Double(vector.v)).rounded())
          guard scene.size.contains(x: targetX, y: targetY) else {
            #expect(occlusion[x, y] == 255)
            continue
          }
          // Near an edge the pixel's centre and the point itself may lie on different sides.
          guard nextOwners.isUniform(x: targetX, y: targetY, radius: 1) else { continue }
          let isHidden = nextOwners[targetX, targetY] != owners[x, y]
          #expect((occlusion[x, y] == 255) == isHidden, "(\(x), \(y)) of frame \(t)")
          if isHidden {
            hidden += 1
            #expect(nextOwners[targetX, targetY] > owners[x, y], "hidden by what lies in front")
          }
        }
      }
    }
    #expect(hidden > 0)
  }

  @Test("nothing of a still scene is occluded, and it does not flow", arguments: [.still, .flicker] as [SceneName])
  func stillTruth(name: SceneName) throws {
    let scene = try smallScene(name)
    #expect(scene.occlusion(4) == Plane(size: scene.size))
    let flow = scene.flow(from: 4)
    #expect(flow.u == Plane(size: scene.size) && flow.v == Plane(size: scene.size))
    #expect(scene.events().isEmpty)
  }

  @Test("without motion nothing moves", arguments: SceneName.allCases)
  func motionZero(name: SceneName) throws {
    let scene = try smallScene(name, frameCount: 30, motion: 0)
    let flow = scene.flow(from: 10)
    let largest = (0..<scene.size.area).reduce(Float(0)) { largest, index in
      let vector = flow[index % scene.size.width, index / scene.size.width]
      return max(largest, abs(vector.u), abs(vector.v))
    }
    #expect(largest < 1e-4)
    #expect(scene.events().isEmpty)
  }
}
