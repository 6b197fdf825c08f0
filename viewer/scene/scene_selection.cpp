// Samples that are selected by an outline on the picture.
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>

#include "estimate/read/cloud.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {

OutlinedPlaces ViewScene::outlined(const ViewState& state, const PixelRegion& volume,
                                   std::span<const glm::dvec2> pixels, float scale) const {
  const Perspective perspective =
      volume_.perspective(state.camera, volume.size, label_room(volume.size, scale));
  const SceneFrame& frame = volume_.frame();
  const glm::dvec3 middle = frame.to_scene({0, 0, 0});
  const glm::dmat4 to_clip = perspective.projection() * perspective.view() *
                             glm::translate(glm::dmat4(1), middle) *
                             glm::scale(glm::dmat4(1), 1.0 / frame.unit());
  OutlinedPlaces places;
  for (int column = 0; column < 4; ++column) {
    const glm::dvec4 v = to_clip[column];
    const auto i = static_cast<std::size_t>(column);
    // From -1..1 upwards to shares of the picture downwards.
    places.to_picture[i] = 0.5 * (v.w + v.x);
    places.to_picture[4 + i] = 0.5 * (v.w - v.y);
    places.to_picture[8 + i] = v.w;
  }
  for (const glm::dvec2& pixel : pixels) {
    const glm::dvec2 share = (pixel - glm::dvec2(volume.corner)) / glm::dvec2(volume.size);
    places.outline.push_back({share.x, share.y});
  }
  return places;
}

std::vector<glm::dvec2> ViewScene::selection_pixels(const ViewState& state,
                                                    const PixelRegion& volume, float scale) const {
  std::vector<glm::dvec2> pixels;
  if (grid() == nullptr || !state.selection ||
      outlined(state, volume, {}, scale).to_picture != state.selection->to_picture)
    return pixels;  // the view has turned, or there is no outline
  for (const auto& [x, y] : state.selection->outline)
    pixels.push_back(glm::dvec2(volume.corner) + glm::dvec2(x, y) * glm::dvec2(volume.size));
  return pixels;
}

SelectionFacts ViewScene::selection_facts(const ViewState& state) {
  if (!cloud() || !state.selection) return {};
  SelectionMade wanted{cloud(), points(), *state.selection, state.clip};
  if (selection_made_ == wanted) return selected_;
  selection_made_ = std::move(wanted);
  selected_ = {};
  const SamplesView all = cloud()->points;
  const std::size_t shown = points() ? points()->samples.size() : all.size();
  double mass = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t sample = points() ? points()->samples[i] : i;
    const Vec3 place = all.point(sample);
    if (!state.selection->holds(place) || !state.clip.keeps(place)) continue;
    ++selected_.samples;
    mass += all.weight(sample);
  }
  selected_.share = mass / cloud()->moments.total_weight();
  return selected_;
}

}  // namespace skde::view
