#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/points/point_table.hpp"

namespace skde::cli {

/// The files of commands that copy a table of points and append columns.
struct PointFiles {
  std::string at, output;  ///< `at` empty: the cloud's own points
  std::vector<std::string> at_columns;

  /// Returns the file of the points.
  const std::string& named(const CloudFiles& cloud) const {
    return at.empty() ? cloud.paths.front() : at;
  }
  /// Returns the selection of their columns; the cloud's by default.
  io::ColumnSelection columns(const CloudFiles& cloud) const;
  /// Reads the table; of the cloud's own points only rows that fulfil its condition, with weights.
  io::PointTable read(const CloudFiles& cloud, Progress& progress) const;
};

/// Returns the weight of a row, 1 without weights.
double weight_of(const io::PointTable& table, std::size_t row);
/// Returns the rows with finite coordinates and, for points of the cloud itself, a finite weight,
/// which may be 0.
std::vector<std::size_t> rows_with_places(const io::PointTable& table);

/// Adds --at and --at-columns; `by_default` describes the points without --at.
void add_at_flags(OptionTable& table, const std::string& by_default, PointFiles& files);
/// Adds --at, --at-columns and --output.
void add_point_files(OptionTable& table, PointFiles& files);
/// Throws Error(usage) if a flag of points or of the box has no effect.
void check_point_flags(const ParsedFlags& flags, const PointFiles& files,
                       const DensityOptions& density);
/// Throws Error if the output is one of the input files, has no known format, or cannot be written.
void check_point_output(const PointFiles& files, const DensityOptions& density);

/// Returns a warning of what a table leaves out of its file; none if that is nothing.
std::vector<Warning> left_out_warnings(const io::PointTable& table);

/// Writes the table with columns of these names appended. `values(k, row)` appends the values of
/// the k-th of `rows`, in order; other rows get nan. Unnamed coordinates are called x, y and z, as
/// all are in PLY. Returns warnings of names that were changed because the table has them already,
/// and of what the table leaves out.
std::vector<Warning> write_point_columns(
    const std::string& path, const io::PointTable& table, const std::vector<std::size_t>& rows,
    const std::vector<std::string>& names,
    const std::function<void(std::size_t k, std::vector<double>& row)>& values);

/// The label of each cell of a grid, from 0, -1 for none, and its name.
struct CellLabels {
  std::span<const std::int32_t> labels;
  const Grid& grid;
  std::string name;
  const DensityMetadata& metadata;  ///< of the volume
};
/// How many points have each label, and none.
struct LabelledPoints {
  std::vector<std::uint64_t> counts;
  std::uint64_t points = 0, outside = 0;
  std::vector<Warning> warnings{};
};
/// Reads the points and finds the label of each, below `labels`. If an output is named, writes the
/// points with a column for the label: it counts from 1, and 0 means none. Throws Error(input) if
/// they are in another frame than the volume.
LabelledPoints label_points(const PointFiles& files, const CloudFiles& cloud,
                            const CellLabels& cells, std::size_t labels, Progress& progress);

}  // namespace skde::cli
