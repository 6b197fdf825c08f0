#pragma once

#include <nlohmann/json_fwd.hpp>

#include "viewer/session/view_options.hpp"
#include "viewer/window/view_frame.hpp"

namespace skde::view {

/// Writes the screenshot, the turntable's frames or the measured times that the options request,
/// without a display. Throws what opening and computing throw, and Error(output) if a file cannot
/// be written or the picture differs from the reference.
void run_headless(const ViewOptions& options);

/// Draws options.benchmark_frames frames at full quality while the camera turns once. Then computes
/// as many densities (at most 50) while the bandwidth changes. Returns the times in milliseconds:
/// `march` by the card's own clock, `frame` from the first command to the finished picture,
/// `recompute` from a request to the texture, `engine` the share of the engine's stages in it.
nlohmann::ordered_json measure_frames(ViewFrame& frame, ViewSession& session,
                                      const ViewOptions& options);

}  // namespace skde::view
