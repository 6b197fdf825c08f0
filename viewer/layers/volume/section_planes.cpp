#include "viewer/layers/volume/section_planes.hpp"

namespace skde::view {

void SectionPlanes::draw(const VolumeTexture& volume, const SceneFrame& frame,
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

}  // namespace skde::view
