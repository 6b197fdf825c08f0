#include "viewer/ui/panels/section_panel.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include "cli/number_format.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {

void draw_section_panel(ViewState& state, const PanelFacts& facts) {
  if (!facts.grid) return;
  Sections& sections = state.sections;
  begin_row("slices", "Planes in the volume, or without it; \"show: slices\" has them flat");
  choose_by_button(kSectionsShown, sections.shown);
  if (sections.shown == SectionsShown::off && state.layout != ViewLayout::slices) return;
  const Grid& grid = *facts.grid;
  Vec3 at = sections.place(grid);
  const Box bounds = grid.bounds();
  for (int axis = 0; axis < 3; ++axis) {
    begin_row(facts.axes.name(static_cast<std::size_t>(axis)).c_str(),
              "Where the slices meet; drag the cross-hair, or this slider");
    ImGui::PushID(axis);
    if (slider("##at", at[axis], bounds.lower[axis], bounds.upper[axis], "%.5g")) sections.at = at;
    ImGui::PopID();
  }
  begin_row("");
  quiet_text(fmt::format(
      "cell {}, {}, {}: {}", section_cell(grid, at, 0), section_cell(grid, at, 1),
      section_cell(grid, at, 2),
      facts.file_facts.has_density ? cli::format_value(facts.at_sections) : "no density yet"));
  begin_row("cells", "One colour for each cell, or interpolated between their centres");
  ImGui::Checkbox("smooth", &sections.smooth);
  if (state.layout != ViewLayout::slices) return;
  begin_row("samples", "Those this near to a slice are drawn over it: a share of the box's edge");
  double percent = 100 * sections.near;
  if (slider("##near", percent, 0, 20, "within %.3g %%") && percent >= 0 && percent <= 100)
    sections.near = percent / 100;
}

}  // namespace skde::view::ui
