#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/splat_columns.hpp"
#include "io/points/splats/splat_format_files.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kPlyRowsAtOnce = 1 << 14;

/// Where the columns of splats are among those that follow x, y and z.
class PlyColumns {
 public:
  PlyColumns(const std::string& file, const std::vector<ReadColumn>& columns)
      : file_(file), columns_(columns) {}

  std::size_t width() const { return columns_.size(); }
  bool has(const std::string& name) const { return find(name) != columns_.end(); }
  std::size_t need(const std::string& name) const {
    const auto found = find(name);
    if (found == columns_.end() && name == "scale_2" && has("scale_1"))
      throw Error(ErrorKind::input, fmt::format("{}: {}", file_, kOfTwoScales),
                  {{}, "train it as 3D Gaussian splats"});
    if (found == columns_.end())
      throw Error(
          ErrorKind::input,
          fmt::format("{}: has no property '{}'; its points are not Gaussian splats", file_, name));
    return static_cast<std::size_t>(found - columns_.begin());
  }
  std::vector<std::size_t> need_all(const char* name, std::size_t count) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(need(fmt::format("{}_{}", name, i)));
    return places;
  }
  /// Returns the bands of the harmonics f_rest_0 ... Throws if there is no such number of bands.
  int bands() const {
    std::size_t count = 0;
    while (has(fmt::format("f_rest_{}", count))) ++count;
    for (int bands = 0; bands <= 4; ++bands)
      if (count == static_cast<std::size_t>(3 * bands * (bands + 2))) return bands;
    throw Error(
        ErrorKind::input,
        fmt::format("{}: has {} properties f_rest, but harmonics of three colours are 9, 24, "
                    "45 or 72",
                    file_, count));
  }

 private:
  std::vector<ReadColumn>::const_iterator find(const std::string& name) const {
    return std::ranges::find(columns_, name, &ReadColumn::name);
  }

  const std::string& file_;
  const std::vector<ReadColumn>& columns_;
};

/// Appends the values of these columns, splat by splat.
void append_columns(const std::vector<std::size_t>& columns, const Samples& chunk,
                    std::size_t width, std::vector<float>& to) {
  for (std::size_t row = 0; row < chunk.xyz.size() / 3; ++row)
    for (const std::size_t column : columns)
      to.push_back(static_cast<float>(chunk.bandwidth_factors[row * width + column]));
}

}  // namespace

SplatCloud read_splat_ply(BufferedSource source, std::int64_t most_bytes) {
  const std::string file = source.name();
  ColumnSelection wanted;
  wanted.coordinates = {"x", "y", "z"};
  wanted.all_others = true;
  const auto reader = open_ply(std::move(source), wanted);
  const PlyColumns columns(file, reader->columns().widths);
  SplatCloud splats;
  splats.bands = columns.bands();
  const auto scales = columns.need_all("scale", 3), turns = columns.need_all("rot", 4);
  const auto rest = columns.need_all("f_rest", 3 * splats.harmonics_each());
  const std::vector<std::size_t> opacity{columns.need(std::string(kOpacity))};
  const auto colours = columns.has("f_dc_0") && columns.has("f_dc_1") && columns.has("f_dc_2")
                           ? columns.need_all("f_dc", 3)
                           : std::vector<std::size_t>{};
  std::vector<std::size_t> lows;
  for (const std::string_view name : kLowColumns)
    if (columns.has(std::string(name))) lows.push_back(columns.need(std::string(name)));
  require_kept_bytes(file, reader->expected_rows().value_or(1), splats.bands, most_bytes);
  Samples chunk;
  while (reader->read(chunk, kPlyRowsAtOnce)) {
    const std::size_t width = columns.width();
    for (std::size_t i = 0; lows.size() == 3 && i < chunk.xyz.size(); ++i)
      chunk.xyz[i] += chunk.bandwidth_factors[i / 3 * width + lows[i % 3]];
    splats.xyz.insert(splats.xyz.end(), chunk.xyz.begin(), chunk.xyz.end());
    append_columns(scales, chunk, width, splats.log_scales);
    append_columns(turns, chunk, width, splats.rotations);
    append_columns(opacity, chunk, width, splats.opacities);
    append_columns(colours, chunk, width, splats.colours);
    append_columns(rest, chunk, width, splats.harmonics);
  }
  splats.colours.resize(3 * splats.size());
  return splats;
}

void write_splat_ply(const std::string& path, const SplatCloud& splats, Progress& progress) {
  const std::vector<SplatColumn> columns = splat_columns(splats);
  const std::size_t count = splats.size();
  std::string head =
      fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", count);
  for (const SplatColumn& column : columns) head += fmt::format("property float {}\n", column.name);
  head += "end_header\n";
  require_room(path, head.size() + sizeof(float) * columns.size() * count,
               {{}, "use another disk, or a compressed format"});
  OutputFile file(path);
  file.write(head);
  std::vector<float> row(columns.size());
  write_records(file, count, "splats", progress, [&](std::string& to, std::size_t i) {
    std::ranges::transform(columns, row.begin(), [i](const SplatColumn& column) {
      return static_cast<float>(column.at(i));
    });
    to.append(reinterpret_cast<const char*>(row.data()), sizeof(float) * row.size());
  });
  file.commit();
}

}  // namespace skde::io
