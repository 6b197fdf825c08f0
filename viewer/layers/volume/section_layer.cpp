#include "viewer/layers/volume/section_layer.hpp"

#include <limits>

namespace skde::view {

void SectionLayer::draw(const VolumeTexture& volume, const SceneFrame& frame,
                        const VolumeLook& look, int axis, Vec3 at, bool smooth,
                        const glm::mat4& transform) {
  const Grid& grid = volume.grid();
  const auto cells = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
  const double layer = (at[axis] - grid.lower[axis]) / (grid.spacing[axis] * cells);
  const double middle = (static_cast<double>(section_cell(grid, at, axis)) + 0.5) / cells;
  colors_.update(look);
  colors_.set_axis(program_, volume.unit());
  set_clip(program_, look.clip, frame);
  program_.set("transform", transform);
  program_.set("box_half", glm::vec3(frame.signed_half()));
  program_.set("axis", axis);
  program_.set("layer", static_cast<float>(layer));
  // Rounding must not lead to the next cell.
  program_.set("read_layer", static_cast<float>(smooth ? layer : middle));
  program_.set("interpolated", smooth ? 1 : 0);
  program_.use();
  volume.texture().bind(0);
  colors_.texture().bind(1);
  no_vertices_.bind();
  glDrawArrays(GL_TRIANGLES, 0, 6);
}

const SectionReading& SectionLayer::read(const VolumeLayer& volume, const Grid& grid, Vec3 at) {
  if (reading_of_ == volume.version() && reading_.at == at) return reading_;
  reading_of_ = volume.version();
  reading_ = {at};
  for (int axis = 0; axis < 3; ++axis)
    reading_.cell[static_cast<std::size_t>(axis)] = section_cell(grid, at, axis);
  const auto& [i, j, k] = reading_.cell;
  reading_.density = volume.texture().value_at(grid.centre(i, j, k));
  return reading_;
}

std::optional<Vec3> section_place_at(const ScenePart& part, glm::dvec2 pixel, const Box& box,
                                     Vec3 at, const Clip& clip) {
  const Ray ray = part.perspective.ray(part.own(pixel));
  const glm::dvec3 meet = part.frame.to_scene(at);
  std::optional<Vec3> first;
  double nearest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double distance = (meet[axis] - ray.origin[axis]) / ray.direction[axis];
    if (!(distance > 0) || !(distance < nearest)) continue;
    Vec3 place = part.frame.to_world(ray.origin + distance * ray.direction);
    place[axis] = at[axis];
    if (!box.holds(place) || !clip.keeps(place)) continue;
    nearest = distance;
    first = place;
  }
  return first;
}

}  // namespace skde::view
