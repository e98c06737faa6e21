@_exported import Imaging
