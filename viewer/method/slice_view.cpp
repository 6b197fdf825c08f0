#include "viewer/method/slice_view.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "viewer/scene/scene_overlay.hpp"

namespace skde::view {
namespace {

constexpr glm::vec4 kOutline{0.96F, 0.97F, 0.98F, 1};
constexpr glm::vec4 kSampleDot{0.92F, 0.26F, 0.30F, 1};
constexpr glm::vec4 kBoxEdges{0.27F, 0.29F, 0.32F, 1};

/// Restricts drawing to a region of the target during its lifetime; clears the region first.
class RegionDrawing {
 public:
  RegionDrawing(const gl::Framebuffer& target, const PixelRegion& region) {
    target.bind();
    const int lower = target.size().y - region.corner.y - region.size.y;
    glViewport(region.corner.x, lower, region.size.x, region.size.y);
    glScissor(region.corner.x, lower, region.size.x, region.size.y);
    glEnable(GL_SCISSOR_TEST);
    const glm::vec4 background(kMethodBackground, 1);
    glClearNamedFramebufferfv(target.id(), GL_COLOR, 0, &background.x);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_DEPTH_CLAMP);  // the grid may reach far beyond the stack
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  }
  RegionDrawing(const RegionDrawing&) = delete;
  RegionDrawing& operator=(const RegionDrawing&) = delete;
  ~RegionDrawing() {
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_CLAMP);
    glDisable(GL_SCISSOR_TEST);
  }
};

/// Returns the opacity of a sheet with which `sheets` overlapping ones have the opacity `total`.
float thinned(double total, double sheets) {
  return static_cast<float>(1 - std::pow(1 - total, 1 / std::max(1.0, sheets)));
}

SheetOpacity opacity_in_stack(std::int64_t sheets) {
  const auto n = static_cast<double>(sheets);
  return {thinned(0.95, n / 4), thinned(0.5, n / 4), thinned(0.3, n), thinned(0.95, n / 8)};
}

using Lines = std::vector<LineSegment>;

void add_curve(Lines& to, const std::vector<glm::dvec3>& points, float width, glm::vec4 color) {
  for (std::size_t k = 1; k < points.size(); ++k)
    to.push_back({points[k - 1], width, points[k], color});
}

void add_box(Lines& to, glm::dvec3 size, glm::vec4 color) {
  for (int axis = 0; axis < 3; ++axis)
    for (int edge = 0; edge < 4; ++edge) {
      glm::dvec3 from(0), along(0);
      along[axis] = size[axis];
      from[(axis + 1) % 3] = (edge & 1) != 0 ? size[(axis + 1) % 3] : 0;
      from[(axis + 2) % 3] = (edge & 2) != 0 ? size[(axis + 2) % 3] : 0;
      to.push_back({from, 1, from + along, color});
    }
}

/// Returns rings around a pixel of a picture, in clip coordinates: the mark of the sample.
Lines mark_at(glm::dvec2 pixel, glm::ivec2 picture, float size) {
  constexpr int kSides = 20;
  const glm::dvec2 scale = 2.0 / glm::dvec2(picture);
  const glm::dvec2 centre = {pixel.x * scale.x - 1, 1 - pixel.y * scale.y};
  Lines lines;
  if (!(std::abs(centre.x) < 1.5 && std::abs(centre.y) < 1.5)) return lines;
  const auto ring = [&](double radius, float width, glm::vec4 color) {
    std::vector<glm::dvec3> points;
    for (int k = 0; k <= kSides; ++k) {
      const double angle = 2 * std::numbers::pi * k / kSides;
      const glm::dvec2 offset = radius * size * glm::dvec2(std::cos(angle), std::sin(angle));
      points.emplace_back(centre + offset * scale, 0);
    }
    add_curve(lines, points, width * size, color);
  };
  ring(0.42, 0.16F, glm::vec4(kMethodBackground, 1));
  ring(0.33, 0.16F, kOutline);
  ring(0.125, 0.27F, kSampleDot);
  return lines;
}

}  // namespace

