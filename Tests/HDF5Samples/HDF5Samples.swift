// HDF5 files as other programs write them: what the package's own writer does not make, but its reader reads.

import Foundation

#if RHEO_HDF5
  import CHDF5
#endif

/// A way to store the dataset `flow`.
public struct HDF5Sample: Sendable {
  public var name = "flow"
  /// Rows, columns, components; nil: in one piece.
  public var chunk: [UInt64]?
  /// gzip's level; nil: not compressed.
  public var compression: UInt32?
  public var isShuffled = false
  public var isBigEndian = false
  public var hasCheckSum = false
  public var usesLatestFormat = false
  /// Other datasets beside it, in the same group.
  public var otherCount = 0

  public init() {}

  public init(_ change: (inout HDF5Sample) -> Void) { change(&self) }

  /// Whether this build has libhdf5.
  public static var isPartOfBuild: Bool {
    #if RHEO_HDF5
      true
    #else
      false
    #endif
  }

  /// The ways that flow is read from.
  public static let readable: [HDF5Sample] = [
    HDF5Sample(), HDF5Sample { $0.isBigEndian = true }, HDF5Sample { $0.chunk = [4, 5, 1] },
    HDF5Sample {
      $0.chunk = [4, 5, 2]
      $0.compression = 5
    },
    HDF5Sample {
      $0.chunk = [64, 3, 2]
      $0.compression = 1
      $0.isShuffled = true
      $0.isBigEndian = true
    },
    HDF5Sample { $0.otherCount = 40 },
  ]

  #if RHEO_HDF5
    /// The contents of a file with `values` (u, v, u, v …), row by row.
    public func file(width: Int, height: Int, values: [Float]) -> Data {
      precondition(values.count == 2 * width * height)
      let access = H5Pcreate(rheo_h5_file_access_class())
      H5Pset_fapl_core(access, 1 << 16, false)
      if usesLatestFormat { H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) }
      let file = H5Fcreate("sample", rheo_h5_truncate(), 0, access)
      for number in 0..<otherCount { write("other\(number)", into: file, [1, 1, 2], [0, 0]) }
      write(name, into: file, [UInt64(height), UInt64(width), 2], values)
      H5Fflush(file, H5F_SCOPE_LOCAL)
      var image = Data(count: H5Fget_file_image(file, nil, 0))
      image.withUnsafeMutableBytes { _ = H5Fget_file_image(file, $0.baseAddress, $0.count) }
      H5Fclose(file)
      H5Pclose(access)
      return image
    }

    private func write(_ name: String, into file: hid_t, _ extent: [UInt64], _ values: [Float]) {
      let type = H5Tcopy(rheo_h5_native_float())
      if isBigEndian { H5Tset_order(type, H5T_ORDER_BE) }
      let creation = H5Pcreate(rheo_h5_dataset_creation_class())
      // Room to grow: chunks may be larger than what is there.
      let limits = [UInt64](repeating: UInt64.max, count: 2) + [2]
      let space = H5Screate_simple(3, extent, chunk == nil ? nil : limits)
      if let chunk { H5Pset_chunk(creation, 3, chunk) }
      if isShuffled { H5Pset_shuffle(creation) }
      if let compression { H5Pset_deflate(creation, compression) }
      if hasCheckSum { H5Pset_fletcher32(creation) }
      let dataset = H5Dcreate2(file, name, type, space, 0, creation, 0)
      H5Dwrite(dataset, rheo_h5_native_float(), 0, 0, 0, values)
      H5Dclose(dataset)
      H5Sclose(space)
      H5Pclose(creation)
      H5Tclose(type)
    }
  #else
    public func file(width: Int, height: Int, values: [Float]) -> Data { Data() }
  #endif
}
