import Imaging
import Testing

@testable import SceneSynthesis

@Suite("The images of a scene")
struct SceneDrawingTests {
  @Test("same bytes for any number of threads and any order of frames", arguments: SceneName.allCases)
  func determinism(name: SceneName) throws {
    let serial = try smallScene(name, width: 161, height: 99, noiseSigma: 2, parallelism: .serial)
    let parallel = try smallScene(
      name, width: 161, height: 99, noiseSigma: 2, parallelism: Parallelism(threadCount: 3))
    let forwards = [3, 50].map { serial.frame($0) }
    let backwards = [50, 3].map { parallel.frame($0) }
    #expect(forwards[0] == backwards[1] && forwards[1] == backwards[0])
    #expect(serial.luma(7) == parallel.luma(7))
    #expect(serial.flow(from: 7).u == parallel.flow(from: 7).u)
    #expect(serial.occlusion(7) == parallel.occlusion(7))
  }

  @Test("a still scene repeats its bytes; another seed draws another image")
  func still() throws {
    let scene = try smallScene(.still)
    #expect(scene.frame(0) == scene.frame(73))
    #expect(try smallScene(.still, seed: 2).frame(0) != scene.frame(0))
  }

  @Test("noise has the asked deviation and differs from frame to frame", arguments: [1.0, 4.0, 12.0])
  func noise(sigma: Double) throws {
    let clean = try smallScene(.still).luma(0)
    let noisy = try smallScene(.still, noiseSigma: sigma)
    let planes = [noisy.luma(0), noisy.luma(1)]
    var (sum, squares, products, fourth) = (0.0, 0.0, 0.0, 0.0)
    for y in 0..<clean.height {
      for x in 0..<clean.width {
        let (a, b) = (Double(planes[0][x, y] - clean[x, y]), Double(planes[1][x, y] - clean[x, y]))
        sum += a
        squares += a * a
        products += a * b
        fourth += a * a * a * a
      }
    }
    let count = Double(clean.size.area)
    // Four standard errors of 32640 samples.
    #expect(abs(sum / count) < 0.023 * sigma)
    #expect(abs((squares / count).squareRoot() / sigma - 1) < 0.016)
    #expect(abs(products / count) < 0.023 * sigma * sigma)
    #expect(abs(fourth / count / (squares * squares / count / count) - 3) < 0.12)
  }

  @Test("8-bit luma is the exact luma rounded, and close to that of the colours")
  func roundedLuma() throws {
    let scene = try smallScene(.demo)
    let (exact, rounded, colors) = (scene.luma(9), scene.luma(9, roundedTo8Bit: true), scene.frame(9))
    for y in 0..<scene.size.height {
      for x in 0..<scene.size.width {
        #expect(abs(exact[x, y] - rounded[x, y]) <= 0.5001)
        let color = colors[x, y]
        let luma = 0.299 * Float(color.r) + 0.587 * Float(color.g) + 0.114 * Float(color.b)
        #expect(abs(luma - exact[x, y]) < 0.51 && color.a == 255)
      }
    }
  }

  /// A pixel without texture has no flow that anyone could measure.
  @Test("there is texture everywhere", arguments: SceneName.withExactFlow)
  func texturedEverywhere(name: SceneName) throws {
    let scene = try smallScene(name)
    let luma = scene.luma(scene.frameCount * 3 / 5)
    #expect(Self.shareWithoutTexture(luma) < 0.01)
  }

  /// The share of pixels whose structure tensor over 7×7 pixels has a smaller eigenvalue below 0.5: the gradient's
  /// deviation in the weakest direction is less than 0.7 levels a pixel.
  private static func shareWithoutTexture(_ luma: Plane<Float>) -> Double {
    var (weak, count) = (0, 0)
    for y in stride(from: 4, to: luma.height - 4, by: 2) {
      for x in stride(from: 4, to: luma.width - 4, by: 2) {
        var (xx, xy, yy): (Float, Float, Float) = (0, 0, 0)
        for j in y - 3...y + 3 {
          for i in x - 3...x + 3 {
            let gx = (luma[i + 1, j] - luma[i - 1, j]) / 2
            let gy = (luma[i, j + 1] - luma[i, j - 1]) / 2
            (xx, xy, yy) = (xx + gx * gx, xy + gx * gy, yy + gy * gy)
          }
        }
        let difference = (xx - yy) / 2
        let smaller = ((xx + yy) / 2 - (difference * difference + xy * xy).squareRoot()) / 49
        weak += smaller < 0.5 ? 1 : 0
        count += 1
      }
    }
    return Double(weak) / Double(count)
  }

  @Test("colours stay clear of the ends, so that nothing is clipped", arguments: SceneName.allCases)
  func headroom(name: SceneName) throws {
    let scene = try smallScene(name, noiseSigma: 0)
    var clipped = 0
    for t in [0, scene.frameCount - 1] {
      let frame = scene.frame(t)
      for y in 0..<frame.height {
        for x in 0..<frame.width {
          let color = frame[x, y]
          clipped += [color.r, color.g, color.b].contains { $0 == 0 || $0 == 255 } ? 1 : 0
        }
      }
    }
    #expect(clipped < scene.size.area / 100)
  }

  @Test("sizes from 16 to odd ones draw", arguments: [(16, 16), (17, 33), (200, 16)])
  func sizes(width: Int, height: Int) throws {
    for name in SceneName.allCases {
      let scene = try smallScene(name, width: width, height: height)
      #expect(scene.frame(20).size == PixelSize(width: width, height: height))
      #expect(scene.flow(from: 20).size == scene.size)
      #expect(scene.occlusion(20).size == scene.size)
    }
  }
}

@Suite("The parameters of a scene")
struct SceneParametersTests {
  @Test("what is out of range is refused with the allowed values")
  func validation() throws {
    func message(_ change: (inout SceneParameters) -> Void) -> String {
      var parameters = SceneParameters(name: .pan)
      change(&parameters)
      do {
        _ = try Scene(parameters)
        return ""
      } catch let error as SceneError {
        #expect(error.code == .outOfRange)
        return error.message
      } catch {
        return "\(error)"
      }
    }
    #expect(message { $0.size.width = 8 } == "the scene's width is 8, but must be 16 to 8192")
    #expect(message { $0.frameCount = 0 }.contains("must be 1 to 1000000"))
    #expect(message { $0.frameRate = Rational(0, 1) } == "the scene's frame rate is 0/1, but must be 0.1 to 1000.0")
    #expect(message { $0.noiseSigma = .nan }.contains("noise is nan"))
    #expect(message { $0.motion = 9 }.contains("must be 0.0 to 8.0"))
    #expect(message { _ in } == "")
  }

  @Test("an unknown scene is refused with the names")
  func names() throws {
    #expect(try SceneName(named: "objects-pan") == .objectsPan)
    #expect(throws: SceneError.self) { try SceneName(named: "moon") }
    do { _ = try SceneName(named: "moon") } catch let error as SceneError {
      #expect(error.message.contains("'moon'") && error.message.contains("walkers"))
    }
  }

  @Test("times follow the frame rate exactly")
  func presentationTimes() throws {
    let scene = try Scene(SceneParameters(name: .still, frameRate: Rational(30000, 1001)))
    #expect(scene.presentationTime(30000) == MediaTime(value: 1001, timeBase: Rational(1, 1)))
  }
}
