#include "viewer/layers/method/method_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skde::view {
namespace {

constexpr int kCurveSegments = 96;
constexpr double kFaceMargin = 26;         // pixels, for labels
constexpr double kFaceMarginShare = 0.04;  // further margin, as a share of the picture's shorter
                                           // side

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

/// Returns a camera that shows a box of these edges as large as a picture allows, at the zoom of
/// the given one. It is the same from all azimuths.
Camera fitted_camera(Camera camera, glm::dvec3 edges, glm::ivec2 size) {
  constexpr double kFilled = 0.9;  // of the picture
  constexpr int kRim = 16, kSteps = 4;
  const double radius = 0.5 * std::hypot(edges.x, edges.y), half = 0.5 * std::abs(edges.z);
  Camera still{.azimuth = camera.azimuth, .elevation = camera.elevation, .zoom = 1};
  for (int step = 0; step < kSteps; ++step) {
    const Perspective view(still, 1, size);
    double reach = 0;  // 1: to the picture's edges
    for (int k = 0; k < kRim; ++k)
      for (const double z : {-half, half}) {
        const double angle = 2 * std::numbers::pi * k / kRim;
        const auto pixel = view.project({radius * std::cos(angle), radius * std::sin(angle), z});
        if (!pixel) return camera;
        const glm::dvec2 share = glm::abs(2.0 * glm::dvec2(*pixel) / glm::dvec2(size) - 1.0);
        reach = std::max({reach, share.x, share.y});
      }
    still.zoom *= kFilled / reach;
  }
  camera.zoom *= still.zoom;
  return camera;
}

}  // namespace

CellBox grid_box(const SampleSlices& s) { return {{0, 0, 0}, {s.dims[0], s.dims[1], s.dims[2]}}; }

CellBox fitted_box(const SampleSlices& slices, float full_share, double around) {
  const CellBox grid = grid_box(slices);
  const GridRange& b = slices.bounds;
  if (b.cells() == 0) return grid;
  CellBox cropped{{b.x.begin, b.y.begin, slices.z.begin}, {b.x.end, b.y.end, slices.z.end}};
  const glm::dvec3 more = around * (cropped.upper - cropped.lower) * glm::dvec3(1, 1, 0);
  cropped = {glm::max(cropped.lower - more, grid.lower),
             glm::min(cropped.upper + more, grid.upper)};
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
      std::min(kFaceMargin * label_scale + kFaceMarginShare * shorter, 0.22 * shorter);
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

StackFrame::StackFrame(const CellBox& fitted, glm::dvec3 cell, const Camera& camera,
                       glm::ivec2 size)
    : centre_(fitted.centre()),
      unit_(2.0 * cell / glm::length(cell * (fitted.upper - fitted.lower))),
      perspective_(fitted_camera(camera, unit_ * (fitted.upper - fitted.lower), size), 1, size) {}

std::optional<glm::dvec2> StackFrame::to_pixel(glm::dvec3 cell) const {
  const auto pixel = perspective_.project((cell - centre_) * unit_);
  return pixel ? std::optional(glm::dvec2(*pixel)) : std::nullopt;
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

std::array<AxisEnds, 3> kernel_axes(const SampleSlices& slices) {
  const Eigen3 found = eigen_decomposition(world_matrix(slices.ellipsoid, Grid()));
  std::array<AxisEnds, 3> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = found.vectors[i];
    const glm::dvec3 arm = std::sqrt(std::max(found.values[i], 0.0)) * glm::dvec3(v.x, v.y, v.z);
    axes[i] = {sample_position(slices) - arm, sample_position(slices) + arm};
  }
  return axes;
}

std::vector<AxisEnds> ellipse_axes(const SampleSlices& slices, double z) {
  const Ellipsoid<double>& e = slices.ellipsoid;
  const double dz = z - sample_position(slices).z, u2 = dz * e.inv_sz;
  if (!(u2 * u2 < 1)) return {};
  // The ellipse is d^T S^-1 d = 1 for the covariance S of x and y at this height.
  const double r2 = 1 - u2 * u2;
  const double xx = r2 * e.ex * e.ex, yy = r2 * e.sy * e.sy, xy = r2 * e.bxy * e.sy * e.sy;
  const double turn = 0.5 * std::atan2(2 * xy, xx - yy);
  const double mean = 0.5 * (xx + yy), half = std::hypot(0.5 * (xx - yy), xy);
  const glm::dvec3 centre = sample_position(slices) + glm::dvec3(e.mx * dz, e.bzy * dz, dz);
  const glm::dvec3 major = std::sqrt(mean + half) * glm::dvec3(std::cos(turn), std::sin(turn), 0);
  const glm::dvec3 minor =
      std::sqrt(std::max(mean - half, 0.0)) * glm::dvec3(-std::sin(turn), std::cos(turn), 0);
  return {{centre - major, centre + major}, {centre - minor, centre + minor}};
}

void for_inside_cells(const SampleSlices& slices, const SampleSlice& slice, int side,
                      const std::function<void(const CellBlock&)>& draw) {
  const auto rows = slices.rows_of(slice);
  const IndexRange y = slice.range.y;
  for (int low = y.begin; low < y.end; low += side) {
    const int high = std::min(low + side, y.end), middle = (low + high - 1) / 2;
    const IndexRange row = rows[static_cast<std::size_t>(middle - y.begin)];
    for (int left = row.begin; left < row.end; left += side) {
      const int right = std::min(left + side, row.end);
      const double value =
          slices.value_at(0.5 * (left + right - 1), middle, static_cast<double>(slice.z));
      draw({{left, low}, {right, high}, value});
    }
  }
}

}  // namespace skde::view
