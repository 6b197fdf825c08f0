#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde {

inline constexpr int kPictureMargin = 16;  // around everything

/// The text above a picture's panels: a title, and lines of facts and warnings.
struct PictureHeading {
  std::string title;
  std::vector<std::string> lines{};

  /// Pixels from the top of the picture to the end of the heading.
  int height() const;
};

/// Returns the heading of a picture of this width: the facts of the density and `more` facts,
/// joined into lines, and its warnings.
PictureHeading make_heading(const PictureCanvas& ruler, int width, std::string title,
                            const Grid& grid, const DensityMetadata& metadata,
                            const std::vector<std::string>& more);
void draw_heading(PictureCanvas& canvas, int width, const PictureHeading& heading);

}  // namespace skde
