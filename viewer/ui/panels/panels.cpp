#include "viewer/ui/panels/panels.hpp"

#include "viewer/ui/error_dialog.hpp"
#include "viewer/ui/help_overlay.hpp"
#include "viewer/ui/panels/side_window.hpp"
#include "viewer/ui/progress_overlay.hpp"

namespace skde::view::ui {

PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  const ViewState before = state;
  PanelActions actions;
  draw_side_window(state, facts, layout, actions);
  draw_help_overlay(layout);
  draw_progress_overlay(facts, layout, actions);
  draw_error_dialog(facts.error, actions);
  actions.state_changed = state != before;
  actions.density_changed = !same_density(state, before);
  return actions;
}

}  // namespace skde::view::ui
