#include "viewer/ui/panels/mixture_panel.hpp"

#include <imgui.h>

#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {

void draw_mixture_panel(ViewState& state, const MixtureFacts& facts) {
  if (facts.members == 0) {
    quiet_text("No ellipsoids: open a mixture or splats, or fit some to the density.");
    return;
  }
  begin_row("show", "Under the volume, or alone (E); one deviation, coloured by mass");
  choose_by_button(kEllipsoidsShown, state.ellipsoids);
  if (state.ellipsoids == EllipsoidsShown::off) return;
  if (facts.chosen.empty()) return quiet_text("A click on an ellipsoid shows its numbers.");
  if (!begin_fact_table("##ellipsoid lines")) return;
  for (const ReadoutLine& line : facts.chosen) fact_row(line.label, line.value);
  ImGui::EndTable();
}

}  // namespace skde::view::ui
