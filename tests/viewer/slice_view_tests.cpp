#include "viewer/method/slice_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/cases/case_parts.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/scene/drawn_picture.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/ui/label_layout.hpp"

namespace {

using namespace skde;
using namespace skde::view;

using Bytes = std::array<std::uint8_t, 4>;

bool is_color(Bytes pixel, glm::vec3 color) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(static_cast<float>(pixel[static_cast<std::size_t>(k)]) - 255 * color[k]) > 1.5F)
      return false;
  return true;
}

/// 'y'ellow, 'g'reen, 'r' for the grey rest, '-' for the background, '?' for anything else.
char name_of(Bytes pixel) {
  if (is_color(pixel, kInsideColor)) return 'y';
  if (is_color(pixel, kEvaluatedColor)) return 'g';
  if (is_color(pixel, kFullSliceColor)) return 'r';
  return is_color(pixel, kMethodBackground) ? '-' : '?';
}

/// Returns the colour of most pixels in the middle of a cell; lines, the ellipse and the mark of
/// the sample cover less of it.
char color_of_cell(const Picture& picture, const FaceFrame& frame, int i, int j) {
  std::map<char, int> pixels;
  const glm::dvec2 from = frame.to_pixel({i + 0.15, j + 0.85}),
                   to = frame.to_pixel({i + 0.85, j + 0.15});
  for (int y = static_cast<int>(std::ceil(from.y)); y < to.y; ++y)
    for (int x = static_cast<int>(std::ceil(from.x)); x < to.x; ++x)
      if (x >= 0 && y >= 0 && x < picture.width && y < picture.height)
        ++pixels[name_of(picture.at(x, y))];
  if (pixels.empty()) return ' ';
  return std::max_element(pixels.begin(), pixels.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Returns the colour by the definition, without the slices' rows. H and the sample are in cells.
char expected_color(const SampleSlices& s, const Symmetric3& H, int i, int j, int k) {
  const double det = H.xx * (H.yy * H.zz - H.yz * H.yz) - H.xy * (H.xy * H.zz - H.yz * H.xz) +
                     H.xz * (H.xy * H.yz - H.yy * H.xz);
  const double dx = i - s.position.x, dy = j - s.position.y, dz = k - s.position.z;
  const double q =
      (dx * dx * (H.yy * H.zz - H.yz * H.yz) + dy * dy * (H.xx * H.zz - H.xz * H.xz) +
       dz * dz * (H.xx * H.yy - H.xy * H.xy) + 2 * dx * dy * (H.xz * H.yz - H.xy * H.zz) +
       2 * dx * dz * (H.xy * H.yz - H.xz * H.yy) + 2 * dy * dz * (H.xy * H.xz - H.xx * H.yz)) /
      det;
  if (q < 1) return 'y';
  const double r = std::sqrt(std::max(0.0, 1 - dz * dz / H.zz));
  const bool in_x = std::abs(dx - H.xz / H.zz * dz) < r * std::sqrt(H.xx - H.xz * H.xz / H.zz);
  const bool in_y = std::abs(dy - H.yz / H.zz * dz) < r * std::sqrt(H.yy - H.yz * H.yz / H.zz);
  return in_x && in_y ? 'g' : 'r';
}

/// Returns whether a pixel is yellow as seen through sheets of other colours.
bool is_yellowish(Bytes pixel) {
  return pixel[0] > 110 && pixel[0] > pixel[1] && pixel[1] > pixel[2] + 30;
}

constexpr glm::ivec2 kStackSize{700, 520};
const Grid kStackGrid{{0, 0, 0}, {1, 1, 1}, {23, 15, 17}};
/// Tilted, so that no slice equals its mirror image; the face at +x cuts it.
const Symmetric3 kLeaning{16, 7, 3, 9, 2, 12};

struct View {
  gl::Framebuffer target{kStackSize};
  PixelRegion region{{0, 0}, kStackSize};
  MethodView view;
  MethodLook look;

  explicit View(Vec3 position, const Symmetric3& H = kLeaning, const Grid& grid = kStackGrid) {
    target.clear({1, 0, 1, 1});
    view.show(slice_sample(make_ellipsoid(H, grid), grid, position));
  }
  Picture face() {
    view.draw_face(target, region, look);
    return read_picture(target);
  }
  Picture stack() {
    view.draw_stack(target, region, look);
    return read_picture(target);
  }
  FaceFrame frame() const { return {fitted_box(view.slices(), look.full_share), region.size, 1}; }
};

TEST_CASE_METHOD(skde::test::GlFixture, "a slice face on shows each cell in its colour") {
  View v({20.2, 6.4, 8.1});
  v.look.full_share = 1;
  for (const int k : {5, 7, 8, 10}) {
    v.look.slice = k;
    const Picture picture = v.face();
    const FaceFrame frame = v.frame();
    std::map<char, int> counts;
    for (int j = 0; j < kStackGrid.dims[1]; ++j)
      for (int i = 0; i < kStackGrid.dims[0]; ++i) {
        INFO("cell " << i << ", " << j << ", " << k);
        const char color = color_of_cell(picture, frame, i, j);
        CHECK(color == expected_color(v.view.slices(), kLeaning, i, j, k));
        ++counts[color];
      }
    const SampleSlice& slice = v.view.slices().slices[v.view.slices().nearest(k)];
    CHECK(counts['y'] == slice.inside);
    CHECK(counts['y'] + counts['g'] == slice.range.cells());
    CHECK(counts['r'] > 0);
  }
}

TEST_CASE_METHOD(skde::test::GlFixture, "without full slices no cell is grey") {
  View v({20.2, 6.4, 8.1});
  for (const float share : {0.0F, 1.0F}) {
    v.look.full_share = share;
    int grey = 0, background = 0;
    const Picture picture = v.face();
    for (int y = 0; y < kStackSize.y; ++y)
      for (int x = 0; x < kStackSize.x; ++x) {
        grey += name_of(picture.at(x, y)) == 'r';
        background += name_of(picture.at(x, y)) == '-';
      }
    CHECK(background > 1000);
    CHECK((share > 0 ? grey > 10000 : grey == 0));
  }
}

TEST_CASE_METHOD(skde::test::GlFixture, "without full slices the cropped range fills the view") {
  View v({20.2, 6.4, 8.1});
  v.look.slice = 7;
  const Picture picture = v.face();
  const FaceFrame frame = v.frame();
  const SampleSlices& s = v.view.slices();
  const SampleSlice& slice = s.slices[s.nearest(7)];
  std::int64_t yellow = 0, shown = 0;
  for (int j = 0; j < kStackGrid.dims[1]; ++j)
    for (int i = 0; i < kStackGrid.dims[0]; ++i) {
      const char color = color_of_cell(picture, frame, i, j);
      yellow += color == 'y';
      shown += color == 'y' || color == 'g';
    }
  CHECK(yellow == slice.inside);
  CHECK(shown == slice.range.cells());
  const double height = frame.pixels_per_cell() * s.bounds.y.size();
  const double width = frame.pixels_per_cell() * s.bounds.x.size();
  CHECK(std::max(height / kStackSize.y, width / kStackSize.x) > 0.6);
}

TEST_CASE_METHOD(skde::test::GlFixture, "face on x runs to the right and y upwards") {
  View v({21.5, 12.5, 8.5});  // near the faces at +x and +y
  v.look.full_share = 1;
  const Picture picture = v.face();
  glm::dvec2 mean(0);
  int yellow = 0;
  for (int y = 0; y < kStackSize.y; ++y)
    for (int x = 0; x < kStackSize.x; ++x)
      if (name_of(picture.at(x, y)) == 'y') mean += glm::dvec2(x, y), ++yellow;
  REQUIRE(yellow > 100);
  mean /= yellow;
  CHECK(mean.x > 0.65 * kStackSize.x);
  CHECK(mean.y < 0.4 * kStackSize.y);
}

TEST_CASE_METHOD(skde::test::GlFixture,
                 "the stack has x to the right and z upwards from the front") {
  View v({20.5, 7.5, 14.5}, Symmetric3::diagonal(6, 6, 6));
  v.look.full_share = 1;
  v.look.camera.azimuth = -90;
  v.look.camera.elevation = 20;
  const Picture picture = v.stack();
  glm::dvec2 mean(0);
  int yellow = 0;
  for (int y = 0; y < kStackSize.y; ++y)
    for (int x = 0; x < kStackSize.x; ++x)
      if (is_yellowish(picture.at(x, y))) mean += glm::dvec2(x, y), ++yellow;
  REQUIRE(yellow > 50);
  mean /= yellow;
  CHECK(mean.x > 0.6 * kStackSize.x);
  CHECK(mean.y < 0.4 * kStackSize.y);
  const StackFrame frame(fitted_box(v.view.slices(), 1), v.look.camera, kStackSize);
  const auto middle = frame.to_pixel(sample_position(v.view.slices()));
  REQUIRE(middle);
  CHECK(glm::distance(mean, *middle) < 12);
}

TEST_CASE_METHOD(skde::test::GlFixture, "the nearer sheets of a stack cover the others") {
  View v({11.5, 7.5, 8.5}, Symmetric3::diagonal(20, 20, 20));
  v.look.slice = 12;  // the uppermost slice, seen from both sides
  for (const double elevation : {80.0, -80.0}) {
    v.look.camera.elevation = elevation;
    const StackFrame frame(fitted_box(v.view.slices(), 0), v.look.camera, kStackSize);
    const auto pixel = frame.to_pixel({11.3, 8.3, 12.5});
    REQUIRE(pixel);
    const Picture picture = v.stack();
    const Bytes seen = picture.at(static_cast<int>(pixel->x), static_cast<int>(pixel->y));
    INFO("elevation " << elevation);
    CHECK((name_of(seen) == 'y') == (elevation > 0));
  }
}

TEST_CASE_METHOD(skde::test::GlFixture, "a kernel out of reach leaves an empty slice") {
  View v({200, 7, 8});
  const Picture picture = v.face();
  for (int y = 0; y < kStackSize.y; y += 7)
    for (int x = 0; x < kStackSize.x; x += 7) {
      const char color = name_of(picture.at(x, y));
      CHECK((color != 'y' && color != 'g'));
    }
  v.stack();
  const std::vector<SliceLabel> told = v.view.face_labels(v.region, v.look);
  REQUIRE(told.size() == 1);
  CHECK(told.front().text == "the kernel reaches no cell");
  View far({200, 7, 1e300});
  far.face();
  far.stack();
}

TEST_CASE_METHOD(skde::test::GlFixture, "a part is drawn within its region alone") {
  View v({20.2, 6.4, 8.1});
  v.region = {{100, 40}, {320, 200}};
  v.look.full_share = 1;
  const Picture picture = v.face();
  int inside = 0;
  for (int y = 0; y < kStackSize.y; ++y)
    for (int x = 0; x < kStackSize.x; ++x) {
      const bool drawn = !is_color(picture.at(x, y), {1, 0, 1});
      if (drawn) CHECK(v.region.holds({x, y}));
      inside += drawn;
    }
  CHECK(inside == 320 * 200);
}

TEST_CASE_METHOD(skde::test::GlFixture, "labels stand at the ends of the cropped range") {
  View v({20.2, 6.4, 8.1});
  v.region = {{60, 20}, {600, 460}};
  v.look.slice = 8;
  const SampleSlice& slice = v.view.slices().slices[v.view.slices().nearest(8)];
  std::map<std::string, glm::vec2> labels;
  for (const SliceLabel& label : v.view.face_labels(v.region, v.look))
    labels[label.text] = label.place.pixel;
  REQUIRE(labels.count("z = 8") == 1);
  const std::string last_x = std::to_string(slice.range.x.end - 1);
  const std::string first_y = std::to_string(slice.range.y.begin);
  REQUIRE(labels.count(last_x) == 1);
  REQUIRE(labels.count(first_y) == 1);
  // The label at the end of the x range lies to the right of and below the one at the start of the
  // y range. Both lie beside the slice but in its part of the picture.
  CHECK(labels[last_x].x > labels[first_y].x);
  CHECK(labels[last_x].y > labels[first_y].y - 40);
  for (const std::string& text : {last_x, first_y}) CHECK(v.region.holds(glm::dvec2(labels[text])));
}

TEST_CASE_METHOD(skde::test::GlFixture, "the method's axes bear the names of the columns") {
  View v({20.2, 6.4, 8.1});
  v.look.axes = {"long", "lat", "depth"};
  std::vector<SliceLabel> labels = v.view.face_labels(v.region, v.look);
  for (SliceLabel& label : v.view.stack_labels(v.region, v.look))
    labels.push_back(std::move(label));
  const auto times = [&](const std::string& text) {
    return std::ranges::count(labels, text, &SliceLabel::text);
  };
  CHECK(times("long") == 2);  // for the slice and for the stack
  CHECK(times("lat") == 2);
  CHECK(times("depth") == 1);
  CHECK(times("x") == 0);
}

TEST_CASE_METHOD(skde::test::GlFixture, "labels of a small range become one") {
  View v({256.5, 200.5, 300.5}, Symmetric3::diagonal(26, 26, 26),
         Grid{{0, 0, 0}, {1, 1, 1}, {512, 512, 512}});
  v.look.full_share = 1;
  const auto has = [](const std::vector<SliceLabel>& labels, const std::string& text) {
    return std::any_of(labels.begin(), labels.end(),
                       [&](const SliceLabel& label) { return label.text == text; });
  };
  CHECK(has(v.view.face_labels(v.region, v.look), "251..261"));
  CHECK(has(v.view.face_labels(v.region, v.look), "195..205"));
  CHECK(has(v.view.stack_labels(v.region, v.look), "z = 300"));
  CHECK_FALSE(has(v.view.stack_labels(v.region, v.look), "z = 305"));
  v.look.full_share = 0;
  CHECK(has(v.view.face_labels(v.region, v.look), "251"));
  CHECK(has(v.view.stack_labels(v.region, v.look), "z = 305"));
}

TEST_CASE_METHOD(skde::test::GlFixture,
                 "labels of the method are whole and apart from each other at every size") {
  const auto [size, scale] = GENERATE(table<glm::ivec2, float>({{{320, 240}, 1.0F},
                                                                {{640, 480}, 1.0F},
                                                                {{1280, 720}, 1.0F},
                                                                {{1280, 720}, 2.0F},
                                                                {{3840, 2160}, 2.0F}}));
  const auto layout = GENERATE(ViewLayout::both, ViewLayout::method);
  const auto measure = [s = scale](const std::string& text) {
    return glm::dvec2(8.0 * s * static_cast<double>(text.size()), 15.0 * s);
  };
  ViewState state;
  state.layout = layout;
  const ViewParts parts = view_parts(state, {{0, 0}, size}, scale);
  const MethodParts method = method_parts(parts.method);
  View v({20.2, 6.4, 8.1});
  for (const float share : {0.0F, 1.0F}) {
    v.look.full_share = share;
    CAPTURE(size.x, scale, share);
    auto labels = v.view.stack_labels(method.stack, v.look, scale);
    const auto in_stack = ui::place_labels(labels, method.stack, measure);
    const auto face_labels = v.view.face_labels(method.face, v.look, scale);
    const auto in_face = ui::place_labels(face_labels, method.face, measure);
    std::set<std::string> said;
    for (const auto* some : {&in_stack, &in_face})
      for (std::size_t i = 0; i < some->size(); ++i) {
        const ui::TextBox& box = (*some)[i].box;
        said.insert((*some)[i].label->text);
        const PixelRegion& region = some == &in_stack ? method.stack : method.face;
        CHECK(region.holds(box.lower));
        CHECK(region.holds(box.upper - 1e-9));
        for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(box.meets((*some)[k].box));
      }
    // The chosen slice always has its label; the triad has letters if there is room for it.
    CHECK(said.count("z = 8") == 1);
    const bool triad = has_room_for_triad(method.stack.size, scale);
    CHECK((static_cast<float>(std::min(method.stack.size.x, method.stack.size.y)) >= 360 * scale) ==
          triad);
    CHECK(std::ranges::any_of(
              in_stack, [](const auto& placed) { return placed.label->text == "y"; }) == triad);
  }
}

TEST_CASE("the stack and the slice share a region") {
  const MethodParts high = method_parts({{10, 20}, {301, 501}});
  CHECK(high.stack.size == glm::ivec2(301, 250));
  CHECK(high.face.corner == glm::ivec2(10, 270));
  CHECK(high.face.size == glm::ivec2(301, 251));
  const MethodParts wide = method_parts({{10, 20}, {500, 300}});
  CHECK(wide.face.corner == glm::ivec2(260, 20));
  CHECK(wide.face.size == glm::ivec2(250, 300));
}

}  // namespace
