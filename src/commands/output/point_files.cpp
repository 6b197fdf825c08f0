#include "commands/output/point_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analysis/answers/level_regions.hpp"
#include "cli/outputs.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/point_writer.hpp"
#include "io/text/text_fields.hpp"

namespace skde::cli {

io::ColumnSelection PointFiles::columns(const CloudFiles& cloud) const {
  io::ColumnSelection columns;
  columns.skip = cloud.columns.skip;
  columns.geographic = cloud.columns.geographic;
  columns.keeps_lines = !output.empty() && io::keeps_lines(output);
  columns.coordinates = at_columns.empty() ? cloud.columns.coordinates : at_columns;
  return columns;
}

io::PointTable PointFiles::read(const CloudFiles& cloud, Progress& progress) const {
  io::ColumnSelection selection = columns(cloud);
  if (at.empty()) {
    selection.weight = cloud.columns.weight;
    selection.where = cloud.columns.where;
  }
  return io::read_point_table(named(cloud), selection, progress, cloud.open);
}

double weight_of(const io::PointTable& table, std::size_t row) {
  return table.weight ? table.at(row, *table.weight) : 1;
}

std::vector<std::size_t> rows_with_places(const io::PointTable& table) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [x, y, z] = table.point(row);
    if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z) &&
        std::isfinite(weight_of(table, row)))
      rows.push_back(row);
  }
  return rows;
}

void add_at_flags(OptionTable& table, const std::string& by_default, PointFiles& files) {
  table.value({.name = "at",
               .value = "POINTS",
               .help = "file of points, in any point format",
               .by_default = by_default,
               .names_file = true},
              files.at);
  table.value({.name = "at-columns",
               .value = "X,Y,Z",
               .help = "names or numbers (from 1) of their coordinate columns",
               .by_default = "those of --columns"},
              files.at_columns, parse_columns);
}

void add_point_files(OptionTable& table, PointFiles& files) {
  add_at_flags(table, "the cloud itself", files);
  table.value({.name = "output",
               .value = "OUT",
               .help = "file of points to write: " + io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              files.output);
}

void check_point_flags(const ParsedFlags& flags, const PointFiles& files,
                       const DensityOptions& density) {
  if (files.at.empty() && flags.has("at-columns"))
    throw Error(ErrorKind::usage, "--at-columns has no effect without --at; drop it");
  if (flags.has("bounds") && !has_boundary(density.request.boundaries))
    throw Error(ErrorKind::usage, "--bounds has no effect without --boundary; drop it");
}

void check_point_output(const PointFiles& files, const DensityOptions& density) {
  std::vector<std::string> read = density.files.paths;
  for (const std::string& other : {files.at, density.covariance_file})
    if (!other.empty()) read.push_back(other);
  require_not_read(files.output, "-o", read);
  io::require_point_extension(files.output);
  require_writable(files.output, "-o");
}

namespace {

bool is_ply(const std::string& path) { return io::lower_case(path).ends_with(".ply"); }

/// Returns the names of the columns, with x, y and z for unnamed coordinates. In PLY all
/// coordinates get these names, as its readers expect them.
std::vector<std::string> own_names(const std::string& path, const io::PointTable& table) {
  std::vector<std::string> names = table.names;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_ply(path) && !table.columns.xyz[axis].name.empty()) continue;
    const std::string letter(1, kAxisNames[axis]);
    for (std::string& name : names)
      if (name == letter) name += "_of_points";
    names[table.xyz[axis]] = letter;
  }
  return names;
}

/// Appends the wanted names, with changes where a name is in use already. Returns a warning for
/// each change.
std::vector<Warning> add_names(const std::vector<std::string>& wanted,
                               std::vector<std::string>& names) {
  std::vector<Warning> warnings;
  for (const std::string& want : wanted) {
    std::string name = want;
    while (std::ranges::find(names, name) != names.end()) name += "_new";
    if (name != want)
      warnings.push_back(
          {"columns",
           fmt::format("the points already have a column '{}'; the new one is named '{}'", want,
                       name),
           {{}, "rename the old column to keep the name"}});
    names.push_back(std::move(name));
  }
  return warnings;
}

}  // namespace

std::vector<Warning> left_out_warnings(const io::PointTable& table) {
  if (table.left_out.empty()) return {};
  return {{"columns",
           fmt::format("these hold more than numbers and are not written: {}",
                       fmt::join(table.left_out, ", ")),
           {{}, "write them as columns of numbers to keep them"}}};
}

std::vector<Warning> write_point_columns(
    const std::string& path, const io::PointTable& table, const std::vector<std::size_t>& rows,
    const std::vector<std::string>& names,
    const std::function<void(std::size_t k, std::vector<double>& row)>& values) {
  std::vector<std::string> all = io::written_names(table, own_names(path, table));
  std::vector<Warning> warnings = left_out_warnings(table);
  std::ranges::move(add_names(names, all), std::back_inserter(warnings));
  io::PointWriter writer(path, table.rows(), all);
  std::ranges::move(io::carried_warnings(path, table), std::back_inserter(warnings));
  std::vector<double> row;
  std::size_t next = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    row.clear();
    if (next < rows.size() && rows[next] == i)
      values(next++, row);
    else
      row.resize(names.size(), std::numeric_limits<double>::quiet_NaN());
    writer.write_row(table, i, row);
  }
  writer.finish();
  return warnings;
}

LabelledPoints label_points(const PointFiles& files, const CloudFiles& cloud,
                            const CellLabels& cells, std::size_t labels, Progress& progress) {
  CloudFiles like = cloud;
  io::Geographic& geographic = like.columns.geographic;
  io::take_middle(geographic, cells.metadata.frame);
  if (geographic.units.empty() && !cells.metadata.frame.empty())
    geographic.units = cells.metadata.units;
  const io::PointTable table = files.read(like, progress);
  const std::vector<std::size_t> rows = rows_with_places(table);
  LabelledPoints found{std::vector<std::uint64_t>(labels), rows.size()};
  std::vector<std::int32_t> of_rows;
  of_rows.reserve(rows.size());
  for (const std::size_t row : rows) {
    const auto [x, y, z] = table.point(row);
    of_rows.push_back(label_at(cells.labels, cells.grid, {x, y, z}));
    ++(of_rows.back() < 0 ? found.outside : found.counts[static_cast<std::size_t>(of_rows.back())]);
  }
  if (auto warning = require_one_frame(table.columns.frame, files.named(cloud),
                                       cells.metadata.frame, "the density"))
    found.warnings.push_back(std::move(*warning));
  if (!files.output.empty())
    std::ranges::move(write_point_columns(files.output, table, rows, {cells.name},
                                          [&](std::size_t k, std::vector<double>& row) {
                                            row.push_back(of_rows[k] + 1);
                                          }),
                      std::back_inserter(found.warnings));
  return found;
}

}  // namespace skde::cli
