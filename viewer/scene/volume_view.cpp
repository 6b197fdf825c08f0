#include "viewer/scene/volume_view.hpp"

#include <algorithm>

#include "viewer/layers/space/clip_outline.hpp"

namespace skde::view {
namespace {

constexpr double kLabelRoom = 46, kLabelRoomShare = 0.12;  // pixels at scale 1; as a share of the
                                                           // width
constexpr glm::vec4 kNearSample{1, 1, 1, 1}, kNearRim{0.05F, 0.05F, 0.05F, 1};

/// Sets blending and depth tests; resets them in the destructor.
class DrawState {
 public:
  DrawState(bool tests_depth, bool writes_depth) {
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(writes_depth ? GL_TRUE : GL_FALSE);
    if (tests_depth)
      glEnable(GL_DEPTH_TEST);
    else
      glDisable(GL_DEPTH_TEST);
  }
  ~DrawState() {
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
  }
  DrawState(const DrawState&) = delete;
  DrawState& operator=(const DrawState&) = delete;
};

std::vector<PixelLine> on_picture(const SceneLines& lines, const Perspective& perspective) {
  std::vector<PixelLine> found;
  for (const auto* segments : {&lines.behind, &lines.before})
    for (const LineSegment& segment : *segments) {
      const auto from = perspective.project(segment.from), to = perspective.project(segment.to);
      if (from && to) found.push_back({glm::dvec2(*from), glm::dvec2(*to)});
    }
  return found;
}

/// Converts clip coordinates to pixels.
glm::dvec2 to_pixel(glm::vec3 clip, glm::ivec2 size) {
  return {0.5 * (1.0 + clip.x) * size.x, 0.5 * (1.0 - clip.y) * size.y};
}

}  // namespace

double label_room(glm::ivec2 viewport, double pixel_scale) {
  return std::min(kLabelRoom * pixel_scale, kLabelRoomShare * viewport.x);
}

double VolumeView::fitted_radius(glm::ivec2 viewport, double room) const {
  const double shorter = std::max(1, std::min(viewport.x, viewport.y));
  return frame_.radius() * std::max(1.0, shorter / std::max(1.0, viewport.x - 2 * room));
}

void VolumeView::upload(const Volume& volume) {
  volume_.upload(volume);
  bricks_.update(volume_);
  volume_changed();
}

void VolumeView::volume_changed() {
  box_.reset();
  frame_ = SceneFrame(bounds(), stretched_, flipped_, factors_);
}

void VolumeView::set_box(const std::optional<Box>& bounds) {
  box_ = bounds;
  if (box_) frame_ = SceneFrame(*box_, stretched_, flipped_, factors_);
}

void VolumeView::set_axes(bool stretched, std::array<bool, 3> flipped, glm::dvec3 factors) {
  factors_ = factors;
  stretched_ = stretched;
  flipped_ = flipped;
  if (volume_ || box_) frame_ = SceneFrame(bounds(), stretched_, flipped_, factors_);
}

void VolumeView::draw_behind(const gl::Framebuffer& target, const Perspective& perspective,
                             const SceneLines& lines, const VolumeLook& look,
                             const VolumeViewOptions& options) {
  const auto scale = static_cast<float>(options.pixel_scale);
  const glm::mat4 transform = perspective.transform();
  {
    const DrawState state(false, false);
    lines_.draw(lines.behind, transform, perspective.viewport(), scale);
  }
  const bool marked = picked_ && ellipsoid_, cut = options.box && look.clip.is_on();
  if (options.ellipsoids == EllipsoidsShown::off && !options.points && !marked && !cut &&
      options.sections.shown == SectionsShown::off)
    return;
  target.draw_depths();
  const DrawState state(true, true);
  if (options.ellipsoids != EllipsoidsShown::off)
    ellipsoids_.draw(frame_, perspective, look.clip, options.mass_colors);
  if (options.points) {
    const glm::vec4 ink = options.inks.line;
    draw_points(seen_by(perspective), look.clip, look, {ink, ink, 0, scale * glm::vec2(1.8F, 9)});
  }
  draw_sections(perspective, look, options);
  if (cut)
    lines_.draw(clip_lines(look.clip, frame_, options.inks.mark), transform, perspective.viewport(),
                scale);
  if (marked)
    lines_.draw(ellipsoid_lines(*picked_, *ellipsoid_, frame_, options.inks.kernel), transform,
                perspective.viewport(), scale);
  lines_.draw(inner_lines_, transform, perspective.viewport(), scale);
}

void VolumeView::draw_sections(const Perspective& perspective, const VolumeLook& look,
                               const VolumeViewOptions& options) {
  if (options.sections.shown == SectionsShown::off || !shows_volume()) return;
  const Vec3 at = options.sections.place(volume_.grid());
  // So that lines on a section are before it.
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 1);
  for (int axis = 0; axis < 3; ++axis)
    planes_.draw(volume_, frame_, look, axis, at, options.sections.smooth, perspective.transform());
  glDisable(GL_POLYGON_OFFSET_FILL);
  Clip inside = look.clip;
  if (!inside.box) inside.box = volume_.grid().bounds();
  lines_.draw(section_lines(at, inside, frame_, options.inks.axes), perspective.transform(),
              perspective.viewport(), static_cast<float>(options.pixel_scale));
}

