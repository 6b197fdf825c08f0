#include "viewer/layers/method/method_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/text/terminal_text.hpp"
#include "core/ellipsoid_cases.hpp"
#include "io/text/text_file.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/method/method_geometry.hpp"
#include "viewer/layers/method/method_layer.hpp"
#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/method/method_cases.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/ui/method_document.hpp"

namespace {

using namespace skde;
using namespace skde::view;

using Bytes = std::array<std::uint8_t, 4>;

/// Returns q by the definition, without the factors that the slices use. H is in cells.
double q_by_definition(const Symmetric3& H, double dx, double dy, double dz) {
  const double det = H.xx * (H.yy * H.zz - H.yz * H.yz) - H.xy * (H.xy * H.zz - H.yz * H.xz) +
                     H.xz * (H.xy * H.yz - H.yy * H.xz);
  return (dx * dx * (H.yy * H.zz - H.yz * H.yz) + dy * dy * (H.xx * H.zz - H.xz * H.xz) +
          dz * dz * (H.xx * H.yy - H.xy * H.xy) + 2 * dx * dy * (H.xz * H.yz - H.xy * H.zz) +
          2 * dx * dz * (H.xy * H.yz - H.xz * H.yy) + 2 * dy * dz * (H.xy * H.xz - H.xx * H.yz)) /
         det;
}

/// Returns whether crop keeps a cell, by the definition.
bool is_kept(const Symmetric3& H, double dx, double dy, double dz) {
  const double r = std::sqrt(std::max(0.0, 1 - dz * dz / H.zz));
  return std::abs(dx - H.xz / H.zz * dz) < r * std::sqrt(H.xx - H.xz * H.xz / H.zz) &&
         std::abs(dy - H.yz / H.zz * dz) < r * std::sqrt(H.yy - H.yz * H.yz / H.zz);
}

/// Returns the colour that the quads give a pixel.
glm::vec3 color_at(const ShapeList& shapes, glm::vec2 pixel) {
  glm::vec3 color(-1);
  for (const ShapeLayer& layer : shapes) {
    if (!layer.region.holds(pixel)) continue;
    for (const FilledQuad& quad : layer.quads)
      if (covers(quad, pixel)) color = glm::mix(color, glm::vec3(quad.color), quad.color.a);
  }
  return color;
}

bool is_color(Bytes pixel, glm::vec3 color) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(static_cast<float>(pixel[static_cast<std::size_t>(k)]) - 255 * color[k]) > 1.5F)
      return false;
  return true;
}

/// A place within cell (i, j) of the face that no mark, number or line between cells covers.
struct FacePlaces {
  PixelRegion region;
  FaceFrame frame;

  FacePlaces(const SampleSlices& slices, const MethodLook& look)
      : region(below_caption(method_parts(kWhole, 1).face, 1)),
        frame(face_frame(slices, look, region.size, 1)) {}
  glm::vec2 of(int i, int j) const {
    return glm::vec2(frame.to_pixel({i + 0.28, j + 0.31})) + glm::vec2(region.corner);
  }
};

TEST_CASE("a slice face on shows each cell in the colour of its value") {
  const SampleSlices s = sliced({20.2, 6.4, 8.1});
  MethodLook look;
  look.full_share = 1;
  for (const int k : {5, 7, 8, 10}) {
    look.slice = k;
    const ShapeList shapes = method_picture(s, kWhole, look, 1).shapes;
    const FacePlaces places(s, look);
    std::int64_t inside = 0, kept = 0;
    for (int j = 0; j < kSmallGrid.dims[1]; ++j)
      for (int i = 0; i < kSmallGrid.dims[0]; ++i) {
        const double dx = i - s.position.x, dy = j - s.position.y, dz = k - s.position.z;
        const double q = q_by_definition(kLeaning, dx, dy, dz);
        const bool is_evaluated = is_kept(kLeaning, dx, dy, dz);
        const glm::vec3 expected = q < 1          ? value_color(look, 1 - q)
                                   : is_evaluated ? kDarkMethod.evaluated
                                                  : kDarkMethod.full;
        INFO("cell " << i << ", " << j << ", " << k);
        const bool marked = std::abs(dx) < 1 && std::abs(dy) < 1;  // by the sample
        CHECK((marked || glm::distance(color_at(shapes, places.of(i, j)), expected) < 1e-5F));
        inside += q < 1;
        kept += is_evaluated;
      }
    const SampleSlice& slice = s.slices[s.nearest(k)];
    CHECK(inside == slice.inside);
    CHECK(kept == slice.range.cells());
  }
}

