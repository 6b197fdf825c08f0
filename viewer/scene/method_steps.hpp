#pragma once

#include "viewer/scene/view_scene.hpp"

namespace skde::view {

/// Goes on to the next slice of the chosen sample; after its last one, to the first slice of the
/// next sample, and after the last sample to the first one. Does nothing without samples.
void step_method(ViewState& state, ViewScene& scene);

/// Returns the edges of what crop keeps of the chosen slice and the ellipse in it, in scene units.
std::vector<LineSegment> slice_marks(const SampleSlices& slices, const MethodLook& look,
                                     const Grid& grid, const SceneFrame& frame);

}  // namespace skde::view
