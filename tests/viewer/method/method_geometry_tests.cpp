#include "viewer/layers/method/method_geometry.hpp"

#include <cmath>

#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

namespace {

using namespace skde;
using namespace skde::view;

const Grid kMethodGrid{{0, 0, 0}, {1, 1, 1}, {60, 40, 50}};

SampleSlices turned_kernel(Vec3 at = {20.3, 18.8, 25.1}) {
  return slice_sample(make_ellipsoid(test::random_rotated(3, {11, 5, 8}), kMethodGrid), kMethodGrid,
                      at);
}

/// Returns q, the normalised squared distance of a position from the sample.
double q_of(const SampleSlices& s, glm::dvec3 position) {
  const glm::dvec3 d = position - sample_position(s);
  return s.ellipsoid.q(d.x, d.y, d.z);
}

TEST_CASE("the drawn ellipse is where a slice cuts the kernel") {
  const SampleSlices s = turned_kernel();
  for (const SampleSlice& slice : s.slices)
    for (const glm::dvec3& p : cut_ellipse(s, slice.z + 0.5)) {
      CHECK(p.z == Approx(slice.z + 0.5));
      CHECK(q_of(s, p) == Approx(1));
    }
  CHECK(cut_ellipse(s, s.z.end + 1.0).empty());
}

TEST_CASE("the kernel's outline is where lines of sight touch it") {
  const SampleSlices s = turned_kernel();
  const glm::dvec3 eye(90, -30, 70);
  const auto outline = kernel_outline(s, eye);
  REQUIRE(outline.size() > 50);
  for (const glm::dvec3& p : outline) {
    CHECK(q_of(s, p) == Approx(1));
    // Along the line of sight, q is least at the point where the line touches the kernel.
    const glm::dvec3 step = 1e-3 * glm::normalize(p - eye);
    CHECK(std::abs(q_of(s, p + step) - q_of(s, p - step)) < 1e-9);
  }
  CHECK(kernel_outline(s, sample_position(s) + 0.5).empty());
}

TEST_CASE("the views go smoothly from the cropped ranges to the grid") {
  const SampleSlices s = turned_kernel();
  CHECK(fitted_box(s, 0).lower == glm::dvec3(s.bounds.x.begin, s.bounds.y.begin, s.z.begin));
  CHECK(fitted_box(s, 0).upper == glm::dvec3(s.bounds.x.end, s.bounds.y.end, s.z.end));
  CHECK(glm::distance(fitted_box(s, 1).upper, glm::dvec3(60, 40, 50)) < 1e-9);
  const double zoom = fitted_box(s, 1).radius() / fitted_box(s, 0).radius();
  for (const float share : {0.25F, 0.5F, 0.75F})
    CHECK(fitted_box(s, share).radius() ==
          Approx(fitted_box(s, 0).radius() * std::pow(zoom, share)).epsilon(0.05));
  CHECK(fitted_box(turned_kernel({500, 0, 0}), 0).upper == glm::dvec3(60, 40, 50));
  const CellBox around = fitted_box(s, 0, 0.5);
  CHECK(around.lower.x == std::max(0.0, s.bounds.x.begin - 0.5 * s.bounds.x.size()));
  CHECK(around.upper.y == std::min(40.0, s.bounds.y.end + 0.5 * s.bounds.y.size()));
  CHECK(around.upper.z == s.z.end);
}

TEST_CASE("a slice face on has x to the right, y upwards and square cells") {
  const SampleSlices s = turned_kernel();
  const FaceFrame face(fitted_box(s, 0.3F), {640, 300}, 1);
  for (const glm::dvec2 p : {glm::dvec2(3, 4), glm::dvec2(20, 18), glm::dvec2(40, 9)})
    CHECK(glm::distance(face.to_cell(face.to_pixel(p)), p) < 1e-9);
  const glm::dvec2 right = face.to_pixel({11, 10}) - face.to_pixel({10, 10});
  const glm::dvec2 up = face.to_pixel({10, 11}) - face.to_pixel({10, 10});
  CHECK(glm::distance(right, {face.pixels_per_cell(), 0}) < 1e-9);
  CHECK(glm::distance(up, {0, -face.pixels_per_cell()}) < 1e-9);
}

TEST_CASE("a stack has the proportions of the cells' edges, from any side within the picture") {
  const SampleSlices s = turned_kernel();
  const CellBox fitted = fitted_box(s, 0);
  const glm::ivec2 size = GENERATE(glm::ivec2(640, 300), glm::ivec2(200, 500));
  for (const double azimuth : {-170.0, -60.0, 20.0})
    for (const double elevation : {-90.0, -20.0, 25.0, 90.0}) {
      const Camera camera{.azimuth = azimuth, .elevation = elevation};
      const StackFrame frame(fitted, {0.5, 2, 3}, camera, size);
      double reach = 0;
      for (int corner = 0; corner < 8; ++corner) {
        const auto pixel = frame.to_pixel({(corner & 1) != 0 ? fitted.lower.x : fitted.upper.x,
                                           (corner & 2) != 0 ? fitted.lower.y : fitted.upper.y,
                                           (corner & 4) != 0 ? fitted.lower.z : fitted.upper.z});
        REQUIRE(pixel);
        const glm::dvec2 share = glm::abs(2.0 * *pixel / glm::dvec2(size) - 1.0);
        reach = std::max({reach, share.x, share.y});
      }
      CHECK(reach < 0.95);
      CHECK(reach > 0.4);
    }
  // From above, far away, an edge of a cell along y is four times as long as one along x.
  const Camera above{.azimuth = -90, .elevation = 90, .zoom = 0.01};
  const StackFrame frame(fitted, {0.5, -2, 3}, above, size);
  const glm::dvec3 at = fitted.centre();
  const glm::dvec2 x = *frame.to_pixel(at + glm::dvec3(1, 0, 0)) - *frame.to_pixel(at);
  const glm::dvec2 y = *frame.to_pixel(at + glm::dvec3(0, 1, 0)) - *frame.to_pixel(at);
  CHECK(y.y / x.x == Approx(4).epsilon(0.01));  // downwards, as it is flipped
  const glm::dvec3 eye = frame.eye() - at;
  CHECK(std::hypot(eye.x, eye.y) < 1e-6 * eye.z);
}

TEST_CASE("the axes of kernel and ellipse end on them and lie at right angles") {
  const SampleSlices s = turned_kernel();
  const auto all = kernel_axes(s);
  std::vector<AxisEnds> axes(all.begin(), all.end());
  for (std::size_t i = 0; i < 3; ++i)
    for (const glm::dvec3 end : axes[i]) CHECK(q_of(s, end) == Approx(1));
  const auto along = [](const AxisEnds& axis) { return axis[1] - axis[0]; };
  CHECK(std::abs(glm::dot(along(axes[0]), along(axes[1]))) < 1e-9);
  CHECK(glm::length(along(axes[0])) == Approx(10));  // the radii are 11, 5 and 8
  CHECK(glm::length(along(axes[2])) == Approx(22));
  for (const SampleSlice& slice : s.slices) {
    const auto flat = ellipse_axes(s, slice.z + 0.5);
    REQUIRE(flat.size() == 2);
    for (const AxisEnds& axis : flat)
      for (const glm::dvec3 end : axis) {
        CHECK(q_of(s, end) == Approx(1));
        CHECK(end.z == Approx(slice.z + 0.5));
      }
    CHECK(std::abs(glm::dot(along(flat[0]), along(flat[1]))) < 1e-6);
    // No place of the ellipse is farther from its centre than the ends of the longer axis.
    const glm::dvec3 centre = 0.5 * (flat[0][0] + flat[0][1]);
    for (const glm::dvec3& p : cut_ellipse(s, slice.z + 0.5))
      CHECK(glm::distance(p, centre) < 0.5 * glm::length(along(flat[0])) + 1e-9);
  }
  CHECK(ellipse_axes(s, s.z.end + 1.0).empty());
}

TEST_CASE("the chosen slice is one of the sample's") {
  const SampleSlices s = turned_kernel();
  MethodLook look;
  CHECK(s.slices[chosen_slice(s, look)].z == 25);  // the sample is at 24.6
  look.slice = s.z.begin + 1;
  CHECK(chosen_slice(s, look) == 1);
  look.slice = 49;
  CHECK(chosen_slice(s, look) == s.slices.size() - 1);
}

}  // namespace
