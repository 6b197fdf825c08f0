#include "viewer/layers/space/inks.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "viewer/layers/method/method_geometry.hpp"

namespace {

using namespace skde::view;

/// Returns the relative luminance of a colour, as WCAG 2.1 defines it.
double luminance(glm::vec3 color) {
  const auto linear = [](double share) {
    return share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

double contrast(glm::vec3 a, glm::vec3 b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

TEST_CASE("contrasts are those of the definition") {
  CHECK(contrast({1, 1, 1}, {0, 0, 0}) == Approx(21));
  CHECK(contrast({0x76 / 255.F, 0x76 / 255.F, 0x76 / 255.F}, {1, 1, 1}) ==
        Approx(4.54).margin(0.01));
}

TEST_CASE("letters stand out against ground and plates in every theme") {
  for (const Inks& inks : {kDarkInks, kLightInks}) {
    const std::vector<glm::vec4> letters{inks.strong,  inks.quiet,   inks.line,
                                         inks.axes[0], inks.axes[1], inks.axes[2],
                                         inks.notice,  inks.pin,     inks.best};
    for (const glm::vec3 ground : {inks.ground, glm::vec3(inks.plate)})
      for (std::size_t i = 0; i < letters.size(); ++i) {
        INFO("letters " << i << " on " << ground.r << ", " << ground.g << ", " << ground.b);
        CHECK(contrast(glm::vec3(letters[i]), ground) >= 4.5);
      }
    for (const glm::vec4 line : {inks.mark, inks.kernel, inks.member, inks.curve})
      CHECK(contrast(glm::vec3(line), inks.ground) >= 3);  // WCAG's for shapes
  }
}

TEST_CASE("letters of the method stand out against their ground") {
  for (const MethodColors& colors : {kDarkMethod, kLightMethod}) {
    CHECK(contrast(colors.ink, colors.ground) >= 4.5);
    CHECK(contrast(glm::mix(colors.quiet, colors.ink, 0.5F), colors.ground) >= 4.5);
    CHECK(contrast(colors.chosen, colors.ground) >= 4.5);
  }
}

}  // namespace