TEST_CASE("the colours are those of the kernel at its values") {
  SampleSlices s = sliced({11.2, 7.4, 8.1});
  s.function = KernelFunction::gaussian;
  s.cut = 3;
  const double q = q_by_definition(kLeaning, 12 - s.position.x, 7 - s.position.y, 8 - s.position.z);
  CHECK(s.value_at(12, 7, 8) == Approx(std::exp(-4.5 * q)));
  CHECK(s.value_at(40, 7, 8) == 0);
}

TEST_CASE_METHOD(skde::test::GlFixture, "the card draws the shapes") {
  MethodLayer view;
  view.show(std::make_shared<const SampleSlices>(sliced({20.2, 6.4, 8.1})));
  const auto look = [](bool light) {
    MethodLook chosen;
    chosen.light = light;
    return chosen;
  };
  for (const bool light : {false, true}) {
    const gl::Framebuffer target(kWhole.size);
    test::clear(target, {1, 0, 1, 1});
    view.draw(target, kWhole, look(light));
    const Picture picture = view::gl::read_picture(target);
    const ShapeList shapes = method_picture(*view.slices(), kWhole, look(light), 1).shapes;
    const FacePlaces places(*view.slices(), look(light));
    int unlike = 0, seen = 0;
    for (int j = 0; j < kSmallGrid.dims[1]; ++j)
      for (int i = 0; i < kSmallGrid.dims[0]; ++i) {
        const glm::vec2 at = places.of(i, j);
        // The inset lies over the grey cells in the upper right corner.
        if (!places.region.holds(at) || at.x > 700) continue;
        ++seen;
        unlike += !is_color(picture.at(static_cast<int>(at.x), static_cast<int>(at.y)),
                            color_at(shapes, at));
      }
    CHECK(seen > 40);
    CHECK(unlike <= seen / 20);  // lines of the ellipse and its axes
    CHECK(is_color(picture.at(2, kWhole.size.y - 3), look(light).theme().ground));
  }
}

TEST_CASE_METHOD(skde::test::GlFixture, "the method is drawn within its region alone") {
  MethodLayer view;
  view.show(std::make_shared<const SampleSlices>(sliced({20.2, 6.4, 8.1})));
  const PixelRegion region{{100, 40}, {520, 400}};
  const gl::Framebuffer target(kWhole.size);
  test::clear(target, {1, 0, 1, 1});
  MethodLook look;
  look.camera.zoom = 5;  // the stacks reach far beyond their parts
  view.draw(target, region, look);
  const Picture picture = view::gl::read_picture(target);
  std::int64_t inside = 0;
  for (int y = 0; y < kWhole.size.y; ++y)
    for (int x = 0; x < kWhole.size.x; ++x) {
      const bool drawn = !is_color(picture.at(x, y), {1, 0, 1});
      if (drawn && !region.holds({x, y})) FAIL_CHECK("pixel " << x << ", " << y);
      inside += drawn;
    }
  CHECK(inside == std::int64_t{520} * 400);
}

TEST_CASE("the nearer sheets of a stack cover the others") {
  const SampleSlices s = sliced({11.5, 7.5, 8.5}, Symmetric3::diagonal(20, 20, 20));
  MethodLook look;
  look.slice = 12;  // the uppermost slice
  const PixelRegion part = below_caption(method_parts(kWhole, 1).steps[2], 1);
  for (const double elevation : {80.0, -80.0}) {
    look.camera.elevation = elevation;
    const ShapeList shapes = method_picture(s, kWhole, look, 1).shapes;
    const StackFrame frame = stack_frame(MethodStep::crop, s, look, part.size, 1);
    const auto pixel = frame.to_pixel({11.3, 8.3, 12.5});
    REQUIRE(pixel);
    const glm::vec3 seen = color_at(shapes, glm::vec2(*pixel) + glm::vec2(part.corner));
    const double value = s.value_at(11, 8, 12);
    REQUIRE(value > 0);
    INFO("elevation " << elevation);
    CHECK((glm::distance(seen, value_color(look, value)) < 1e-5F) == (elevation > 0));
  }
}

