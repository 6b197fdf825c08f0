#include "viewer/layers/volume/raymarcher.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace skde::view {
namespace {

constexpr double kLayersOfDiagonal = 100;  // see VolumeLook::colors
/// Of nested surfaces as seen at a right angle, the innermost first.
constexpr std::array<float, kMostSurfaces> kSurfaceOpacities{0.85F, 0.4F, 0.2F, 0.12F};
constexpr int kGroupSide = 8;     // must match ray_march.glsl
constexpr int kRaysApart = 4;     // must match far_pixels.comp
constexpr int kOverlaySide = 16;  // must match overlay.comp

glm::ivec2 picture_size(glm::ivec2 target, double resolution) {
  return glm::max(glm::ivec2(glm::round(glm::dvec2(target) * resolution)), glm::ivec2(1));
}

/// Sets the levels of nested surfaces and their colours, the lowest density first. Inner surfaces
/// are more opaque than those around them.
void set_surfaces(const gl::ShaderProgram& program, const VolumeLook& look, double unit) {
  std::vector<double> levels = look.surfaces;
  std::ranges::sort(levels);
  glm::vec4 values(std::numeric_limits<float>::max());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const float opacity = levels.size() == 1 ? 1 : kSurfaceOpacities[levels.size() - 1 - i];
    values[static_cast<int>(i)] = static_cast<float>(levels[i] / unit);
    program.set(
        fmt::format("surface_colors[{}]", i).c_str(),
        glm::vec4(glm::vec3(color_at(look.colors, look.axis.share_of(levels[i]))), opacity));
  }
  program.set("levels", values);
}

double layer_thickness(const SceneFrame& frame) { return 2 * frame.radius() / kLayersOfDiagonal; }

/// Returns the diagonal of a brick, in layers.
double brick_layers(const SceneFrame& frame, glm::ivec3 dims) {
  const glm::dvec3 cell = 2.0 * frame.half() / glm::dvec3(dims);
  return BrickGrid::kBrickCells * glm::length(cell) / layer_thickness(frame);
}

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

const gl::ShaderProgram& Raymarcher::prepared_program(const VolumeLook& look, double unit) {
  const bool nested = look.mode == RenderMode::isosurface && !look.surfaces.empty();
  const gl::ShaderProgram& program = nested                                ? marches_.nested
                                     : look.mode == RenderMode::maximum    ? marches_.maximum
                                     : look.mode == RenderMode::isosurface ? marches_.isosurface
                                     : look.gradient_shading               ? marches_.shaded
                                                                           : marches_.composite;
  if (nested) set_surfaces(program, look, unit);
  colors_.set_axis(program, unit);
  program.set("lowest", static_cast<float>(look.axis.low / unit));
  program.set("highest", static_cast<float>(look.axis.high / unit));
  program.set("isovalue", static_cast<float>(look.axis.value_at(look.isovalue) / unit));
  program.set("surface_color", glm::vec3(color_at(look.colors, look.isovalue)));
  return program;
}

void Raymarcher::prepare(const gl::ShaderProgram& program, const VolumeTexture& volume,
                         const MarchView& view) const {
  set_rays(program, view.perspective);
  program.set("box_half", glm::vec3(view.frame.signed_half()));
  program.set("dims", glm::vec3(volume.dims()));
  program.set("has_means", volume.has_means() ? 1 : 0);
  program.set("samples_per_cell", static_cast<float>(view.look.quality));
  program.set("jittered", view.look.jitter ? 1 : 0);
  program.set("layer", static_cast<float>(layer_thickness(view.frame)));
  set_clip(program, view.look.clip, view.frame);
  program.use();
  volume.texture().bind(0);
  skip_map_.distances().bind(1);
  view.target.depth().bind(2);
  picture_.bind_image(0, GL_WRITE_ONLY);
}

