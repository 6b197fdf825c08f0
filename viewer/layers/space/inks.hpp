#pragma once

#include <array>
#include <glm/glm.hpp>

namespace skde::view {

/// The colours of a theme that lines, letters and plates over the views have (sRGB, 0..1). Those of
/// letters have a contrast of at least 4.5 to the ground and to plates.
struct Inks {
  glm::vec3 ground;               ///< behind the views
  glm::vec4 plate;                ///< behind plots and tables over the views
  glm::vec4 halo;                 ///< around lines and letters that lie over a picture
  glm::vec4 strong;               ///< letters of panels, bars and captions
  glm::vec4 quiet;                ///< letters of less weight
  glm::vec4 line;                 ///< letters and lines of the volume
  std::array<glm::vec4, 3> axes;  ///< x, y and z
  glm::vec4 notice;               ///< warnings, and masses on the histogram
  glm::vec4 pin;                  ///< pinned places
  glm::vec4 mark;                 ///< lines around what is selected or clipped
  glm::vec4 kernel;               ///< ellipsoid of the chosen sample
  glm::vec4 member;               ///< ellipsoid of the chosen member of a mixture
  glm::vec4 curve;                ///< line of a plot
  glm::vec4 best;                 ///< the best place of a plot
  friend bool operator==(const Inks&, const Inks&) = default;
};

inline constexpr Inks kDarkInks{
    .ground = {0.07F, 0.075F, 0.09F},
    .plate = {0.094F, 0.106F, 0.125F, 0.9F},
    .halo = {0.04F, 0.047F, 0.06F, 0.78F},
    .strong = {0.90F, 0.91F, 0.93F, 1},
    .quiet = {0.62F, 0.65F, 0.69F, 1},
    .line = {0.72F, 0.74F, 0.77F, 1},
    .axes = {{{0.94F, 0.28F, 0.28F, 1}, {0.36F, 0.75F, 0.29F, 1}, {0.29F, 0.53F, 0.95F, 1}}},
    .notice = {1, 0.76F, 0.28F, 1},
    .pin = {1, 0.91F, 0.55F, 1},
    .mark = {0.98F, 0.59F, 0.22F, 1},
    .kernel = {1, 0.85F, 0.1F, 1},
    .member = {0.45F, 1, 1, 1},
    .curve = {0.38F, 0.67F, 0.87F, 1},
    .best = {1, 0.48F, 0.40F, 1}};

inline constexpr Inks kLightInks{
    .ground = {1, 1, 1},
    .plate = {0.94F, 0.95F, 0.96F, 0.9F},
    .halo = {1, 1, 1, 0.78F},
    .strong = {0.12F, 0.13F, 0.15F, 1},
    .quiet = {0.38F, 0.40F, 0.44F, 1},
    .line = {0.22F, 0.23F, 0.25F, 1},
    .axes = {{{0.78F, 0.09F, 0.12F, 1}, {0.04F, 0.45F, 0.12F, 1}, {0.08F, 0.33F, 0.80F, 1}}},
    .notice = {0.58F, 0.34F, 0, 1},
    .pin = {0.53F, 0.35F, 0, 1},
    .mark = {0.76F, 0.34F, 0, 1},
    .kernel = {0.68F, 0.42F, 0, 1},
    .member = {0, 0.42F, 0.52F, 1},
    .curve = {0.10F, 0.40F, 0.68F, 1},
    .best = {0.76F, 0.15F, 0.08F, 1}};

}  // namespace skde::view