/// Counts by the definition: the cells of slices that hold a place of the ellipsoid, and those of
/// them in a column and a row of which a place does. The minimum of q over one or two coordinates
/// is that of the matrix without their rows.
CellCounts counted(const test::EllipsoidCase& c) {
  CellCounts counts;
  const Vec3 d = c.spacing;
  const double xx = c.H.xx / (d.x * d.x), yy = c.H.yy / (d.y * d.y), zz = c.H.zz / (d.z * d.z);
  const double xz = c.H.xz / (d.x * d.z), yz = c.H.yz / (d.y * d.z);
  const auto flat = [](double aa, double bb, double ab, double da, double db) {
    return (da * da * bb + db * db * aa - 2 * da * db * ab) / (aa * bb - ab * ab);
  };
  for (int k = 0; k < c.dims[2]; ++k) {
    const double dz = k - c.centre.z;
    if (!(dz * dz / zz <= 1)) continue;
    counts.full += std::int64_t{c.dims[0]} * c.dims[1];
    std::int64_t columns = 0, rows = 0;
    for (int i = 0; i < c.dims[0]; ++i) columns += flat(xx, zz, xz, i - c.centre.x, dz) <= 1;
    for (int j = 0; j < c.dims[1]; ++j) rows += flat(yy, zz, yz, j - c.centre.y, dz) <= 1;
    counts.evaluated += columns * rows;
  }
  return counts;
}

TEST_CASE("the captions count the cells that chop and crop keep") {
  test::EllipsoidCases cases(77);
  std::int64_t met = 0;
  for (int n = 0; n < 2000; ++n) {
    const test::EllipsoidCase c = cases.next();
    const Grid grid{c.lower, c.spacing, {c.dims[0], c.dims[1], c.dims[2]}};
    const Vec3 at{c.lower.x + (c.centre.x + 0.5) * c.spacing.x,
                  c.lower.y + (c.centre.y + 0.5) * c.spacing.y,
                  c.lower.z + (c.centre.z + 0.5) * c.spacing.z};
    const SampleSlices s = slice_sample(make_ellipsoid(c.H, grid), grid, at);
    const CellCounts expected = counted(c);
    INFO("case " << n << ": " << c);
    CHECK(s.total.full == expected.full);
    CHECK(s.total.evaluated == expected.evaluated);
    const auto captions = method_captions(s, s.nearest(s.position.z));
    const std::string kept = cli::format_count(static_cast<std::uint64_t>(expected.evaluated));
    CHECK(captions[2].counts.front().starts_with(kept + " of "));
    met += expected.evaluated > 0;
  }
  CHECK(met > 500);
}

TEST_CASE("captions tell each step and its gain") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {128, 128, 120}};
  const SampleSlices s =
      slice_sample(make_ellipsoid(Symmetric3::diagonal(110, 60, 34), grid), grid, {64.5, 50.5, 22});
  const auto captions = method_captions(s, s.nearest(s.position.z));
  CHECK(captions[0].title == "1. all cells");
  CHECK(captions[0].counts.front() == "128 \u00d7 128 \u00d7 120 = 1,966,080 cells");
  CHECK(captions[1].title == "2. chop: z 16..27");
  CHECK(captions[1].counts.front() == "196,608 of 1,966,080 cells: 10 times fewer");
  CHECK(captions[2].title == "3. crop: 21 \u00d7 15");
  const std::string kept = cli::format_count(static_cast<std::uint64_t>(s.total.evaluated));
  const auto gain = std::llround(1966080.0 / static_cast<double>(s.total.evaluated));
  CHECK(captions[2].counts[0] == fmt::format("{} of 1,966,080 cells: {} times fewer", kept, gain));
  CHECK(captions[2].counts[1] == fmt::format("{} cells: {} times fewer", kept, gain));
  CHECK(captions[3].title == "slice z = 22");
  const SampleSlices all = sliced({11, 7, 8}, Symmetric3::diagonal(1e6, 1e6, 1e6));
  CHECK(method_captions(all, 0)[2].counts.front() == "5,865 of 5,865 cells");
}

TEST_CASE("a kernel out of reach leaves the grid") {
  for (const double z : {8.0, 1e300}) {
    const SampleSlices s = sliced({200, 7, z});
    const MethodPicture picture = method_picture(s, kWhole, {}, 1);
    CHECK(has(picture, "the kernel reaches no cell"));
    CHECK(picture.shapes.size() > 3);
  }
}