MethodParts method_parts(const PixelRegion& region) {
  const int axis = region.size.x > region.size.y ? 0 : 1;
  MethodParts parts{region, region};
  parts.stack.size[axis] = region.size[axis] / 2;
  parts.face.corner[axis] += parts.stack.size[axis];
  parts.face.size[axis] -= parts.stack.size[axis];
  return parts;
}

void MethodView::show(SampleSlices slices) {
  slices_ = std::move(slices);
  sheets_.upload(slices_);
}

void MethodView::draw(const gl::Framebuffer& target, const PixelRegion& region,
                      const MethodLook& look, float scale) {
  const MethodParts parts = method_parts(region);
  draw_stack(target, parts.stack, look, scale);
  draw_face(target, parts.face, look, scale);
}

void MethodView::draw_stack(const gl::Framebuffer& target, const PixelRegion& region,
                            const MethodLook& look, float scale) {
  const RegionDrawing drawing(target, region);
  const StackFrame frame(fitted_box(slices_, look.full_share), look.camera, region.size);
  const glm::dmat4 to_clip = frame.to_clip();
  Lines behind;
  if (look.full_share > 0 || slices_.slices.empty())
    add_box(behind, {slices_.dims[0], slices_.dims[1], slices_.dims[2]}, kBoxEdges);
  lines_.draw(behind, to_clip, region.size, scale);
  sheets_.draw_stack({to_clip,
                      region.size,
                      chosen_slice(slices_, look),
                      {1, 0.85F, 0.6F, 1},
                      opacity_in_stack(slices_.z.size()),
                      look.full_share,
                      scale},
                     frame.eye().z);
  Lines before;
  add_curve(before, kernel_outline(slices_, frame.eye()), 1.5F, kOutline);
  lines_.draw(before, to_clip, region.size, scale);
  const glm::dvec3 at = sample_position(slices_);
  const glm::mat4 same(1);
  if (const auto pixel = frame.to_pixel(at))
    lines_.draw(mark_at(*pixel, region.size, mark_size(frame.pixels_per_cell(at), scale)), same,
                region.size, 1);
  if (has_room_for_triad(region.size, scale))
    lines_.draw(axes_triad(frame.perspective(), scale).lines, same, region.size, scale);
}

void MethodView::draw_face(const gl::Framebuffer& target, const PixelRegion& region,
                           const MethodLook& look, float scale) {
  const RegionDrawing drawing(target, region);
  const FaceFrame frame(fitted_box(slices_, look.full_share), region.size, scale);
  const glm::dmat4 to_clip = frame.to_clip();
  if (slices_.slices.empty()) return;
  const std::size_t chosen = chosen_slice(slices_, look);
  const SheetOpacity opaque{1, 1, 1, 1};
  sheets_.draw_one({to_clip, region.size, chosen, opaque, opaque, look.full_share, scale}, chosen);
  const double z = slices_.slices[chosen].z + 0.5;
  Lines outline;
  add_curve(outline, cut_ellipse(slices_, z), 1.75F, kOutline);
  lines_.draw(outline, to_clip, region.size, scale);
  lines_.draw(mark_at(frame.to_pixel(sample_position(slices_)), region.size,
                      mark_size(frame.pixels_per_cell(), scale)),
              glm::mat4(1), region.size, 1);
}

float MethodView::mark_size(double pixels_per_cell, float scale) const {
  const Ellipsoid<double>& e = slices_.ellipsoid;
  const double kernel = 2 * pixels_per_cell * std::min({e.rx, e.ry, e.sz});
  // Limited so that a small kernel is not hidden behind the mark.
  return static_cast<float>(std::clamp(0.4 * kernel, 5.0 * scale, 12.0 * scale));
}

}  // namespace skde::view
