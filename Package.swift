// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Package@swift-6.0.swift is this file for older compilers, made by `make manifests`. Only manifests of version 6.2 and
// later may have unsafe flags when a package depends on them by version, as those of the kernels are. The other ones
// are for this package's own work, and left out when this manifest lies in another package's checkouts.
let isDependency = Context.packageDirectory.contains("/checkouts/")

// The hot loops compile three times from one folder (see Sources/FlowKernels): for the baseline, for AVX2 and for
// AVX-512. RHEO_NATIVE_KERNELS=0 compiles all of them as for the baseline. So do older compilers: the LLVM of
// Swift 6.0.3 makes a wrong sum of `compareCells` for AVX2.
let nativeKernels: Bool = {
  switch Context.environment["RHEO_NATIVE_KERNELS"] {
  case "1": return true
  case "0": return false
  default:
    #if compiler(>=6.2)
      return true
    #else
      return false
    #endif
  }
}()

// `.flo5` files need libhdf5, which not every system has: RHEO_HDF5=0 and =1 say whether to build with it, otherwise
// a look at where pkg-config keeps its files does. (SwiftPM caches what this manifest came to. Who installs libhdf5 later
// says RHEO_HDF5=1 once; the Makefile always says it.)
let hdf5: Bool = {
  switch Context.environment["RHEO_HDF5"] {
  case "1": return true
  case "0": return false
  default:
    let named = (Context.environment["PKG_CONFIG_PATH"] ?? "").split(separator: ":").map(String.init)
    let usual = ["lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib", "share"].flatMap { folder in
      ["/usr", "/usr/local", "/opt/homebrew"].map { "\($0)/\(folder)/pkgconfig" }
    }
    return (named + usual).contains { FileManager.default.fileExists(atPath: $0 + "/hdf5.pc") }
  }
}()

// RHEO_C_LIBRARY=1 is for librheo.so, the library for C that the Python package holds (Python/build-library): without
// FFmpeg. VideoIO then has only the files that need none: PNG images, and outputs that appear when they are complete.
let isCLibrary = Context.environment["RHEO_C_LIBRARY"] == "1"
let mediaFiles: [String]? =
  isCLibrary
  ? [
    "MediaAddress.swift", "MediaError.swift", "Reading/FileContents.swift", "Stills/PNGCodec.swift",
    "Stills/PNGReader.swift", "Stills/StillImage+PNG.swift", "Writing/FileIdentities.swift",
    "Writing/NumberedFileName.swift", "Writing/OutputFile.swift",
  ] : nil

// Only `make docs` needs the plugin that writes the documentation; who depends on this package does not fetch it.
let documentation: [Package.Dependency] =
  Context.environment["RHEO_DOCS"] == "1"
  ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")] : []

let flyingFox = ["FlyingFox", "FlyingSocks"].map { Target.Dependency.product(name: $0, package: "FlyingFox") }

// Only `make fuzz` has the libFuzzer that this program is linked with.
let parserFuzz: [Target] =
  Context.environment["RHEO_FUZZ"] == "1"
  ? [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/ParserFuzz/CLibFuzzer"),
    .executableTarget(
      name: "ParserFuzz",
      dependencies: [
        "Rheo", "CLibFuzzer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "TOMLKit", package: "TOMLKit"),
      ] + flyingFox,
      // The parsers of the command line are compiled once more: no program can be linked with another one.
      path: "Tests/ParserFuzz/Fuzz",
      exclude: ["CommandLine/RheoCommand.swift", "CommandLine/Help/CommandNames.swift"]),
  ] : []

func architecture(_ name: String) -> [SwiftSetting] {
  #if arch(x86_64)
    return nativeKernels ? [.unsafeFlags(["-Xcc", "-march=x86-64-\(name)"])] : []
  #else
    return []
  #endif
}

// (The setting that needs no unsafe flag came with Swift 6.2.)
let strict: [SwiftSetting] = isDependency ? [] : [.unsafeFlags(["-warnings-as-errors"])]
// A file sees the members of a type only where it imports their module itself (SE-0444).
let explicitImports: [SwiftSetting] = strict + [.enableUpcomingFeature("MemberImportVisibility")]
let kernelVariants: [(String, [SwiftSetting])] = [
  ("FlowKernelsBaseline", []), ("FlowKernelsV3", architecture("v3")), ("FlowKernelsV4", architecture("v4")),
]
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

func library(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: explicitImports + settings)
}

let hdf5Library = Target.systemLibrary(
  name: "CHDF5", pkgConfig: "hdf5", providers: [.apt(["libhdf5-dev"]), .brew(["hdf5"])])

// Tests that draw their images themselves are optimised, like all that they call. The others compile in half the time.
let plain: [SwiftSetting] = isDependency ? [] : [.unsafeFlags(["-Onone"])]

func tests(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict + settings)
}

func sample(_ name: String) -> Target {
  .executableTarget(name: name, dependencies: ["Rheo"], path: "Samples/\(name)", swiftSettings: strict)
}

