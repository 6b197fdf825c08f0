#pragma once

#include <string>

#include "io/volumes/volume_formats.hpp"

namespace skde::io {

// The writers and readers behind volume_formats(). Writers throw Error(output) and
// Error(cancelled) and leave nothing behind then; readers throw Error(input) where the file is
// broken or holds no volume on an axis-aligned regular grid.

/// VTK image data, point data `density`, raw appended.
void write_vti(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
               Progress& progress);
/// The same, compressed by zlib in blocks.
void write_vti_zlib(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                    Progress& progress);
/// Appended data, raw or compressed by zlib; the array `density`, or else the first one of one
/// component.
VolumeFile read_vti(const std::string& path);

/// NRRD 5 with attached header, raw.
void write_nrrd(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                Progress& progress);
/// Attached data, raw or gzip.
VolumeFile read_nrrd(const std::string& path);

/// NPY of shape (nz, ny, nx), and the grid and the metadata in a JSON file beside it.
void write_npy_volume(const std::string& path, const Volume& volume,
                      const DensityMetadata& metadata, Progress& progress);
/// Without JSON file: cells of size 1, the first centre at 0.
VolumeFile read_npy_volume(const std::string& path);
/// True where the file is an NPY array of three dimensions; a cloud has two.
bool is_npy_volume(const std::string& path);

/// NetCDF-4 by the CF conventions: variable `density` (z, y, x), coordinate variables x, y, z.
void write_netcdf(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                  Progress& progress);
VolumeFile read_netcdf(const std::string& path);

/// OpenVDB fog volume `density`; cells of value 0 are not stored.
void write_openvdb(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                   Progress& progress);
VolumeFile read_openvdb(const std::string& path);

}  // namespace skde::io
