#pragma once

#include <string>

#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/inks.hpp"

namespace skde::view {

class ViewSession;
namespace ui {
struct PanelFacts;
}

/// How texts are written over the views.
struct TextSettings {
  float scale = 1;  ///< of the display
  Inks inks = kDarkInks;
  std::string caption;   ///< in the corner of the volume, besides the window of time
  bool panels = false;   ///< whether panels are shown, which tell the scores of bandwidths
  bool listens = false;  ///< whether the frame takes input, so that the probe reads
};

/// Draws the title above the views, and returns what it leaves of a region.
PixelRegion draw_title(const std::string& title, PixelRegion region, float scale);
/// Draws what stands over the views in a region: texts, bars, pins, and what the probe reads under
/// the mouse. Before the first density, says what is missing where.
void draw_texts(ViewSession& session, const ui::PanelFacts& facts, const PixelRegion& region,
                const TextSettings& settings);

}  // namespace skde::view