void VolumeView::draw_section(const gl::Framebuffer& target, const VolumeLook& look,
                              const FlatSection& section) {
  if (!shows_volume()) return;
  target.bind();
  const DrawState state(false, false);
  planes_.draw(volume_, frame_, look, section.axis, section.at, section.smooth, section.transform);
  if (!(section.near > 0)) return;
  Clip layer = look.clip;
  const Box bounds = volume_.grid().bounds();
  if (!layer.box) layer.box = bounds;
  const double reach = section.near * bounds.extent()[section.axis];
  double& low = layer.box->lower[section.axis];
  double& high = layer.box->upper[section.axis];
  low = std::max(low, section.at[section.axis] - reach);
  high = std::min(high, section.at[section.axis] + reach);
  draw_points(
      {section.transform, section.pixels_at_one}, layer, look,
      {kNearSample, kNearRim, 0.45F, static_cast<float>(section.pixel_scale) * glm::vec2(4, 9)});
}

void VolumeView::draw_points(const PointProjection& projection, const Clip& clip,
                             const VolumeLook& look, PointStyle style) {
  style.size = static_cast<float>(point_size_);
  style.colors_by_density = by_density_ && shows_volume();
  style.sizes_by_density = sizes_by_density_ && shows_volume();
  point_colors_.update(look);
  const DensityColors density{volume_, point_colors_};
  const bool told = style.colors_by_density || style.sizes_by_density;
  points_.draw(frame_, projection, clip, style, told ? &density : nullptr);
}

void VolumeView::draw_marks(const Perspective& perspective, const VolumeViewOptions& options) {
  const DrawState state(false, false);
  const auto scale = static_cast<float>(options.pixel_scale);
  if (picked_) points_.draw_picked(frame_.to_scene(*picked_), perspective, scale);
  const SamplesView& members = ellipsoids_.members();
  if (!options.member || *options.member >= members.size()) return;
  const Symmetric3 covariance = members.shape(*options.member);
  if (!is_positive_definite(covariance)) return;  // a flat splat
  lines_.draw(
      ellipsoid_lines(members.point(*options.member), covariance, frame_, options.inks.member),
      perspective.transform(), perspective.viewport(), scale);
}

void VolumeView::draw_before(const Perspective& perspective, const SceneLines& lines,
                             const VolumeViewOptions& options) {
  const auto scale = static_cast<float>(options.pixel_scale);
  {
    const DrawState state(true, false);
    lines_.draw(lines.before, perspective.transform(), perspective.viewport(), scale);
  }
  draw_marks(perspective, options);
  const DrawState state(false, false);
  const glm::ivec2 size = perspective.viewport();
  if (!options.axes || !has_room_for_triad(size, options.pixel_scale)) return;
  const AxesTriad triad =
      axes_triad(perspective, options.pixel_scale, options.inks.axes, frame_, options.texts);
  for (const LineSegment& arm : triad.lines)
    pixel_lines_.push_back({to_pixel(arm.from, size), to_pixel(arm.to, size)});
  lines_.draw(triad.lines, glm::mat4(1), perspective.viewport(), scale);
  labels_.insert(labels_.end(), triad.letters.begin(), triad.letters.end());
}

std::optional<Vec3> VolumeView::place_at(glm::dvec2 pixel, const gl::Framebuffer& target,
                                         const Perspective& perspective, const VolumeLook& look) {
  if (!shows_volume()) return std::nullopt;
  const auto found = raymarcher_.place_at(volume_, frame_, perspective, look, target, pixel);
  if (!found) return std::nullopt;
  const Box box = volume_.grid().bounds();
  const Vec3 extent = box.extent();
  return Vec3{box.lower.x + found->x * extent.x, box.lower.y + found->y * extent.y,
              box.lower.z + found->z * extent.z};
}

void VolumeView::draw(const gl::Framebuffer& target, const Camera& camera, const VolumeLook& look,
                      const VolumeViewOptions& options) {
  labels_.clear();
  pixel_lines_.clear();
  copies_.fill(target.color(), glm::vec4(options.background, 1));
  target.clear_depths();
  target.bind();
  if (!volume_ && !box_) return;
  const Perspective perspective = this->perspective(
      camera, target.size(), options.box ? label_room(target.size(), options.pixel_scale) : 0);
  SceneLines lines;
  if (options.box && options.outline)
    lines = box_lines(bounds(), frame_, perspective, options.texts, options.inks.line,
                      options.pixel_scale);
  labels_ = lines.labels;
  pixel_lines_ = on_picture(lines, perspective);
  rear_lines_ = lines.behind.size();
  if (options.rear_only) lines.before.clear();
  draw_behind(target, perspective, lines, look, options);
  if (shows_volume() && options.ellipsoids != EllipsoidsShown::alone &&
      options.sections.shown != SectionsShown::alone) {
    raymarcher_.march(volume_, bricks_, frame_, perspective, look, options.march, target);
    raymarcher_.draw_over(target);
  }
  draw_before(perspective, lines, options);
}

}  // namespace skde::view
