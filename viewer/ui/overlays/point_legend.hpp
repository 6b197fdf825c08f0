#pragma once

#include <span>
#include <string>

#include "viewer/method/method_picture.hpp"
#include "viewer/volume/value_axis.hpp"
#include "viewer/work/shown_points.hpp"

namespace skde::view::ui {

/// Explains the colours of samples by texts in a column of pixels: the most frequent ones, and what
/// the others are together.
void draw_category_legend(std::span<const PointCategory> categories, const std::string& name,
                          const PixelRegion& region, float scale);

/// Explains the sizes of samples at the lower end of a region: the least and the largest disc with
/// their values. Returns what it leaves of the region.
PixelRegion draw_size_legend(const ValueAxis& axis, const std::string& name, PixelRegion region,
                             float scale);

}  // namespace skde::view::ui
