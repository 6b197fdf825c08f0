#include "io/points/splats/splat_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/points/columns/width_columns.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_formats.hpp"

namespace skde::io {
namespace {

/// Trained scenes of Gaussian splats have these columns and, but for 2DGS, scale_2.
bool is_splat_scene(const std::vector<std::string>& names) {
  return std::ranges::all_of(
      std::array{"scale_0", "scale_1", "rot_0", "rot_1", "rot_2", "rot_3", "opacity"},
      [&](const char* name) { return std::ranges::find(names, name) != names.end(); });
}

class SplatReader final : public ColumnReader {
 public:
  SplatReader(SplatCloud splats, const SelectedColumns& selected, std::uint64_t file_bytes)
      : ColumnReader(selected), splats_(std::move(splats)), file_bytes_(file_bytes) {
    const std::vector<SplatColumn> columns = splat_columns(splats_);
    for (const std::size_t column : selected.read()) columns_.push_back(columns[column]);
    set_rows(0, splats_.size());
  }

  std::uint64_t bytes_read() const override { return done() == 0 ? 0 : file_bytes_; }
  std::uint64_t bytes_total() const override { return file_bytes_; }

 private:
  void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) override {
    for (std::size_t row = 0; row < count; ++row)
      to[step * row] = columns_[i].at(static_cast<std::size_t>(done()) + row);
  }

  SplatCloud splats_;
  std::vector<SplatColumn> columns_;
  std::uint64_t file_bytes_;
};

}  // namespace

std::vector<SplatColumn> splat_columns(const SplatCloud& splats) {
  std::vector<SplatColumn> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back({std::string(1, "xyz"[axis]), splats.xyz.data() + axis, nullptr, 3});
  const auto add = [&](const char* name, const std::vector<float>& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      columns.push_back({fmt::format("{}_{}", name, i), nullptr, values.data() + i, count});
  };
  add("f_dc", splats.colours, 3);
  add("f_rest", splats.harmonics, 3 * splats.harmonics_each());
  columns.push_back({"opacity", nullptr, splats.opacities.data(), 1});
  add("scale", splats.log_scales, 3);
  add("rot", splats.rotations, 4);
  return columns;
}

void describe_splats(const ColumnSelection& wanted, const std::vector<std::string>& names,
                     SelectedColumns& selected) {
  if (is_splat(wanted.widths))
    selected.described.remark = fmt::format(
        "widths {}: splat scales and rotations, weighted by {}{}",
        wanted.widths_assumed ? "assumed" : "read",
        selected.described.weight->name == kOpacity ? "the sigmoid of their " : "their ",
        selected.described.weight->name);
  else if (!is_mixture(wanted.widths) && is_splat_scene(names))
    selected.described.remark =
        std::ranges::find(names, "scale_2") != names.end()
            ? "a scene of Gaussian splats, of which only the centres are read"
            : fmt::format("{}; only the centres are read", kOfTwoScales);
}

std::unique_ptr<PointReader> open_splats(BufferedSource source, const ColumnSelection& wanted) {
  const std::string name = source.name();
  const std::uint64_t bytes = source.size().value_or(0);
  SplatCloud splats = read_splats(std::move(source), wanted.most_bytes);
  FileColumns columns{name, {}, {}};
  for (const SplatColumn& column : splat_columns(splats)) columns.names.push_back(column.name);
  columns.numeric.assign(columns.names.size(), true);
  SelectedColumns selected = select_columns(wanted, columns);
  describe_splats(wanted, columns.names, selected);
  if (std::string& remark = selected.described.remark; !splats.note.empty())
    remark += (remark.empty() ? "" : "; ") + splats.note;
  auto reader = std::make_unique<SplatReader>(std::move(splats), selected, bytes);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
