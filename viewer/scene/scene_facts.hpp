#pragma once

#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view {

/// Returns what the panels show of a session, except frame times. `renderer`: renderer_name().
ui::PanelFacts facts_of(ViewSession& session, const std::string& renderer);

}  // namespace skde::view
