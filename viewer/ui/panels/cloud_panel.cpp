#include "viewer/ui/panels/cloud_panel.hpp"

#include "viewer/ui/panels/file_panel.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/text_controls.hpp"

namespace skde::view::ui {

void draw_cloud_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions) {
  if (facts.is_stream) {
    quiet_text(
        "The samples come from a pipe: columns, weights and units are those of the command line.");
    return draw_stream_rows(facts.file_facts, actions);
  }
  if (facts.is_volume_file) {
    quiet_text(facts.values.units.empty() ? "A volume without units."
                                          : "A volume in " + facts.values.units + ".");
    return;
  }
  draw_text_controls(file_controls(), state, actions);
  begin_row("NaN rows", "Or an infinity: dropped and counted, or an error");
  choose_by_button(io::kNonFinite, state.cloud.non_finite);
}

}  // namespace skde::view::ui
