#include "viewer/method/method_geometry.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/cases/case_parts.hpp"

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
}

/// Returns the pixel of a position under a matrix.
glm::dvec2 pixel_of(const glm::dmat4& to_clip, glm::dvec3 position, glm::ivec2 size) {
  const glm::dvec4 clip = to_clip * glm::dvec4(position, 1);
  return glm::dvec2(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w) * glm::dvec2(size);
}

TEST_CASE("labels are placed as the picture is drawn") {
  const SampleSlices s = turned_kernel();
  const glm::ivec2 size(640, 300);
  const CellBox fitted = fitted_box(s, 0.3F);
  const FaceFrame face(fitted, size, 1);
  const StackFrame stack(fitted, Camera{}, size);
  for (const glm::dvec3 p : {glm::dvec3(3, 4, 5), glm::dvec3(20, 18, 25), glm::dvec3(40, 9, 31)}) {
    CHECK(glm::distance(pixel_of(face.to_clip(), p, size), face.to_pixel(p)) < 1e-9);
    CHECK(glm::distance(face.to_cell(face.to_pixel(p)), glm::dvec2(p)) < 1e-9);
    const auto pixel = stack.to_pixel(p);
    REQUIRE(pixel);
    CHECK(glm::distance(pixel_of(stack.to_clip(), p, size), *pixel) < 1e-6);
  }
  CHECK(face.to_pixel({10, 10}).x < face.to_pixel({11, 10}).x);
  CHECK(face.to_pixel({10, 10}).y > face.to_pixel({10, 11}).y);
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