// In several lists: one of all targets is too much for the type checker of Swift 6.0.
let systemLibraries: [Target] = [
  .systemLibrary(
    name: "CFFmpeg", pkgConfig: "libavformat libavcodec libavfilter libswscale libavutil",
    providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavfilter-dev", "libswscale-dev"])]),
  .systemLibrary(
    name: "CFreeType", pkgConfig: "freetype2 fontconfig",
    providers: [.apt(["libfreetype-dev", "libfontconfig-dev"])]),
  .systemLibrary(
    name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
  .systemLibrary(
    name: "CSPNG", pkgConfig: "spng", providers: [.apt(["libspng-dev"]), .brew(["libspng"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .systemLibrary(name: "CProcessor"),
]

let kernels: [Target] = kernelVariants.map { name, settings in
  .target(name: name, dependencies: ["FlowKernelTypes"], swiftSettings: strict + settings)
}

let modules: [Target] = [
  library("FlowKernelTypes", []),
  library("FlowKernels", ["FlowKernelTypes", "CProcessor"] + kernelVariants.map { .target(name: $0.0) }),
  library("Imaging", ["FlowKernels", "FlowKernelTypes"]),
  library("OpticalFlow", ["Imaging", "FlowKernels", "FlowKernelTypes"]),
  library("Registration", ["Imaging", "FlowKernels", "FlowKernelTypes", "CKissFFT"]),
  library("FlowAnalysis", ["Imaging", "OpticalFlow", "Registration"]),
  .target(
    name: "VideoIO", dependencies: ["Imaging", "CSPNG"] + (isCLibrary ? [] : ["CFFmpeg"]), sources: mediaFiles,
    swiftSettings: explicitImports),
  library(
    "FlowFormats", ["Imaging", "VideoIO"] + (hdf5 ? ["CHDF5"] : []), hdf5 ? [.define("RHEO_HDF5")] : []),
  library("FlowRendering", ["Imaging", "FlowKernels", "FlowKernelTypes", "CFreeType"]),
  library(
    "MotionDetection", ["FlowKernels", "FlowKernelTypes", "Imaging", "OpticalFlow", "Registration", "FlowAnalysis"]),
  library("ObjectTracking", ["Imaging", "FlowAnalysis", "MotionDetection"]),
  library("SceneSynthesis", ["Imaging"]),
  .systemLibrary(name: "CRheo"),
  library(
    "CInterface",
    [
      "CRheo", "Imaging", "OpticalFlow", "Registration", "FlowAnalysis", "FlowFormats", "FlowRendering",
      "MotionDetection", "ObjectTracking",
    ]),
  library(
    "Rheo",
    [
      "Imaging", "OpticalFlow", "Registration", "FlowAnalysis", "FlowFormats", "FlowRendering", "MotionDetection",
      "ObjectTracking", "SceneSynthesis", "VideoIO", "CCrypto", "CZlib",
    ]),
  .executableTarget(
    name: "RheoCLI", dependencies: ["Rheo", argumentParser, toml] + flyingFox, swiftSettings: explicitImports
  ),
]

let programs: [Target] = [
  sample("CameraLoop"),
  sample("ContactSheet"),
  sample("FlowVideo"),
  sample("ImageFlow"),
  sample("MeanMotion"),
  sample("MotionTrigger"),
  sample("OwnFrames"),
  sample("Panorama"),
  sample("SalientTracks"),
  sample("SteadyVideo"),

  .executableTarget(name: "ManualPages", path: "Packaging/ManualPages", swiftSettings: strict),

  .executableTarget(
    name: "Benchmarks",
    dependencies: [
      "FlowKernels", "FlowKernelTypes", "FlowAnalysis", "OpticalFlow", "FlowFormats", "VideoIO", argumentParser,
    ],
    path: "Tests/Benchmarks", swiftSettings: strict),
]

let testing: [Target] = [
  .target(
    name: "HDF5Samples", dependencies: hdf5 ? ["CHDF5"] : [], path: "Tests/HDF5Samples",
    swiftSettings: strict + (hdf5 ? [.define("RHEO_HDF5")] : [])),
  .executableTarget(
    name: "FormatFuzz",
    dependencies: ["FlowFormats", "Imaging", "HDF5Samples", "TestSupport", argumentParser],
    path: "Tests/FormatFuzz", swiftSettings: strict),
  .executableTarget(
    name: "MediaFuzz", dependencies: ["Rheo", "CFFmpeg", "TestSupport", argumentParser], path: "Tests/MediaFuzz",
    swiftSettings: strict),

  .target(name: "TestSupport", dependencies: ["Imaging"], path: "Tests/TestSupport", swiftSettings: strict),
  tests("ImagingTests", ["Imaging", "TestSupport"]),
  tests("FlowKernelsTests", ["FlowKernels", "FlowKernelTypes", "TestSupport"]),
  tests("OpticalFlowTests", ["OpticalFlow", "Imaging", "FlowFormats", "VideoIO", "TestSupport"]),
  tests("RegistrationTests", ["Registration", "Imaging", "VideoIO", "TestSupport"]),
  tests(
    "FlowAnalysisTests",
    ["FlowAnalysis", "OpticalFlow", "Registration", "Imaging", "SceneSynthesis", "TestSupport"]),
  tests("FlowFormatsTests", ["FlowFormats", "Imaging", "VideoIO", "HDF5Samples", "TestSupport"]),
  tests(
    "FlowRenderingTests",
    ["FlowRendering", "FlowFormats", "FlowKernels", "Imaging", "VideoIO", "TestSupport"]),
  tests("ObjectTrackingTests", ["ObjectTracking", "FlowAnalysis", "Imaging", "TestSupport"]),
  tests("MotionDetectionTests", ["MotionDetection", "OpticalFlow", "Imaging", "TestSupport"]),
  tests("SceneSynthesisTests", ["SceneSynthesis", "Imaging"]),
  tests("VideoIOTests", ["VideoIO", "Imaging", "CFFmpeg", "TestSupport"], plain),
  tests("RheoTests", ["Rheo", "TestSupport"]),
  tests("CommandLineTests", ["RheoCLI", "Rheo", "TestSupport"], plain),
]

let package = Package(
  name: "rheo",
  products: [
    .library(name: "Rheo", targets: ["Rheo"]),
    .executable(name: "rheo", targets: ["RheoCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ] + documentation,
  targets: systemLibraries + kernels + modules + programs + testing + (hdf5 ? [hdf5Library] : []) + parserFuzz,
  swiftLanguageModes: [.v6]
)
