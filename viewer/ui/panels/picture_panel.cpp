#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
void draw_picture_panel(ViewState& state, PanelActions& actions) {
  for (const char* const key :
       {"theme", "ground", "title", "axes", "bar", "mass", "triad", "format"})
    draw_field(fmt::format("appearance/{}", key), state);
  begin_row("picture", "Width and height of the picture without panels; 0: as the views");
  WidgetRow row{"16384 16384", "write (F12)"};
  ImGui::SetNextItemWidth(row.next());
  ImGui::InputInt2("##picture size", state.appearance.size.data());
  for (int& side : state.appearance.size)
    if (side != 0) side = std::clamp(side, kLeastPictureSide, kMostPictureSide);
  if (fitted_button("write (F12)", row.next())) actions.screenshot = true;
}

}  // namespace skde::view::ui
