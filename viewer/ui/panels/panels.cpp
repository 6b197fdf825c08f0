#include "viewer/ui/panels/panels.hpp"

#include "viewer/ui/error_dialog.hpp"
#include "viewer/ui/help_overlay.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/panels/side_window.hpp"
#include "viewer/ui/panels/time_panel.hpp"
#include "viewer/ui/progress_overlay.hpp"

namespace skde::view::ui {

namespace {

/// Tells what has been done, such as where a picture was written.
void draw_notice(const PanelLayout& layout) {
  if (layout.notice.empty() || ImGui::GetTime() > layout.notice_until) return;
  const glm::ivec2 corner = layout.views.corner + layout.views.size;
  const float gap = 8 * layout.scale;
  draw_outlined_text(*ImGui::GetBackgroundDrawList(), layout.notice,
                     {static_cast<float>(corner.x) - gap, static_cast<float>(corner.y) - gap},
                     {1, 1}, ImGui::GetColorU32(ImGuiCol_Text), layout.scale);
}

}  // namespace

PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  const ViewState before = state;
  PanelActions actions;
  draw_side_window(state, facts, layout, actions);
  play_time(state, facts, layout);
  draw_help_overlay(layout);
  draw_progress_overlay(facts, layout, actions);
  draw_notice(layout);
  draw_error_dialog(facts.error, actions);
  actions.state_changed = state != before;
  actions.density_changed = !same_density(state, before);
  return actions;
}

}  // namespace skde::view::ui
