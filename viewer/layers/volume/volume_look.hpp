#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/layers/space/clip.hpp"
#include "viewer/layers/space/value_axis.hpp"

namespace skde::view {

enum class RenderMode { composite, maximum, isosurface };

/// Most nested surfaces of a picture; the shader keeps their densities in a vec4.
inline constexpr std::size_t kMostSurfaces = 4;

/// The masses inside the surfaces that isosurface mode starts with, and that are faintly seen in
/// opacities by mass.
inline const std::vector<double> kFirstMasses{0.5, 0.75, 0.95};

/// Whether the members of a mixture are drawn as ellipsoids: under the volume, or instead of it.
enum class EllipsoidsShown { off, under, alone };

/// The look of the volume, apart from the camera.
struct VolumeLook {
  RenderMode mode = RenderMode::composite;
  ValueAxis axis;
  /// Colours (sRGB, 0..1) and opacity, evenly spaced over the axis, at least two. The opacity is
  /// that of a layer whose thickness is a hundredth of the box's diagonal.
  std::vector<glm::vec4> colors;
  bool gradient_shading = false;  ///< composite: shading by the density's gradient
  double isovalue = 0.5;          ///< position of the isosurface, as a share of the axis
  /// Isosurface: densities of nested, translucent surfaces, at most kMostSurfaces. They replace
  /// that of the isovalue if there are any.
  std::vector<double> surfaces;
  Clip clip;           ///< what is cut away
  bool jitter = true;  ///< starts rays at different depths, against banding
  /// Samples of a ray per cell that it crosses: 1 is full quality, less while things move.
  double quality = 1;
};

}  // namespace skde::view
