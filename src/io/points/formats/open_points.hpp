#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// Opens `path` ("-": standard input); its first bytes and its name determine the format. If no
/// such file exists, "FILE:PART" names a part of a file. Throws Error(input) if the file does not
/// exist, is empty, or has no known format; Error(usage) if a column that was asked for does not
/// exist.
std::unique_ptr<PointReader> open_points(const std::string& path, const ColumnSelection& columns,
                                         const OpenFiles& files = {});

/// The same for an open source, whose name replaces the path.
std::unique_ptr<PointReader> open_points(std::unique_ptr<ByteSource> source,
                                         const ColumnSelection& columns);

/// Returns true if every path is a file of splats: a PLY file with the columns that kSplat reads,
/// or one with an extension of splats alone (see splat_formats.hpp). Does not open files with
/// another extension, nor pipes, which can be read only once.
bool are_splats(const std::vector<std::string>& paths, const ColumnSelection& columns,
                const OpenFiles& files);
/// The same for the columns that kMixture reads, and for PLY, NPY and CSV.
bool are_mixtures(const std::vector<std::string>& paths, const ColumnSelection& columns,
                  const OpenFiles& files);
/// Lets the widths be those of a mixture or, with `with_splats`, of splats, if all files are such.
void assume_gaussians(const std::vector<std::string>& paths, bool with_splats,
                      ColumnSelection& columns, const OpenFiles& files);

}  // namespace skde::io
