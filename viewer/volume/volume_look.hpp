#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/volume/value_axis.hpp"

namespace skde::view {

enum class RenderMode { composite, maximum, isosurface };

/// How the volume looks, besides the camera.
struct VolumeLook {
  RenderMode mode = RenderMode::composite;
  ValueAxis axis;
  /// Colours (sRGB, 0..1) and opacity over the axis, evenly spaced, at least two. An opacity is
  /// that of a layer whose thickness is a hundredth of the box's diagonal.
  std::vector<glm::vec4> colors;
  bool gradient_shading = false;  ///< composite: light and shadow by the density's gradient
  bool maximum_fades = false;     ///< maximum: as transparent as its colour, instead of opaque
  double isovalue = 0.5;          ///< share of the axis at which the isosurface lies
  bool jitter = true;             ///< starts rays at unlike depths, against banding
  /// Samples of a ray for each cell that it crosses; 1 is full quality, smaller while things move.
  double quality = 1;
};

}  // namespace skde::view
