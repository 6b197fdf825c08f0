#pragma once

#include <span>

#include "viewer/method/method_picture.hpp"
#include "viewer/scene/scene_overlay.hpp"

namespace skde::view::ui {

/// Writes the names and numbers of a view over its region of the picture, below the panels. Pixels
/// of scene labels count from the region's corner, those of slice labels from the picture's.
/// `lines` are those of the scene, in its pixels; no text crosses them. See place_labels().
void draw_labels(std::span<const SceneLabel> labels, std::span<const PixelLine> lines,
                 const PixelRegion& region, float scale);
void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
