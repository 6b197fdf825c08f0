#pragma once

#include <nlohmann/json_fwd.hpp>

#include "viewer/scene/view_frame.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Draws options.benchmark_frames frames at full quality while the camera turns once, then as many
/// (at most 50) densities while the bandwidth changes, and returns the times in milliseconds:
/// `march` by the card's own clock, `frame` from the first command to the finished picture,
/// `recompute` from a request to the texture, `engine` its part in the engine's stages.
nlohmann::ordered_json measure_frames(ViewFrame& frame, ViewSession& session,
                                      const ViewOptions& options);

}  // namespace skde::view
