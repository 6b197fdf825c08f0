#include "viewer/ui/panels/panels.hpp"

#include "viewer/ui/dialogs/column_dialog.hpp"
#include "viewer/ui/dialogs/error_dialog.hpp"
#include "viewer/ui/dialogs/file_dialog.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/overlays/help_overlay.hpp"
#include "viewer/ui/overlays/progress_overlay.hpp"
#include "viewer/ui/panels/side_window.hpp"
#include "viewer/ui/panels/time_panel.hpp"

namespace skde::view::ui {

namespace {

/// Tells what has been done, such as where a picture was written.
void draw_notice(const PanelLayout& layout) {
  if (layout.notice.empty() || ImGui::GetTime() > layout.notice_until) return;
  const glm::ivec2 corner = layout.views.corner + layout.views.size;
  const float gap = 8 * layout.scale;
  const ImVec2 end{static_cast<float>(corner.x) - gap, static_cast<float>(corner.y) - gap};
  const ImVec2 size = ImGui::CalcTextSize(layout.notice.c_str());
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({end.x - size.x - gap, end.y - size.y - gap}, {end.x + gap, end.y + gap},
                     ImGui::GetColorU32(ImGuiCol_PopupBg), 0.5F * gap);
  draw_outlined_text(list, layout.notice, end, {1, 1}, ImGui::GetColorU32(ImGuiCol_Text),
                     layout.scale);
}

/// Draws the dialog that is due: only one can take input.
void draw_dialogs(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions) {
  const FileFacts& files = facts.file_facts;
  const ColumnChoice* const columns = files.columns ? &*files.columns : nullptr;
  if (draw_column_dialog(columns, files.remedies, layout.desk, actions.files))
    actions.dismiss_error = true;
  if (columns == nullptr) draw_error_dialog(facts.error, files.remedies, actions);
  if (columns == nullptr && facts.error.empty()) draw_file_dialog(layout.desk, actions.files);
}

}  // namespace

PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  const ViewState before = state;
  PanelActions actions;
  draw_side_window(state, facts, layout, actions);
  play_time(state, facts, layout);
  draw_hint(layout);
  draw_help_overlay(layout);
  draw_progress_overlay(facts, layout, actions);
  draw_notice(layout);
  draw_dialogs(facts, layout, actions);
  actions.state_changed = state != before;
  actions.density_changed = !same_density(state, before);
  return actions;
}

}  // namespace skde::view::ui
