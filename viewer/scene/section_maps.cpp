#include "viewer/scene/section_maps.hpp"

#include <algorithm>

namespace skde::view {
namespace {

/// Pixels at scale 1 for ticks and captions, and their most as a share of the region.
constexpr double kLeft = 62, kRight = 16, kTop = 36, kBottom = 44, kMostShare = 0.25;

/// Axes to the right and upwards of the sections across x, y and z.
constexpr std::array<std::array<int, 2>, 3> kSectionAxes{{{1, 2}, {0, 2}, {0, 1}}};

}  // namespace

glm::dvec2 SectionMap::to_pixel(Vec3 world) const {
  const glm::dvec3 scene = frame.to_scene(world);
  return middle + pixels * glm::dvec2(scene[across], -scene[up]);
}

Vec3 SectionMap::to_world(glm::dvec2 pixel, Vec3 at) const {
  const glm::dvec2 off = (pixel - middle) / pixels;
  const glm::dvec3 half = frame.half();
  glm::dvec3 scene = frame.to_scene(at);
  scene[across] = std::clamp(off.x, -half[across], half[across]);
  scene[up] = std::clamp(-off.y, -half[up], half[up]);
  Vec3 world = frame.to_world(scene);
  world[normal] = at[normal];
  return world;
}

std::array<glm::dvec2, 2> SectionMap::corners() const {
  const glm::dvec2 half = pixels * glm::dvec2(frame.half()[across], frame.half()[up]);
  return {middle - half, middle + half};
}

glm::mat4 SectionMap::transform(glm::ivec2 picture) const {
  const glm::dvec2 size(picture);
  glm::dmat4 matrix(0);
  matrix[across][0] = 2 * pixels / size.x;
  matrix[up][1] = 2 * pixels / size.y;
  matrix[3] = {2 * middle.x / size.x - 1, 1 - 2 * middle.y / size.y, 0, 1};
  return glm::mat4(matrix);
}

std::array<SectionMap, 3> section_maps(const std::array<PixelRegion, 3>& regions,
                                       const SceneFrame& frame, float scale) {
  std::array<SectionMap, 3> maps;
  double pixels = 1e9;
  for (std::size_t i = 0; i < 3; ++i) {
    SectionMap& map = maps[i];
    map = {static_cast<int>(i), kSectionAxes[i][0], kSectionAxes[i][1], regions[i], frame};
    const glm::dvec2 size(regions[i].size), most = kMostShare * size;
    const glm::dvec2 before(std::min(kLeft * scale, most.x), std::min(kTop * scale, most.y));
    const glm::dvec2 after(std::min(kRight * scale, most.x), std::min(kBottom * scale, most.y));
    const glm::dvec2 room = size - before - after;
    map.middle = glm::dvec2(regions[i].corner) + before + 0.5 * room;
    const glm::dvec3 half = frame.half();
    pixels = std::min({pixels, 0.5 * room.x / half[map.across], 0.5 * room.y / half[map.up]});
  }
  for (SectionMap& map : maps) map.pixels = std::max(pixels, 1e-3);
  return maps;
}

}  // namespace skde::view
