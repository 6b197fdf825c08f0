// What the scene tells of places in its volume.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/read/cloud.hpp"
#include "pictures/picture_captions.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

/// Where the names of surfaces stand beside them (y downwards).
constexpr std::array<glm::dvec2, kMostSurfaces> kNameWays{
    {{0.6, -0.8}, {0.96, -0.28}, {0.96, 0.28}, {0.6, 0.8}}};

}  // namespace

std::optional<Vec3> ViewScene::place_at(const ViewState& state, const ViewParts& parts,
                                        glm::dvec2 pixel, float scale) {
  if (const auto flat = flat_place_at(state, parts, pixel, scale)) return flat;
  const PixelRegion& volume = parts.volume;
  if (!density_ || !volume_picture_ || !volume.holds(pixel) ||
      volume_picture_->size() != volume.size || ellipsoids_shown(state) == EllipsoidsShown::alone)
    return std::nullopt;
  if (state.sections.shown == SectionsShown::alone)
    return plane_place_at(state, volume, pixel, scale);
  return volume_.place_at(
      pixel - glm::dvec2(volume.corner), *volume_picture_,
      volume_.perspective(state.camera, volume.size, label_room(volume.size, scale)),
      look_of(state, *mass_profile_));
}

void ViewScene::name_surfaces(std::vector<SceneLabel>& labels, VolumeView& view,
                              const gl::Framebuffer& picture, const MassProfile& masses,
                              const ViewState& state, const FrameSettings& settings) const {
  const std::vector<MassRegion> regions = surfaces(state, masses);
  if (regions.empty() || !state.appearance.bar || state.sections.shown == SectionsShown::alone)
    return;
  const glm::ivec2 size = picture.size();
  const auto found = view.far_pixels(
      picture, view.perspective(state.camera, size, label_room(size, settings.scale)),
      look_of(state, masses), kNameWays);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (!found[i]) continue;
    // Beyond all surfaces, so that the text covers none.
    const glm::dvec2 way = kNameWays[i], beyond = found[i]->pixel + found[i]->beyond * way;
    labels.push_back({.pixel = beyond,
                      .text = fmt::format("{:.3g} %", 100 * regions[i].mass),
                      .color = settings.inks.strong,
                      .aside = way,
                      .elsewhere = {beyond},
                      .mark = found[i]->pixel});
  }
}

Vec3 ViewScene::peak_place() {
  const Volume volume = volume_.texture().read_back();
  const std::span<const float> values = volume.values<float>();
  std::size_t most = 0;
  double peak = -1;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) && double{values[i]} > peak) peak = values[most = i];
  const auto [nx, ny, nz] = volume.grid().dims;
  const auto cell = static_cast<std::int64_t>(most);
  return volume.grid().centre(cell % nx, cell / nx % ny, cell / (nx * ny));
}

ProbeReading ViewScene::read(Vec3 place) const {
  ProbeReading reading{place, volume_.texture().value_at(place)};
  reading.mass_above = mass_profile_->mass_above(reading.density);
  if (cloud()) find_nearest(cloud()->points, volume_.frame(), reading);
  return reading;
}

const std::vector<ProbeReading>& ViewScene::pin_readings(const ViewState& state) {
  const int version = volume_.bricks().version();
  const bool same =
      pins_of_ == version && std::ranges::equal(pins_, state.pins, {}, &ProbeReading::place);
  if (same || !density_) return pins_;
  pins_.clear();
  for (const Vec3& pin : state.pins) pins_.push_back(read(pin));
  pins_of_ = version;
  return pins_;
}

ProbeTexts ViewScene::probe_texts(const ViewState& state) const {
  ProbeTexts texts;
  texts.axes = axis_texts(state);
  if (!density_) return texts;
  texts.extent = density_->grid().bounds().extent();
  if (!texts.axes.units.empty()) {
    DensityMetadata described = density_->metadata;
    described.units = texts.axes.units;
    texts.density_unit = quantity_unit(described);
  }
  texts.rows =
      cloud() && cloud()->files.paths.size() == 1 && cloud()->counts.rows == cloud()->points.size();
  return texts;
}

std::vector<std::optional<glm::dvec2>> ViewScene::pin_pixels(const ViewState& state,
                                                             const PixelRegion& volume,
                                                             float scale) const {
  const Perspective perspective =
      volume_.perspective(state.camera, volume.size, label_room(volume.size, scale));
  std::vector<std::optional<glm::dvec2>> pixels;
  for (const Vec3& pin : state.pins) {
    const auto place = perspective.project(volume_.frame().to_scene(pin));
    pixels.push_back(place ? std::optional(glm::dvec2(*place)) : std::nullopt);
  }
  return pixels;
}

}  // namespace skde::view
