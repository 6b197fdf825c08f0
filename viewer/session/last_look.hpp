#pragma once

#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// Views the state's cloud as `other` views its own, except for what belongs to that cloud: files,
/// density, camera, and where the axis of the colours ends.
void adopt_look(const ViewState& other, ViewState& state);
/// Returns the state that these files are first opened with, with the columns that were chosen.
ViewState reset_all(const ViewState& state);

}  // namespace skde::view
