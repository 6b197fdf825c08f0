#include "io/points/splats/splat_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "io/points/columns/width_columns.hpp"

namespace skde::io {
namespace {

/// Trained scenes of Gaussian splats have these columns and, but for 2DGS, scale_2.
bool is_splat_scene(const std::vector<std::string>& names) {
  return std::ranges::all_of(
      std::array{"scale_0", "scale_1", "rot_0", "rot_1", "rot_2", "rot_3", "opacity"},
      [&](const char* name) { return std::ranges::find(names, name) != names.end(); });
}

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

}  // namespace skde::io
