#pragma once

#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view {

/// Returns what the panels show of a session, except frame times. `renderer`: renderer_name().
ui::PanelFacts facts_of(ViewSession& session, const std::string& renderer);
/// Returns what of the density cannot be seen as it was asked for, and why, one line each: values
/// that no density has, surfaces, slices and clips beyond the box, rows without a place. Requires
/// a density.
std::vector<std::string> picture_warnings(ViewSession& session);

}  // namespace skde::view