void Raymarcher::march(const VolumeTexture& volume, const BrickGrid& bricks, const MarchView& view,
                       const MarchOptions& options) {
  const VolumeLook& look = view.look;
  const glm::ivec2 size = picture_size(view.target.size(), options.resolution);
  if (!picture_ || glm::ivec2(picture_.size()) != size) picture_ = gl::Texture(GL_RGBA8, size);
  colors_.update(look);
  if (options.skip_empty)
    skip_map_.update(bricks, colors_, look, volume.unit(), brick_layers(view.frame, volume.dims()));
  else
    skip_map_.clear(bricks);

  const gl::ShaderProgram& program = prepared_program(look, volume.unit());
  prepare(program, volume, view);
  colors_.texture().bind(3);
  bricks.ranges().bind(4);
  if (volume.has_means()) volume.means().bind(5);
  timer_.begin();
  gl::dispatch({size, 1}, glm::ivec3(kGroupSide), GL_TEXTURE_FETCH_BARRIER_BIT);
  timer_.end();
}

std::optional<glm::dvec3> Raymarcher::place_at(const VolumeTexture& volume, const MarchView& view,
                                               glm::dvec2 pixel) {
  if (!picture_) return std::nullopt;
  const VolumeLook& look = view.look;
  const glm::ivec2 size = picture_.size();
  glm::dvec2 share = pixel / glm::dvec2(view.target.size());
  share.y = 1 - share.y;
  double level = look.axis.value_at(look.isovalue);
  if (!look.surfaces.empty()) level = std::ranges::min(look.surfaces);
  probe_.set("at_surface", look.mode == RenderMode::isosurface ? 1 : 0);
  probe_.set("level", static_cast<float>(level / volume.unit()));
  probe_.set("probed", glm::clamp(glm::ivec2(share * glm::dvec2(size)), glm::ivec2(0), size - 1));
  prepare(probe_, volume, view);
  glm::vec4 found(0);
  found_.assign(std::span<const glm::vec4>(&found, 1));
  found_.bind_storage(0);
  gl::dispatch({1, 1, 1}, glm::ivec3(kGroupSide), GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetNamedBufferSubData(found_.id(), 0, sizeof found, &found);
  if (!(found.w > 0)) return std::nullopt;
  return glm::clamp(glm::dvec3(found), glm::dvec3(0), glm::dvec3(1));
}

std::vector<std::optional<FarPixel>> Raymarcher::far_pixels(const VolumeTexture& volume,
                                                            const MarchView& view,
                                                            std::span<const glm::dvec2> ways) {
  const std::vector<double>& surfaces = view.look.surfaces;
  const auto in_unit = [&](double level) { return static_cast<float>(level / volume.unit()); };
  glm::vec4 levels(std::numeric_limits<float>::max());
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    levels[static_cast<int>(i)] = in_unit(surfaces[i]);
    far_pixels_.set(fmt::format("ways[{}]", i).c_str(), glm::vec2(ways[i].x, -ways[i].y));
  }
  far_pixels_.set("levels", levels);
  far_pixels_.set("lowest", in_unit(std::ranges::min(surfaces)));
  prepare(far_pixels_, volume, view);
  std::array<GLuint, 2 * kMostSurfaces> keys{};
  found_.assign(std::span<const GLuint>(keys));
  found_.bind_storage(0);
  gl::dispatch(picture_.size(), glm::ivec3(kRaysApart * kGroupSide), GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetNamedBufferSubData(found_.id(), 0, sizeof keys, keys.data());
  std::vector<std::optional<FarPixel>> found(surfaces.size());
  const glm::dvec2 size(view.target.size());
  const double half = 0.5 * glm::length(size);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (keys[i] == 0) continue;
    const glm::dvec2 way = ways[i], across{way.y, -way.x};  // y downwards
    const glm::dvec2 own = half * (2.0 * glm::dvec2(glm::unpackUnorm2x16(keys[i])) - 1.0);
    const double furthest = glm::unpackUnorm2x16(keys[i + kMostSurfaces]).y;
    found[i] = {0.5 * size + own.y * way + own.x * across, half * (2 * furthest - 1) - own.y};
  }
  return found;
}

void Raymarcher::draw_over(const gl::Framebuffer& target) const {
  overlay_.use();
  picture_.bind(0);
  target.color().bind_image(0, GL_READ_WRITE);
  gl::dispatch({target.size(), 1}, glm::ivec3(kOverlaySide),
               GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
}

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
