#include "viewer/method/method_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skde::view {
namespace {

constexpr int kCurveSegments = 96;
constexpr double kFaceMargin = 36;         // pixels, for labels
constexpr double kFaceMarginShare = 0.06;  // further margin, as a share of the picture's shorter
                                           // side

CellBox grid_box(const SampleSlices& s) { return {{0, 0, 0}, {s.dims[0], s.dims[1], s.dims[2]}}; }

glm::dvec3 mixed(glm::dvec3 a, glm::dvec3 b, double share) { return a + share * (b - a); }

/// Returns the ellipsoid's point, relative to the sample, whose normalised coordinates are u: the
/// inverse of Ellipsoid's u0, u1, u2.
glm::dvec3 from_normalised(const Ellipsoid<double>& e, glm::dvec3 u) {
  const double dz = e.sz * u.z, dy = e.sy * u.y + e.bzy * dz;
  return {e.sx * u.x + e.bxy * dy + e.bxz * dz, dy, dz};
}

glm::dvec3 to_normalised(const Ellipsoid<double>& e, glm::dvec3 d) {
  return {(d.x - e.bxy * d.y - e.bxz * d.z) * e.inv_sx, (d.y - e.bzy * d.z) * e.inv_sy,
          d.z * e.inv_sz};
}

/// Returns the image of a circle of normalised coordinates, as a closed curve.
std::vector<glm::dvec3> image_of_circle(const SampleSlices& s, glm::dvec3 centre, glm::dvec3 a,
                                        glm::dvec3 b) {
  std::vector<glm::dvec3> curve;
  for (int k = 0; k <= kCurveSegments; ++k) {
    const double angle = 2 * std::numbers::pi * k / kCurveSegments;
    const glm::dvec3 u = centre + std::cos(angle) * a + std::sin(angle) * b;
    curve.push_back(sample_position(s) + from_normalised(s.ellipsoid, u));
  }
  return curve;
}

}  // namespace

CellBox fitted_box(const SampleSlices& slices, float full_share) {
  const CellBox grid = grid_box(slices);
  const GridRange& b = slices.bounds;
  if (b.cells() == 0) return grid;
  const CellBox cropped{{b.x.begin, b.y.begin, slices.z.begin}, {b.x.end, b.y.end, slices.z.end}};
  // The size changes evenly in its logarithm, like a zoom; the corners move in proportion to it.
  const double from = cropped.radius(), to = grid.radius();
  const double size = from * std::pow(to / from, static_cast<double>(full_share));
  const double way = to > from ? (size - from) / (to - from) : 0;
  return {mixed(cropped.lower, grid.lower, way), mixed(cropped.upper, grid.upper, way)};
}

glm::dvec3 sample_position(const SampleSlices& slices) {
  return glm::dvec3(slices.position.x, slices.position.y, slices.position.z) + 0.5;
}

std::size_t chosen_slice(const SampleSlices& slices, const MethodLook& look) {
  return slices.nearest(look.slice ? static_cast<double>(*look.slice) : slices.position.z);
}

FaceFrame::FaceFrame(const CellBox& fitted, glm::ivec2 size, float label_scale)
    : centre_(fitted.centre()), size_(glm::max(size, glm::ivec2(1))) {
  const double shorter = std::min(size_.x, size_.y);
  const double margin =
      std::min(kFaceMargin * label_scale + kFaceMarginShare * shorter, 0.3 * shorter);
  const glm::dvec2 extent = fitted.upper - fitted.lower;
  pixels_per_cell_ = std::min((size_.x - 2 * margin) / extent.x, (size_.y - 2 * margin) / extent.y);
}

glm::dvec2 FaceFrame::to_pixel(glm::dvec2 cell) const {
  const glm::dvec2 offset = pixels_per_cell_ * (cell - centre_);
  return {0.5 * size_.x + offset.x, 0.5 * size_.y - offset.y};
}

glm::dvec2 FaceFrame::to_cell(glm::dvec2 pixel) const {
  const glm::dvec2 offset(pixel.x - 0.5 * size_.x, 0.5 * size_.y - pixel.y);
  return centre_ + offset / pixels_per_cell_;
}

glm::dmat4 FaceFrame::to_clip() const {
  const glm::dvec2 scale = 2 * pixels_per_cell_ / size_;
  glm::dmat4 matrix(0);
  matrix[0][0] = scale.x;
  matrix[1][1] = scale.y;
  matrix[3] = glm::dvec4(-scale * centre_, 0, 1);
  return matrix;
}

StackFrame::StackFrame(const CellBox& fitted, const Camera& camera, glm::ivec2 size)
    : centre_(fitted.centre()), radius_(fitted.radius()), perspective_(camera, 1, size) {}

std::optional<glm::dvec2> StackFrame::to_pixel(glm::dvec3 cell) const {
  const auto pixel = perspective_.project((cell - centre_) / radius_);
  return pixel ? std::optional(glm::dvec2(*pixel)) : std::nullopt;
}

double StackFrame::pixels_per_cell(glm::dvec3 cell) const {
  const auto pixel = perspective_.project((cell - centre_) / radius_);
  return pixel ? perspective_.pixels_at(pixel->z) / radius_ : 0;
}

glm::dmat4 StackFrame::to_clip() const {
  glm::dmat4 to_scene(1 / radius_);
  to_scene[3] = glm::dvec4(-centre_ / radius_, 1);
  return perspective_.projection() * perspective_.view() * to_scene;
}

std::vector<glm::dvec3> cut_ellipse(const SampleSlices& slices, double z) {
  const double u2 = (z - sample_position(slices).z) * slices.ellipsoid.inv_sz;
  if (!(u2 * u2 < 1)) return {};
  const double r = std::sqrt(1 - u2 * u2);
  return image_of_circle(slices, {0, 0, u2}, {r, 0, 0}, {0, r, 0});
}

std::vector<glm::dvec3> kernel_outline(const SampleSlices& slices, glm::dvec3 eye) {
  // In normalised coordinates the kernel is the unit ball. Its outline is the circle of the points
  // p with p . eye = 1.
  const glm::dvec3 e = to_normalised(slices.ellipsoid, eye - sample_position(slices));
  const double distance = glm::length(e);
  if (!(distance > 1 + 1e-9)) return {};
  const glm::dvec3 axis = e / distance;
  const glm::dvec3 helper = std::abs(axis.z) < 0.9 ? glm::dvec3(0, 0, 1) : glm::dvec3(1, 0, 0);
  const glm::dvec3 a = glm::normalize(glm::cross(axis, helper)), b = glm::cross(axis, a);
  const double r = std::sqrt(1 - 1 / (distance * distance));
  return image_of_circle(slices, axis / distance, r * a, r * b);
}

}  // namespace skde::view
