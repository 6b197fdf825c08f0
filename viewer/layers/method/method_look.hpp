#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

#include "pictures/color_map.hpp"
#include "viewer/layers/space/camera.hpp"

namespace skde::view {

/// Colours of the method view (sRGB, 0..1).
struct MethodColors {
  glm::vec3 ground;
  glm::vec3 ink;        ///< texts, the kernel's outline and axes
  glm::vec3 quiet;      ///< edges of the grid and of slices
  glm::vec3 full;       ///< cells that would be evaluated without crop
  glm::vec3 evaluated;  ///< cells outside the kernel that crop keeps
  glm::vec3 chosen;     ///< edges of what crop keeps of the chosen slice
  glm::vec3 sample;
};

inline constexpr glm::vec3 kMethodBackground{20 / 255.F, 23 / 255.F, 28 / 255.F};
inline constexpr MethodColors kDarkMethod{
    kMethodBackground,     {0.90F, 0.92F, 0.94F}, {0.46F, 0.50F, 0.55F}, {0.22F, 0.24F, 0.27F},
    {0.40F, 0.43F, 0.47F}, {1.00F, 0.62F, 0.18F}, {0.92F, 0.26F, 0.30F}};
inline constexpr MethodColors kLightMethod{{1, 1, 1},
                                           {0.10F, 0.11F, 0.13F},
                                           {0.52F, 0.55F, 0.58F},
                                           {0.91F, 0.92F, 0.93F},
                                           {0.76F, 0.78F, 0.80F},
                                           {0.74F, 0.33F, 0.00F},
                                           {0.80F, 0.10F, 0.15F}};

/// What the method view shows besides the sample's slices.
struct MethodLook {
  std::optional<std::int32_t> slice;  ///< of the grid; the sample's nearest if unset or outside
  /// Which part the views are fitted to, for a smooth change. 0: the kernel; 1: the whole grid.
  float full_share = 0;
  std::array<std::string, 3> axes{"x", "y", "z"};  ///< names
  /// Edges of a cell in the stacks, in any unit; negative along axes that are flipped.
  glm::dvec3 cell{1};
  double apart = 1;  ///< distance of the stacks' slices, relative to the true one
  ColorMap colors = ColorMap::viridis;  ///< of the kernel's values
  bool light = false;                   ///< dark shapes on white
  /// Camera of the stacks. Their scene is centred on the box that they are fitted to, whose
  /// bounding sphere has radius 1.
  Camera camera;

  const MethodColors& theme() const { return light ? kLightMethod : kDarkMethod; }
};

}  // namespace skde::view
