#include "viewer/ui/label_layout.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "viewer/layers/space/camera.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using namespace skde::view::ui;

glm::dvec2 measure(const std::string& text) {
  const std::size_t line = text.find('\n');
  const std::size_t letters =
      line == text.npos ? text.size() : std::max(line, text.size() - line - 1);
  return {8.0 * static_cast<double>(letters), line == text.npos ? 15 : 30};
}

std::vector<PixelLine> edges_on(const SceneLines& lines, const Perspective& perspective) {
  std::vector<PixelLine> found;
  for (const auto* some : {&lines.before, &lines.behind})
    for (const LineSegment& segment : *some) {
      const auto from = perspective.project(segment.from), to = perspective.project(segment.to);
      if (from && to) found.push_back({glm::dvec2(*from), glm::dvec2(*to)});
    }
  return found;
}

}  // namespace

TEST_CASE("Labels are whole and cross neither lines nor each other from every side and size") {
  const glm::ivec2 size = GENERATE(glm::ivec2(320, 240), glm::ivec2(640, 480),
                                   glm::ivec2(1280, 800), glm::ivec2(3840, 2160));
  const Box box{{165, -38, -30}, {190, -10, 700}};
  const SceneFrame frame(box, true, {false, false, true});
  const AxisTexts texts{{"longitude", "latitude", "depth below ground"}, "km"};
  std::size_t captions = 0, sides = 0, ticks = 0;
  for (int azimuth = -180; azimuth < 180; azimuth += 15)
    for (int elevation = -75; elevation <= 75; elevation += 25) {
      Camera camera;
      camera.azimuth = azimuth;
      camera.elevation = elevation;
      const Perspective perspective(camera, frame.radius(), size);
      const SceneLines lines = box_lines(box, frame, perspective, texts, glm::vec4(1), 1);
      const std::vector<PixelLine> edges = edges_on(lines, perspective);
      const auto placed = place_labels(lines.labels, edges, size, measure);
      const auto names_stretch = [](const SceneLabel& label) {
        return label.text.find("stretched") != std::string::npos;
      };
      REQUIRE(std::ranges::any_of(lines.labels, names_stretch));
      ++sides;
      CAPTURE(azimuth, elevation, size.x);
      for (std::size_t i = 0; i < placed.size(); ++i) {
        const TextBox& at = placed[i].box;
        (placed[i].label->elsewhere.empty() ? ticks : captions) += 1;
        REQUIRE((at.lower.x >= 0 && at.lower.y >= 0));
        REQUIRE((at.upper.x <= size.x && at.upper.y <= size.y));
        REQUIRE(std::ranges::none_of(edges, [&](const PixelLine& line) { return at.meets(line); }));
        // No two labels read as one word either.
        const TextBox line{at.lower + glm::dvec2(-5, 6), at.upper + glm::dvec2(5, -6)};
        for (std::size_t k = 0; k < i; ++k) {
          REQUIRE_FALSE(at.meets(placed[k].box));
          REQUIRE_FALSE(line.meets(placed[k].box));
        }
      }
    }
  // Most names are placed although there is little room.
  if (size.x >= 640) CHECK(10 * captions > 27 * sides);
  if (size.x >= 640) CHECK(ticks > 6 * sides);
}

TEST_CASE("A line meets a box that it crosses and none beside it") {
  const TextBox box{{10, 10}, {20, 20}};
  CHECK(box.meets(PixelLine{glm::dvec2(0, 0), glm::dvec2(30, 30)}));
  CHECK(box.meets(PixelLine{glm::dvec2(15, 0), glm::dvec2(15, 30)}));
  CHECK(box.meets(PixelLine{glm::dvec2(12, 12), glm::dvec2(13, 13)}));
  CHECK_FALSE(box.meets(PixelLine{glm::dvec2(0, 0), glm::dvec2(9, 9)}));
  CHECK_FALSE(box.meets(PixelLine{glm::dvec2(0, 12), glm::dvec2(12, 30)}));
  CHECK_FALSE(box.meets(PixelLine{glm::dvec2(5, 0), glm::dvec2(5, 30)}));
}
