#include "viewer/layers/volume/skip_map.hpp"

#include <utility>

namespace skde::view {
namespace {

void dispatch(glm::ivec3 bricks) {
  constexpr int kGroupBricks = 4;  // along each side; must match the shaders
  gl::dispatch(bricks, glm::ivec3(kGroupBricks),
               GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

/// Returns what a brick must exceed, for isosurfaces reach from below: see brick_occupancy.comp.
glm::vec4 thresholds_of(const VolumeLook& look, double unit) {
  if (look.mode != RenderMode::isosurface)
    return glm::vec4(static_cast<float>(look.axis.low / unit));
  if (look.surfaces.empty())
    return glm::vec4(static_cast<float>(look.axis.value_at(look.isovalue) / unit));
  glm::vec4 thresholds(static_cast<float>(look.surfaces.front() / unit));
  for (std::size_t i = 0; i < look.surfaces.size(); ++i)
    thresholds[static_cast<int>(i)] = static_cast<float>(look.surfaces[i] / unit);
  return thresholds;
}

}  // namespace

void SkipMap::resize(glm::ivec3 bricks) {
  if (distances_ && distances_.size() == bricks) return;
  for (gl::Texture* texture : {&distances_, &other_}) {
    *texture = gl::Texture(GL_R8UI, bricks);
    texture->filter(GL_NEAREST);
  }
}

void SkipMap::clear(const BrickGrid& bricks) {
  resize(bricks.bricks());
  state_ = {};
  glClearTexImage(distances_.id(), 0, GL_RED_INTEGER, GL_UNSIGNED_BYTE, nullptr);
}

void SkipMap::update(const BrickGrid& bricks, const LookTexture& colors, const VolumeLook& look,
                     double unit, double brick_layers) {
  const State state{bricks.version(), look.mode,   look.isovalue, look.surfaces,
                    look.axis,        look.colors, brick_layers};
  if (state == state_) return;
  state_ = state;
  resize(bricks.bricks());
  occupancy_program_.use();
  occupancy_program_.set("mode", static_cast<int>(look.mode));
  occupancy_program_.set("thresholds", thresholds_of(look, unit));
  occupancy_program_.set("brick_layers", static_cast<float>(brick_layers));
  colors.set_axis(occupancy_program_, unit);
  bricks.ranges().bind(0);
  colors.sums_before().bind_storage(0);
  distances_.bind_image(0, GL_WRITE_ONLY);
  dispatch(bricks.bricks());

  distance_program_.use();
  for (const glm::ivec3 axis : {glm::ivec3(1, 0, 0), glm::ivec3(0, 1, 0), glm::ivec3(0, 0, 1)}) {
    distance_program_.set("axis", axis);
    distances_.bind(0);
    other_.bind_image(0, GL_WRITE_ONLY);
    dispatch(bricks.bricks());
    std::swap(distances_, other_);
  }
}

}  // namespace skde::view
