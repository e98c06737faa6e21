// `.flo5`, the form of the Spring benchmark (Mehl et al., CVPR 2023): HDF5 with a dataset `flow` of (height, width, 2)
// 32-bit floats, gzip 5, NaN for unknown vectors. Written through libhdf5, where the build found it; see
// HDF5Structure.swift for why reading is another matter.

import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if RHEO_HDF5
  import CHDF5

  /// Reads and writes `.flo5` files.
  enum HDF5Flow {
    static let isPartOfBuild = true
    private static let datasetName = "flow"
    private static let compressionLevel: UInt32 = 5
    /// Chunks of whole rows, of about this many bytes.
    private static let bytesPerChunk = 1 << 18

    static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField {
      let structure = try HDF5Structure(bytes, name: name)
      let dataset = try HDF5Dataset(structure.messages(ofObject: datasetName), of: structure.file)
      switch dataset.layout {
      case .contiguous(let start):
        var flow = FlowField(size: dataset.size)
        let numbers = try structure.file.slice(start, dataset.byteCount)
        flow.fill([0, 0, 0], sides: [flow.height, flow.width, 2], from: numbers, dataset.element)
        return flow.withoutHalfVectors()
      case .chunked(let tree, let sides):
        return try decode(dataset, HDF5Chunks(structure, tree: tree, sides: sides, size: dataset.size), structure.file)
      }
    }

    private static func decode(
      _ dataset: HDF5Dataset, _ chunks: HDF5Chunks, _ file: HDF5Bytes
    ) throws -> FlowField {
      let bytesPerChunk = chunks.sides.reduce(dataset.element.size, *)
      try chunks.check(
        byteCount: dataset.byteCount, bytesPerChunk: bytesPerChunk, isCompressed: dataset.filters.contains(.deflate))
      var flow = FlowField(size: dataset.size)
      // The numbers of a chunk, and their bytes in another order.
      try FlowFormatError.requireMemory(2 * bytesPerChunk, .unreadable, name: file.name)
      var decompression = HDF5Decompression(dataset, bytesPerChunk: bytesPerChunk)
      try chunks.forEach { chunk in
        try decompression.withNumbers(of: try file.slice(chunk.address, chunk.length), file) { numbers in
          flow.fill(chunk.origin, sides: chunks.sides, from: numbers, dataset.element)
        }
      }
      return flow.withoutHalfVectors()
    }

    /// The contents of a file with `flow`: the same bytes whenever it is written.
    static func encode(_ flow: FlowField, name: String) throws -> Data {
      try HDF5Library.locked {
        let access = try HDF5Object(
          H5Pcreate(rheo_h5_file_access_class()), name, .unwritable, "preparing the file", close: H5Pclose)
        // The file lies in memory, and nothing of it is written.
        try HDF5Library.check(H5Pset_fapl_core(access.id, 1 << 20, false), name, .unwritable, "preparing the file")
        let file = try HDF5Object(
          H5Fcreate(name, rheo_h5_truncate(), 0, access.id), name, .unwritable, "creating the file", close: H5Fclose)
        let dataset = try makeDataset(in: file, size: flow.size, name: name)
        var row = 0
        while row < flow.height {
          let band = row..<min(row + rowsPerChunk(flow.size), flow.height)
          try write(band, of: flow, into: dataset, name: name)
          row = band.upperBound
        }
        try dataset.finish(name)
        return try image(of: file, name: name)
      }
    }

    private static func rowsPerChunk(_ size: PixelSize) -> Int {
      min(max(bytesPerChunk / (8 * size.width), 1), size.height)
    }

    private static func makeDataset(
      in file: borrowing HDF5Object, size: PixelSize, name: String
    ) throws -> HDF5Object {
      let creation = try HDF5Object(
        H5Pcreate(rheo_h5_dataset_creation_class()), name, .unwritable, "preparing the dataset", close: H5Pclose)
      let chunk = [hsize_t(rowsPerChunk(size)), hsize_t(size.width), 2]
      try HDF5Library.check(H5Pset_chunk(creation.id, 3, chunk), name, .unwritable, "setting the chunks")
      try HDF5Library.check(
        H5Pset_deflate(creation.id, compressionLevel), name, .unwritable, "setting the compression")
      // Time stamps would make every file another one.
      try HDF5Library.check(H5Pset_obj_track_times(creation.id, false), name, .unwritable, "leaving times out")
      let extent = [hsize_t(size.height), hsize_t(size.width), 2]
      let space = try HDF5Object(
        H5Screate_simple(3, extent, nil), name, .unwritable, "making the dataset", close: H5Sclose)
      return try HDF5Object(
        H5Dcreate2(file.id, datasetName, rheo_h5_little_endian_float(), space.id, 0, creation.id, 0), name,
        .unwritable, "making the dataset", close: H5Dclose)
    }

    private static func write(
      _ rows: Range<Int>, of flow: FlowField, into dataset: borrowing HDF5Object, name: String
    ) throws {
      let width = flow.width
      var numbers = [Float](repeating: .nan, count: rows.count * width * 2)
      for y in rows {
        flow.withRow(y) { u, v in
          for x in 0..<width where u[x].isFinite && v[x].isFinite {
            let index = 2 * ((y - rows.lowerBound) * width + x)
            numbers[index] = u[x]
            numbers[index + 1] = v[x]
          }
        }
      }
      // The rows of the dataset, and memory of the same shape.
      let count = [hsize_t(rows.count), hsize_t(width), 2]
      let fileSpace = try HDF5Object(H5Dget_space(dataset.id), name, .damaged, "its extent", close: H5Sclose)
      try HDF5Library.check(
        H5Sselect_hyperslab(fileSpace.id, H5S_SELECT_SET, [hsize_t(rows.lowerBound), 0, 0], nil, count, nil), name,
        .damaged, "selecting rows")
      let memorySpace = try HDF5Object(
        H5Screate_simple(3, count, nil), name, .damaged, "selecting rows", close: H5Sclose)
      try HDF5Library.check(
        H5Dwrite(dataset.id, rheo_h5_native_float(), memorySpace.id, fileSpace.id, 0, numbers), name, .unwritable,
        "compressing rows \(rows.lowerBound)…\(rows.upperBound - 1)")
    }

    private static func image(of file: borrowing HDF5Object, name: String) throws -> Data {
      try HDF5Library.check(H5Fflush(file.id, H5F_SCOPE_LOCAL), name, .unwritable, "finishing the file")
      let length = H5Fget_file_image(file.id, nil, 0)
      try HDF5Library.check(length, name, .unwritable, "finishing the file")
      try FlowFormatError.requireMemory(length, .unwritable, name: name)
      var image = Data(count: length)
      let copied = image.withUnsafeMutableBytes { H5Fget_file_image(file.id, $0.baseAddress, length) }
      try HDF5Library.check(copied, name, .unwritable, "finishing the file")
      return image
    }
  }

  extension FlowField {
    /// Takes over the part of a box of numbers (rows, columns, components) at `origin` that lies inside the field.
    fileprivate mutating func fill(
      _ origin: [Int], sides: [Int], from numbers: UnsafeRawBufferPointer, _ element: NumpyHeader.Element
    ) {
      let (top, left, first) = (origin[0], origin[1], origin[2])
      let columns = left..<min(left + sides[1], width)
      for component in first..<min(first + sides[2], 2) {
        func fillRows(_ view: MutablePlaneView<Float>) {
          for y in top..<min(top + sides[0], view.height) {
            let row = view.row(y)
            var index = ((y - top) * sides[1]) * sides[2] + component - first
            for x in columns {
              row[x] = element.number(in: numbers, at: index)
              index += sides[2]
            }
          }
        }
        if component == 0 { u.withMutableView(fillRows) } else { v.withMutableView(fillRows) }
      }
    }

    /// Vectors with a component that is no finite number become unknown.
    fileprivate consuming func withoutHalfVectors() -> FlowField {
      setRows(0..<height) { [width] _, u, v in
        for x in 0..<width where !u[x].isFinite || !v[x].isFinite {
          u[x] = .nan
          v[x] = .nan
        }
      }
      return self
    }
  }
#else
  /// Stands in for the reader and writer of `.flo5` files in a build without HDF5.
  enum HDF5Flow {
    static let isPartOfBuild = false

    static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField { throw missing(name) }
    static func encode(_ flow: FlowField, name: String) throws -> Data { throw missing(name) }

    private static func missing(_ path: String) -> FlowFormatError {
      FlowFormatError(
        code: .unsupported,
        message: "\(path): this build of rheo has no HDF5, which .flo5 needs; install libhdf5-dev (Debian, Ubuntu), "
          + "hdf5-devel (Fedora) or hdf5 (Homebrew), and build again")
    }
  }
#endif