TEST_CASE("labels name the axes and the ends of the cropped range") {
  const SampleSlices s = sliced({20.2, 6.4, 8.1});
  MethodLook look;
  look.axes = {"long", "lat", "depth"};
  look.slice = 8;
  const MethodPicture picture = method_picture(s, kWhole, look, 1);
  const auto times = [&](const std::string& text) {
    return std::ranges::count(picture.labels, text, &SliceLabel::text);
  };
  CHECK(times("long") == 2);  // of the grid and of the slice
  CHECK(times("lat") == 2);
  CHECK(times("depth") == 1);
  CHECK(times("z = 8") == 2);  // of two stacks
  const SampleSlice& slice = s.slices[s.nearest(8)];
  CHECK(times(std::to_string(slice.range.x.end - 1)) == 1);
  CHECK(times(std::to_string(slice.range.y.begin)) == 1);
}

TEST_CASE("the kernel fills the slice also where the grid has many cells") {
  const SampleSlices s = sliced({256.5, 200.5, 300.5}, Symmetric3::diagonal(26, 26, 26),
                                Grid{{0, 0, 0}, {1, 1, 1}, {512, 512, 512}});
  MethodLook look;
  CHECK(FacePlaces(s, look).frame.pixels_per_cell() * 11 > 0.5 * 310);
  CHECK(has(method_picture(s, kWhole, look, 1), "512 \u00d7 512"));  // the inset
  look.full_share = 1;
  const MethodPicture whole = method_picture(s, kWhole, look, 1);
  CHECK(has(whole, "251..261"));
  CHECK_FALSE(has(whole, "512 \u00d7 512"));
}

TEST_CASE("large kernels are drawn with few shapes") {
  const SampleSlices s = sliced({256, 256, 256}, Symmetric3::diagonal(40000, 40000, 40000),
                                Grid{{0, 0, 0}, {1, 1, 1}, {512, 512, 512}});
  std::size_t shapes = 0;
  for (const ShapeLayer& layer : method_picture(s, {{0, 0}, {1280, 800}}, {}, 1).shapes)
    shapes += layer.quads.size() + layer.lines.size();
  CHECK(shapes < 200000);
}

TEST_CASE("the parts of the method are as large as the region allows") {
  const MethodParts wide = method_parts({{10, 20}, {1200, 318}}, 1);
  CHECK(wide.steps[1].corner == glm::ivec2(310, 20));
  CHECK(wide.face.corner == glm::ivec2(910, 20));
  CHECK(wide.face.size == glm::ivec2(300, 300));
  const MethodParts square = method_parts({{10, 20}, {801, 619}}, 1);
  CHECK(square.steps[2].corner == glm::ivec2(10, 320));
  CHECK(square.face.size == glm::ivec2(401, 301));
  const MethodParts high = method_parts({{0, 0}, {200, 1000}}, 1);
  CHECK(high.face.corner == glm::ivec2(0, 750));
  CHECK(high.face.size == glm::ivec2(200, 250));
}

#if SKDE_HAS_PICTURES
TEST_CASE("the method is written as shapes and texts, on white") {
  const test::TemporaryFolder folder;
  MethodLook look;
  look.light = true;
  look.axes = {"long", "lat", "depth"};
  const glm::ivec2 size(900, 700);
  const MethodPicture picture = method_picture(sliced({20.2, 6.4, 8.1}), {{0, 0}, size}, look, 1);
  const std::string svg = folder.path("a.svg"), pdf = folder.path("a.pdf");
  ui::write_method_document(svg, picture, size, look, 1);
  ui::write_method_document(pdf, picture, size, look, 1);
  const std::string text = io::read_text(svg);
  CHECK(text.find("<svg") != text.npos);
  CHECK(text.find("width=\"900") != text.npos);
  CHECK(text.find("<image") == text.npos);  // no pixels
  CHECK(std::count(text.begin(), text.end(), '\n') > 1000);
  CHECK(io::read_text(pdf).starts_with("%PDF"));
  CHECK_THROWS_AS(ui::write_method_document(folder.path("b/a.svg"), picture, size, look, 1), Error);
}
#endif

}  // namespace
