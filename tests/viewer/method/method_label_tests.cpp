#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/method/method_cases.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/ui/label_layout.hpp"

namespace {

using namespace skde;
using namespace skde::view;

/// Returns whether a label lies over quads or lines of its part, but for the ground behind all.
bool lies_over(const ShapeList& shapes, const ui::TextBox& box) {
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    if (!shapes[i].region.holds(box.lower)) continue;  // shapes are cut off at their region
    for (const FilledQuad& quad : shapes[i].quads)
      for (const glm::dvec2 share : {glm::dvec2(0), {1, 0}, {0, 1}, {1, 1}, {0.5, 0.5}})
        if (covers(quad, glm::vec2(glm::mix(box.lower, box.upper, share)))) return true;
    for (const PolyLine& line : shapes[i].lines)
      for (std::size_t k = 1; k < line.places.size(); ++k)
        if (box.meets(PixelLine{glm::dvec2(line.places[k - 1]), glm::dvec2(line.places[k])}))
          return true;
  }
  return false;
}

TEST_CASE("the key tells the kernel's greatest value where there is room") {
  SampleSlices s = sliced({20.2, 6.4, 8.1});
  CHECK(has(method_picture(s, kWhole, {}, 1), "0.597  kernel's value"));  // 15 / (8 pi)
  CHECK(has(method_picture(s, kWhole, {}, 1), "the slice goes on"));
  s.function = KernelFunction::gaussian;
  CHECK(has(method_picture(s, kWhole, {}, 1), "0.0635  kernel's value"));  // (2 pi)^(-3/2)
  const PixelRegion low{{0, 0}, {480, 140}}, middle{{0, 0}, {400, 300}};
  CHECK(method_parts(low, 1).key.size.y == 0);
  CHECK_FALSE(has(method_picture(s, low, {}, 1), "0.0635  kernel's value"));
  CHECK(has(method_picture(s, middle, {}, 1), "0.0635  kernel's value"));
  CHECK_FALSE(has(method_picture(s, middle, {}, 1), "the slice goes on"));
}

TEST_CASE("labels of the method are whole and apart from each other at every size") {
  const auto [size, scale] = GENERATE(table<glm::ivec2, float>({{{333, 777}, 1.0F},
                                                                {{480, 140}, 1.0F},
                                                                {{600, 400}, 1.0F},
                                                                {{400, 300}, 1.0F},
                                                                {{640, 480}, 1.0F},
                                                                {{1280, 800}, 1.0F},
                                                                {{1280, 720}, 2.0F},
                                                                {{3840, 2160}, 2.0F}}));
  const auto layout = GENERATE(ViewLayout::both, ViewLayout::method);
  const auto measure = [s = scale](const std::string& text) {
    return glm::dvec2(8.0 * s * static_cast<double>(text.size()), 15.0 * s);
  };
  ViewState state;
  state.layout = layout;
  const PixelRegion region = view_parts(state, {{0, 0}, size}, scale).method;
  const SampleSlices s = sliced({20.2, 6.4, 8.1});
  for (const float share : {0.0F, 1.0F}) {
    MethodLook look;
    look.full_share = share;
    CAPTURE(size.x, size.y, scale, share);
    const MethodPicture picture = method_picture(s, region, look, scale);
    const auto placed = ui::place_labels(picture.labels, region, measure);
    const MethodParts parts = method_parts(region, scale);
    const auto is_stack = [&, s = scale](const PixelRegion& room) {
      return std::ranges::any_of(parts.steps, [&](const PixelRegion& step) {
        return below_caption(step, s).corner == room.corner;
      });
    };
    std::set<std::string> said;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      said.insert(placed[i].label->text);
      const PixelRegion& room = placed[i].label->room;
      REQUIRE(room.size.x > 0);
      CHECK(room.holds(placed[i].box.lower));
      CHECK(room.holds(placed[i].box.upper - 1e-9));
      CHECK(region.holds(placed[i].box.upper - 1e-9));
      for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(placed[i].box.meets(placed[k].box));
      INFO(placed[i].text);
      if (is_stack(room)) CHECK_FALSE(lies_over(picture.shapes, placed[i].box));
    }
    if (region.size.x >= 320 * static_cast<int>(scale))
      for (const auto& caption : method_captions(s, s.nearest(s.position.z)))
        CHECK(said.count(caption.title) == 1);
  }
}

}  // namespace
