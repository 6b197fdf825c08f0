#pragma once

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Declares all panels between PanelLayer's begin() and end(): the side window and what lies over
/// the views. Changes the state as the user requests and returns the other requests. Sets
/// layout.views to the part of the picture that no side window covers; it is never empty.
PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

}  // namespace skde::view::ui
