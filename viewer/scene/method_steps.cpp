#include "viewer/scene/method_steps.hpp"

#include <algorithm>

#include "estimate/read/cloud.hpp"
#include "viewer/layers/method/method_geometry.hpp"

namespace skde::view {

void step_method(ViewState& state, ViewScene& scene) {
  if (!scene.has_density() || !scene.cloud() || scene.cloud()->points.size() == 0) return;
  const IndexRange now = scene.reached_slices(state);
  if (!now.empty() && state.slice < now.end - 1) {
    state.slice = std::max<std::int64_t>(state.slice + 1, now.begin);
    return;
  }
  state.sample = (state.sample + 1) % static_cast<std::int64_t>(scene.cloud()->points.size());
  const IndexRange next = scene.reached_slices(state);
  state.slice = next.empty() ? -1 : next.begin;
}

std::vector<LineSegment> slice_marks(const SampleSlices& slices, const MethodLook& look,
                                     const Grid& grid, const SceneFrame& frame) {
  std::vector<LineSegment> lines;
  if (slices.slices.empty()) return lines;
  const SampleSlice& slice = slices.slices[chosen_slice(slices, look)];
  const glm::vec4 color(kDarkMethod.chosen, 1);
  const auto place = [&](glm::dvec3 cell) {
    const Vec3 d = grid.spacing;
    return glm::vec3(frame.to_scene(
        {grid.lower.x + cell.x * d.x, grid.lower.y + cell.y * d.y, grid.lower.z + cell.z * d.z}));
  };
  const auto add = [&](const std::vector<glm::dvec3>& cells) {
    for (std::size_t k = 1; k < cells.size(); ++k)
      lines.push_back({place(cells[k - 1]), 2.5F, place(cells[k]), color});
  };
  const double z = slice.z + 0.5;
  const GridRange& r = slice.range;
  if (r.cells() > 0)
    add({{r.x.begin, r.y.begin, z},
         {r.x.end, r.y.begin, z},
         {r.x.end, r.y.end, z},
         {r.x.begin, r.y.end, z},
         {r.x.begin, r.y.begin, z}});
  add(cut_ellipse(slices, z));
  return lines;
}

}  // namespace skde::view
