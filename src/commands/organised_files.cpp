#include "commands/organised_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "cli/outputs.hpp"
#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"
#include "pictures/png_file.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kColumn = "{}";

bool is_png(const std::string& path) { return io::lower_case(path).ends_with(".png"); }

/// The names of the pictures: those of the columns, reduced to letters, digits, - and _, take the
/// place of {}.
std::vector<std::string> picture_paths(const std::string& path,
                                       const std::vector<std::string>& columns) {
  std::vector<std::string> paths;
  for (const std::string& column : columns) {
    std::string name = column;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    std::string own = path;
    own.replace(own.find(kColumn), kColumn.size(), name);
    while (std::ranges::find(paths, own) != paths.end())
      own.insert(own.size() - std::string_view(".png").size(), "_");
    paths.push_back(own);
  }
  return paths;
}

/// The range of the finite values of a column; 0 to 0 if there are none.
ColumnPlane plane_of(const io::PointTable& table, std::size_t column) {
  ColumnPlane plane{table.names[column], std::numeric_limits<double>::max(),
                    std::numeric_limits<double>::lowest()};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double value = table.at(row, column);
    if (!std::isfinite(value)) continue;
    plane.low = std::min(plane.low, value);
    plane.high = std::max(plane.high, value);
  }
  if (plane.low > plane.high) plane.low = plane.high = 0;
  return plane;
}

std::uint16_t grey_of(double value, const ColumnPlane& plane) {
  constexpr double kMost = 65535;
  if (!std::isfinite(value) || !(plane.high > plane.low)) return 0;
  // Halves, as the difference of two large values may overflow.
  const double share = (value / 2 - plane.low / 2) / (plane.high / 2 - plane.low / 2);
  return static_cast<std::uint16_t>(std::lround(kMost * std::clamp(share, 0.0, 1.0)));
}

OrganisedFiles write_planes(const std::string& path, const io::PointTable& table,
                            const Arrangement& arrangement, io::PointFacts facts,
                            Progress& progress) {
  OrganisedFiles files;
  const std::vector<std::string> paths = picture_paths(path, table.names);
  progress.begin("writing " + path, paths.size(), "pictures");
  facts.resize(facts.size() + 3);
  for (std::size_t column = 0; column < paths.size(); ++column) {
    progress.throw_if_cancelled();
    const ColumnPlane plane = plane_of(table, column);
    std::vector<std::uint16_t> pixels;
    pixels.reserve(arrangement.item_at.size());
    for (const std::uint32_t row : arrangement.item_at)
      pixels.push_back(row == kNoItem ? std::uint16_t{0} : grey_of(table.at(row, column), plane));
    facts.rbegin()[2] = {"column", plane.column};
    facts.rbegin()[1] = {"low", fmt::format("{}", plane.low)};
    facts.rbegin()[0] = {"high", fmt::format("{}", plane.high)};
    write_grey_png(paths[column], pixels, arrangement.width, facts);
    files.planes.push_back(plane);
    files.written.push_back(written_file("picture", paths[column]));
    progress.update(column + 1);
  }
  return files;
}

}  // namespace

void check_organised_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (is_png(path) && path.find(kColumn) == path.npos)
    throw Error(ErrorKind::usage, fmt::format("{}: a picture holds one column", path),
                {"output", "put {} into the name, which the names of the columns replace"});
  std::vector<std::string> files{path};
  if (!is_png(path)) {
    io::require_point_extension(path);
    files = io::point_files_with_facts(path);
  }
  for (const std::string& file : files) {
    require_not_read(file, "-o", inputs);
    require_writable(file, "-o");
  }
}

OrganisedFiles write_organised(const std::string& path, const io::PointTable& table,
                               const Arrangement& arrangement, const io::PointFacts& facts,
                               Progress& progress) {
  if (is_png(path)) return write_planes(path, table, arrangement, facts, progress);
  constexpr std::uint64_t kRowsAtOnce = 1 << 14;
  io::PointWriter writer(path, table.rows(), io::written_names(table, table.names), facts);
  progress.begin("writing " + path, table.rows(), "rows");
  std::uint64_t done = 0;
  for (const std::uint32_t row : arrangement.item_at) {
    if (row == kNoItem) continue;
    writer.write_row(table, row);
    if (++done % kRowsAtOnce != 0) continue;
    progress.throw_if_cancelled();
    progress.update(done);
  }
  writer.finish();
  OrganisedFiles files;
  const char* what = "points";
  for (const std::string& file : io::point_files_with_facts(path)) {
    files.written.push_back(written_file(what, file));
    what = "description";
  }
  return files;
}

}  // namespace skde::cli
