#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/volumes/volume_formats.hpp"

namespace skde::io {

struct ImageHeader;  // io/volumes/image_file.hpp

// The writers and readers behind volume_formats(). For writers see VolumeFormat::open and
// VolumeWriter. Readers throw Error(input) if the file is broken, or holds no volume on an
// axis-aligned regular grid.

/// Returns the format to read a path with; null if none has its extension.
const VolumeFormat* format_to_read(const std::string& path);

/// VTK image data, point data `density`, raw appended.
std::unique_ptr<VolumeWriter> vti_writer(const std::string& path, const Grid& grid,
                                         Precision precision, const DensityMetadata& expected);
VolumeFrame vti_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata);
/// The same, compressed by zlib in blocks.
std::unique_ptr<VolumeWriter> vti_zlib_writer(const std::string& path, const Grid& grid,
                                              Precision precision, const DensityMetadata& expected);
/// Reads all that VTK writes in one piece: numbers as text, or bytes raw or in base64, within the
/// XML or after it, bare or compressed by zlib, LZ4 or LZMA. Takes the array `density` of points or
/// of cells, or else the first array with one component.
VolumeFile read_vti(const std::string& path, const std::string& field, const OpenFiles& files);
VolumeHead read_vti_head(const std::string& path, const std::string& field, const OpenFiles& files);
/// The same writer for several arrays.
std::unique_ptr<FieldsWriter> vti_fields_writer(const std::string& path, const Grid& grid,
                                                Precision precision, std::vector<std::string> names,
                                                const DensityMetadata& expected);

/// NRRD 5 with attached header, raw.
std::unique_ptr<VolumeWriter> nrrd_writer(const std::string& path, const Grid& grid,
                                          Precision precision, const DensityMetadata& expected);
VolumeFrame nrrd_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata);
/// Reads a header; the source is then after the empty line that ends it, or at its end. Values are
/// raw, ascii, gzip or bzip2, attached or in one file beside the header. Throws Error(input) if the
/// header is broken or describes what skde does not support.
ImageHeader read_nrrd_header(BufferedSource& source, const OpenFiles& files);

/// NPY of shape (nz, ny, nx), with the grid and the metadata in a JSON file beside it. Either both
/// files take their names or neither does.
std::unique_ptr<VolumeWriter> npy_volume_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected);
/// Implements VolumeFormat::open_array.
std::unique_ptr<VolumeWriter> npy_array_writer(const std::string& path, ArrayStream* to,
                                               ArrayValues values, const Grid& grid,
                                               Precision precision,
                                               const DensityMetadata& expected);
VolumeFrame npy_volume_frame(const Grid& grid, Precision precision,
                             const DensityMetadata& metadata);
/// Without a JSON file the volume is not placed and has cells of size 1.
ImageHeader read_npy_volume_header(BufferedSource& source, const OpenFiles& files);
/// Implements files_beside() for this format, as does the similar function below.
std::vector<std::string> npy_files_beside(const std::string& path, Presence presence);
/// Returns true if the file is an NPY array of three dimensions; a cloud has two.
bool is_npy_volume(const std::string& path, const OpenFiles& files);

/// NetCDF-4 by the CF conventions: variable `density` (z, y, x), coordinate variables x, y, z.
std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected);
/// Throws Error(output) if the temporary folder has no room for coordinates and attributes.
VolumeFrame netcdf_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata);
/// Writes one variable per density. Without a name, read_netcdf() takes the variable `density`, or
/// else the first one of three dimensions, or of four with one time step; dimensions may be in any
/// order.
std::unique_ptr<FieldsWriter> netcdf_fields_writer(const std::string& path, const Grid& grid,
                                                   Precision precision,
                                                   std::vector<std::string> names,
                                                   const DensityMetadata& expected);
VolumeFile read_netcdf(const std::string& path, const std::string& field);
VolumeHead read_netcdf_head(const std::string& path, const std::string& field);

/// NIfTI-1 in one file, the cells placed by sform; bare or packed by gzip.
std::unique_ptr<VolumeWriter> nifti_writer(const std::string& path, const Grid& grid,
                                           Precision precision, const DensityMetadata& expected);
std::unique_ptr<VolumeWriter> nifti_gzip_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected);
/// The first bytes decide whether the file is packed. For a pair, `path` is "a.hdr", not "a.img".
ImageHeader read_nifti_header(BufferedSource& source, const OpenFiles& files);
std::vector<std::string> nifti_files_beside(const std::string& path, Presence presence);

/// MetaImage with its values in the same file.
std::unique_ptr<VolumeWriter> meta_image_writer(const std::string& path, const Grid& grid,
                                                Precision precision,
                                                const DensityMetadata& expected);
/// The same; values are raw, text or packed by zlib, in the same file or in one beside it.
ImageHeader read_meta_image_header(BufferedSource& source, const OpenFiles& files);

/// OpenVDB fog volume `density`; cells of value 0 are not stored. The sparse volume is in memory
/// until finish().
std::unique_ptr<VolumeWriter> openvdb_writer(const std::string& path, const Grid& grid,
                                             Precision precision, const DensityMetadata& expected);
VolumeFile read_openvdb(const std::string& path);
/// Reads the sparse volume if the head does not state its box.
VolumeHead read_openvdb_head(const std::string& path);

/// Whether a named file must exist.
enum class Presence { required, unknown };

/// Returns the path of the one file beside a header that holds its values, as the header names it.
/// The file must be in the header's folder: otherwise a header could have any file of the machine
/// read as numbers. Throws Error(input) if it is in another folder, if there are several files, or
/// if it does not exist and `presence` is required.
std::string data_path(const std::string& header_path, const std::string& data_file,
                      Presence presence = Presence::required);

/// Returns the files beside a volume file that its reader opens, or would open if they existed:
/// those with its values or its description. Empty if the path is not that of a volume. Throws
/// Error(input) if the header is broken, or names a file that does not exist and `presence` is
/// required.
std::vector<std::string> files_beside(const std::string& path,
                                      Presence presence = Presence::required);

}  // namespace skde::io
