#include "viewer/scene/view_parts.hpp"

#include <algorithm>
#include <cmath>

namespace skde::view {
namespace {

constexpr float kBarColumn = 112, kNarrowBar = 64;  // pixels at scale 1
constexpr int kColumnsForBar = 3;  // least width of volume and bar together, in bar widths
constexpr float kBorder = 8;       // where the mouse takes the line between the views, at scale 1

/// Gives a share of the region to the method, and the rest to the volume.
void divide(ViewParts& parts, const PixelRegion& region, double share) {
  parts.split = region.size.y > region.size.x ? 1 : 0;
  const int axis = parts.split;
  const int length = static_cast<int>(share * region.size[axis]);
  parts.method = region;
  parts.method.size[axis] = length;
  parts.volume.size[axis] -= length;
  PixelRegion& second = axis == 0 ? parts.volume : parts.method;
  second.corner[axis] += region.size[axis] - second.size[axis];
}

/// Puts the sections beside the volume as drawings of a thing seen from the front, from the right
/// and from above: across y above the one across z, and that across x at its right.
void add_sections(PixelRegion& volume, std::array<PixelRegion, 3>& sections) {
  const glm::ivec2 corner = volume.corner, size = volume.size, half = size / 2;
  sections[1] = {corner, half};
  sections[0] = {{corner.x + half.x, corner.y}, {size.x - half.x, half.y}};
  sections[2] = {{corner.x, corner.y + half.y}, {half.x, size.y - half.y}};
  volume = {corner + half, size - half};
}

/// Gives the other half of the volume's part to the density beside it.
void add_compared(ViewParts& parts) {
  const int axis = parts.volume.size.y > parts.volume.size.x ? 1 : 0;
  parts.compared = parts.volume;
  parts.volume.size[axis] /= 2;
  parts.compared.corner[axis] += parts.volume.size[axis];
  parts.compared.size[axis] -= parts.volume.size[axis];
}

/// Pixels at scale 1 for ticks and captions, and their most as a share of the region.
constexpr double kLeft = 62, kRight = 16, kTop = 36, kBottom = 44, kMostShare = 0.25;

/// Axes to the right and upwards of the sections across x, y and z.
constexpr std::array<std::array<int, 2>, 3> kSectionAxes{{{1, 2}, {0, 2}, {0, 1}}};

}  // namespace

ViewParts view_parts(const ViewState& state, const PixelRegion& region, float scale) {
  if (state.layout == ViewLayout::method) return {region, {}, {}};
  ViewParts parts{{}, region, {}};
  if (state.layout == ViewLayout::both) divide(parts, region, state.division.method);
  const int column = std::min(static_cast<int>(std::lround(kBarColumn * scale)),
                              parts.volume.size.x / kColumnsForBar);
  if (column >= static_cast<int>(kNarrowBar * scale)) {
    parts.volume.size.x -= column;
    parts.bar = {{parts.volume.corner.x + parts.volume.size.x, parts.volume.corner.y},
                 {column, parts.volume.size.y}};
  }
  if (!state.compare.with.empty() && state.compare.as == CompareAs::side) add_compared(parts);
  if (state.layout != ViewLayout::slices) return parts;
  add_sections(parts.volume, parts.sections);
  if (parts.compared.size.x > 0) add_sections(parts.compared, parts.compared_sections);
  return parts;
}

const std::array<PixelRegion, 3>& ViewParts::sections_at(glm::dvec2 pixel) const {
  const auto holds = [pixel](const PixelRegion& one) { return one.holds(pixel); };
  return std::ranges::any_of(compared_sections, holds) ? compared_sections : sections;
}

PixelRegion ViewParts::border(float scale) const {
  if (method.size.x == 0 || volume.size.x == 0) return {};
  const int wide = std::max(2, static_cast<int>(std::lround(kBorder * scale)));
  PixelRegion line = method;
  if (split == 0) line.corner.x += method.size.x;
  line.corner[split] -= wide / 2;
  line.size[split] = wide;
  return line;
}

double method_share_at(const ViewParts& parts, const PixelRegion& region, glm::dvec2 pixel) {
  const double share =
      (pixel[parts.split] - region.corner[parts.split]) / std::max(region.size[parts.split], 1);
  return parts.split == 0 ? share : 1 - share;
}

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
