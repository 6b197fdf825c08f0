#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "core/report/warning.hpp"
#include "io/points/point_table.hpp"

namespace skde::cli {

/// The files of commands that write a table of points anew, with columns of their own behind it.
struct PointFiles {
  std::string at, output;  ///< `at` empty: the cloud's own points
  std::vector<std::string> at_columns;

  /// The file whose points they are.
  const std::string& named(const CloudFiles& cloud) const {
    return at.empty() ? cloud.paths.front() : at;
  }
  /// How its columns are chosen: as the cloud's, where nothing else is said.
  io::ColumnSelection columns(const CloudFiles& cloud) const;
};

/// Adds --at and --at-columns; `by_default`: what they are without these.
void add_at_flags(OptionTable& table, const std::string& by_default, PointFiles& files);
/// Adds the same and --output.
void add_point_files(OptionTable& table, PointFiles& files);
/// Error(usage) where a flag of points or of the box has no effect.
void check_point_flags(const ParsedFlags& flags, const PointFiles& files,
                       const DensityOptions& density);
/// Error where the output is one of the files read, has no format, or cannot be written.
void check_point_output(const PointFiles& files, const DensityOptions& density);

/// Writes the table with columns of these names behind its own. `values(k, row)` appends those of
/// the k-th of `rows`, in their order; other rows get nan. Coordinates without a name are x, y and
/// z there, as all are in PLY. Returns warnings of names that are others, as the table has those.
std::vector<Warning> write_point_columns(
    const std::string& path, const io::PointTable& table, const std::vector<std::size_t>& rows,
    const std::vector<std::string>& names,
    const std::function<void(std::size_t k, std::vector<double>& row)>& values);

}  // namespace skde::cli
