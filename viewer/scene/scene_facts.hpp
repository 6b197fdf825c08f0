#pragma once

#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view {

/// What the panels say of a session, but for the times of frames. `renderer`: renderer_name().
ui::PanelFacts facts_of(ViewSession& session, const std::string& renderer);

}  // namespace skde::view
