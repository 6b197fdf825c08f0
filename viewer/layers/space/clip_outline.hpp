#pragma once

#include <vector>

#include "viewer/layers/space/clip.hpp"
#include "viewer/layers/space/line_batch.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {

/// Returns the edges along which a clip cuts the box of a scene: those of the clip's
/// own box and of the polygon in which its plane meets what is left. Empty if nothing is left.
std::vector<LineSegment> clip_lines(const Clip& clip, const SceneFrame& frame, glm::vec4 color);

/// Returns the outlines of the sections that meet at a place, and the lines along which they meet,
/// as far as the clip keeps them.
std::vector<LineSegment> section_lines(Vec3 at, const Clip& clip, const SceneFrame& frame,
                                       const std::array<glm::vec4, 3>& colors);

}  // namespace skde::view
