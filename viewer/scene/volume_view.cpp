#include "viewer/scene/volume_view.hpp"

#include <algorithm>

namespace skde::view {
namespace {

constexpr double kLabelRoom = 46, kLabelRoomShare = 0.12;  // pixels at scale 1; as a share of the
                                                           // width
constexpr glm::vec4 kNearSample{1, 1, 1, 1}, kNearRim{0.05F, 0.05F, 0.05F, 1};

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

std::vector<MassRegion> surfaces(const ViewState& state, const VolumeLayer& volume) {
  if (state.mode != RenderMode::isosurface) return {};
  return volume.regions(state.masses);
}

std::vector<MassRegion> named_regions(const ViewState& state, const VolumeLayer& volume) {
  const bool faint = state.mode == RenderMode::composite && state.transfer.follows_mass;
  return faint ? volume.regions(kFirstMasses) : surfaces(state, volume);
}

VolumeLook look_of(const ViewState& state, const VolumeLayer& volume) {
  constexpr std::size_t kColors = 1024;
  VolumeLook look;
  look.mode = state.mode;
  look.axis = state.transfer.axis;
  look.colors = state.transfer.table(kColors);
  look.gradient_shading = state.gradient_shading;
  look.isovalue = state.isovalue;
  look.quality = state.quality;
  look.clip = state.clip;
  for (const MassRegion& region : surfaces(state, volume)) look.surfaces.push_back(region.level);
  // Where the box holds less than all masses, no surface is drawn.
  if (look.surfaces.empty() && !state.masses.empty()) look.surfaces.push_back(2 * volume.peak());
  return look;
}

double label_room(glm::ivec2 viewport, double pixel_scale) {
  return std::min(kLabelRoom * pixel_scale, kLabelRoomShare * viewport.x);
}

double VolumeView::fitted_radius(glm::ivec2 viewport, double room) const {
  const double shorter = std::max(1, std::min(viewport.x, viewport.y));
  return frame_.radius() * std::max(1.0, shorter / std::max(1.0, viewport.x - 2 * room));
}

void VolumeView::upload(const Volume& values) {
  volume.upload(values);
  set_box(std::nullopt);
}

void VolumeView::set_box(const std::optional<Box>& bounds) {
  box_ = bounds;
  set_axes(axes_.stretched, axes_.flipped, axes_.factors);
}

void VolumeView::set_axes(bool stretched, std::array<bool, 3> flipped, glm::dvec3 factors) {
  axes_ = {stretched, flipped, factors};
  if (volume.texture() || box_) frame_ = SceneFrame(bounds(), stretched, flipped, factors);
}

void VolumeView::draw_behind(const gl::Framebuffer& target, const Perspective& perspective,
                             const SceneLines& lines, const VolumeLook& look,
                             const VolumeViewOptions& options) {
  const auto scale = static_cast<float>(options.pixel_scale);
  const glm::mat4 transform = perspective.transform();
  {
    const DrawState state;
    lines_.draw(lines.behind, transform, perspective.viewport(), scale);
  }
  const bool marked = marks.sample && marks.ellipsoid, cut = options.box && look.clip.is_on();
  if (options.ellipsoids == EllipsoidsShown::off && !options.points && !marked && !cut &&
      options.sections.shown == SectionsShown::off)
    return;
  target.draw_depths();
  const DrawState state(true, true);
  if (options.ellipsoids != EllipsoidsShown::off)
    ellipsoids.draw(frame_, perspective, look.clip, options.mass_colors);
  if (options.points) {
    const glm::vec4 ink = options.inks.line;
    points.draw(frame_, seen_by(perspective), look.clip, {ink, ink, 0, scale * glm::vec2(1.8F, 9)},
                volume.texture(), look);
  }
  draw_sections(perspective, look, options);
  if (cut)
    lines_.draw(clip_lines(look.clip, frame_, options.inks.mark), transform, perspective.viewport(),
                scale);
  if (marked)
    lines_.draw(ellipsoid_lines(*marks.sample, *marks.ellipsoid, frame_, options.inks.kernel),
                transform, perspective.viewport(), scale);
  lines_.draw(marks.lines, transform, perspective.viewport(), scale);
}

void VolumeView::draw_sections(const Perspective& perspective, const VolumeLook& look,
                               const VolumeViewOptions& options) {
  if (options.sections.shown == SectionsShown::off || !volume.texture()) return;
  const Vec3 at = options.sections.place(volume.texture().grid());
  // So that lines on a section are before it.
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 1);
  for (int axis = 0; axis < 3; ++axis)
    sections.draw(volume.texture(), frame_, look, axis, at, options.sections.smooth,
                  perspective.transform());
  glDisable(GL_POLYGON_OFFSET_FILL);
  Clip inside = look.clip;
  if (!inside.box) inside.box = volume.texture().grid().bounds();
  lines_.draw(section_lines(at, inside, frame_, options.inks.axes), perspective.transform(),
              perspective.viewport(), static_cast<float>(options.pixel_scale));
}

void VolumeView::draw_section(const gl::Framebuffer& target, const VolumeLook& look,
                              const FlatSection& section) {
  if (!volume.texture()) return;
  target.bind();
  const DrawState state;
  sections.draw(volume.texture(), frame_, look, section.axis, section.at, section.smooth,
                section.transform);
  if (!(section.near > 0)) return;
  Clip layer = look.clip;
  const Box bounds = volume.texture().grid().bounds();
  if (!layer.box) layer.box = bounds;
  const double reach = section.near * bounds.extent()[section.axis];
  double& low = layer.box->lower[section.axis];
  double& high = layer.box->upper[section.axis];
  low = std::max(low, section.at[section.axis] - reach);
  high = std::min(high, section.at[section.axis] + reach);
  points.draw(
      frame_, {section.transform, section.pixels_at_one}, layer,
      {kNearSample, kNearRim, 0.45F, static_cast<float>(section.pixel_scale) * glm::vec2(4, 9)},
      volume.texture(), look);
}

void VolumeView::draw_marks(const Perspective& perspective, const VolumeViewOptions& options) {
  const DrawState state;
  const auto scale = static_cast<float>(options.pixel_scale);
  if (marks.sample) points.discs().draw_picked(frame_.to_scene(*marks.sample), perspective, scale);
  const SamplesView& members = ellipsoids.members();
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
  const DrawState state;
  const glm::ivec2 size = perspective.viewport();
  if (!options.axes || !has_room_for_triad(size, options.pixel_scale)) return;
  const AxesTriad triad =
      axes_triad(perspective, options.pixel_scale, options.inks.axes, frame_, options.texts);
  for (const LineSegment& arm : triad.lines)
    drawn.lines.push_back({to_pixel(arm.from, size), to_pixel(arm.to, size)});
  lines_.draw(triad.lines, glm::mat4(1), perspective.viewport(), scale);
  drawn.labels.insert(drawn.labels.end(), triad.letters.begin(), triad.letters.end());
}

std::optional<Vec3> VolumeView::place_at(const ScenePart& part, glm::dvec2 pixel,
                                         const VolumeLook& look) {
  return volume.place_at({frame_, part.perspective, look, *picture_}, part.own(pixel));
}

void VolumeView::draw_part(const gl::Framebuffer& target, const PixelRegion& region,
                           const Camera& camera, const VolumeLook& look,
                           const VolumeViewOptions& options) {
  if (!picture_ || picture_->size() != region.size) picture_.emplace(region.size);
  draw(*picture_, camera, look, options);
  const int bottom =
      target.size().y - region.corner.y - region.size.y;  // OpenGL's rows grow upwards
  copies_.copy(picture_->color(), target.color(), {region.corner.x, bottom}, region.size);
}

void VolumeView::draw(const gl::Framebuffer& target, const Camera& camera, const VolumeLook& look,
                      const VolumeViewOptions& options) {
  drawn = {};
  copies_.fill(target.color(), glm::vec4(options.background, 1));
  target.clear_depths();
  target.bind();
  if (!volume.texture() && !box_) return;
  const Perspective perspective = this->perspective(
      camera, target.size(), options.box ? label_room(target.size(), options.pixel_scale) : 0);
  SceneLines lines;
  if (options.box && options.outline)
    lines = box_lines(bounds(), frame_, perspective, options.texts, options.inks.line,
                      options.pixel_scale);
  drawn = {lines.labels, on_picture(lines, perspective), lines.behind.size()};
  if (options.rear_only) lines.before.clear();
  draw_behind(target, perspective, lines, look, options);
  if (volume.texture() && options.ellipsoids != EllipsoidsShown::alone &&
      options.sections.shown != SectionsShown::alone)
    volume.draw({frame_, perspective, look, target}, options.march);
  draw_before(perspective, lines, options);
}

}  // namespace skde::view
