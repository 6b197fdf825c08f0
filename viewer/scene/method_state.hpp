#pragma once

#include <algorithm>

#include "viewer/layers/space/camera.hpp"

namespace skde::view {

/// How the stacks of the method are seen.
struct MethodState {
  static constexpr double kLeastApart = 1, kMostApart = 20;
  double apart = 1;    ///< distance of slices, relative to the true one
  Camera camera;       ///< see MethodLook
  bool plays = false;  ///< whether a window goes on by itself, slice by slice and sample by sample

  /// Scales the distance of slices, within its bounds.
  void draw_apart(double factor) { apart = std::clamp(apart * factor, kLeastApart, kMostApart); }

  friend bool operator==(const MethodState&, const MethodState&) = default;
};

}  // namespace skde::view
