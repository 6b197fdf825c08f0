// The sections of the scene's volume.
#include <limits>

#include "viewer/scene/section_maps.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

/// Fills a part of the target; OpenGL's rows grow upwards.
void fill(const gl::Framebuffer& target, const PixelRegion& part, glm::vec4 color) {
  glEnable(GL_SCISSOR_TEST);
  glScissor(part.corner.x, target.size().y - part.corner.y - part.size.y, part.size.x, part.size.y);
  glClearNamedFramebufferfv(target.id(), GL_COLOR, 0, &color.x);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

void ViewScene::draw_sections(const gl::Framebuffer& target,
                              const std::array<PixelRegion, 3>& parts, VolumeView& view,
                              const VolumeLook& look, const ViewState& state,
                              const FrameSettings& settings) const {
  const Vec3 at = state.sections.place(density_->grid());
  const glm::vec4 ground(settings.ground, 1);
  for (const SectionMap& map : section_maps(parts, settings.scale)) {
    fill(target, map.region, ground);
    view.draw_section(target, look,
                      {.axis = map.normal,
                       .at = at,
                       .smooth = state.sections.smooth,
                       .near = state.sections.near,
                       .transform = map.transform(target.size()),
                       .pixels_at_one = map.pixels,
                       .pixel_scale = settings.scale});
  }
}

SectionReading ViewScene::read_sections(const ViewState& state) {
  if (!density_) return {};
  const Grid& grid = density_->grid();
  const Vec3 at = state.sections.place(grid);
  const int version = volume_.bricks().version();
  if (sections_of_ == version && sections_.at == at) return sections_;
  sections_of_ = version;
  sections_ = {at};
  for (int axis = 0; axis < 3; ++axis)
    sections_.cell[static_cast<std::size_t>(axis)] = section_cell(grid, at, axis);
  const auto& [i, j, k] = sections_.cell;
  sections_.density = volume_.texture().value_at(grid.centre(i, j, k));
  return sections_;
}

std::optional<Vec3> ViewScene::flat_place_at(const ViewState& state, const ViewParts& parts,
                                             glm::dvec2 pixel, float scale) const {
  if (!density_) return std::nullopt;
  const Vec3 at = state.sections.place(density_->grid());
  for (const SectionMap& map : section_maps(parts.sections_at(pixel), scale)) {
    const auto [upper_left, lower_right] = map.corners();
    if (glm::all(glm::lessThanEqual(upper_left, pixel)) &&
        glm::all(glm::lessThanEqual(pixel, lower_right)))
      return map.to_world(pixel, at);
  }
  return std::nullopt;
}

std::optional<Vec3> ViewScene::plane_place_at(const ViewState& state, const PixelRegion& volume,
                                              glm::dvec2 pixel, float scale) const {
  const Box box = density_->grid().bounds();
  const SceneFrame& frame = volume_.frame();
  const Ray ray = volume_.perspective(state.camera, volume.size, label_room(volume.size, scale))
                      .ray(pixel - glm::dvec2(volume.corner));
  const Vec3 at = state.sections.place(density_->grid());
  const glm::dvec3 meet = frame.to_scene(at);
  std::optional<Vec3> first;
  double nearest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double distance = (meet[axis] - ray.origin[axis]) / ray.direction[axis];
    if (!(distance > 0) || !(distance < nearest)) continue;
    Vec3 place = frame.to_world(ray.origin + distance * ray.direction);
    place[axis] = at[axis];
    if (!box.holds(place) || !state.clip.keeps(place)) continue;
    nearest = distance;
    first = place;
  }
  return first;
}

}  // namespace skde::view
