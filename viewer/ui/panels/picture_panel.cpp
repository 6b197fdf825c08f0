#include "viewer/ui/panels/side_panels.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

void draw_ground(Appearance& appearance) {
  begin_row("ground", "Of pictures that are written; transparent: a PNG with opacities");
  std::string_view present;
  for (const auto& [name, ground] : kGrounds)
    if (ground == appearance.ground) present = name;
  if (!begin_combo("##ground", present.data())) return;
  for (const auto& [name, ground] : kGrounds)
    if (ImGui::Selectable(name.data(), ground == appearance.ground)) appearance.ground = ground;
  ImGui::EndCombo();
}

}  // namespace

void draw_picture_panel(Appearance& appearance, PanelActions& actions) {
  begin_row("theme", "Colours of panels and ground");
  choose_by_button(kThemes, appearance.theme);
  draw_ground(appearance);
  begin_row("title", "Above the views");
  ImGui::InputText("##title", &appearance.title);
  begin_row("decorations", "What stands on the picture");
  ImGui::Checkbox("axes", &appearance.axes);
  beside("colour bar");
  ImGui::Checkbox("colour bar", &appearance.bar);
  begin_row("");
  ImGui::Checkbox("mass", &appearance.mass);
  explain("Share of the mass in the box");
  beside("triad");
  ImGui::Checkbox("triad", &appearance.triad);
  begin_row("format", "In SVG and PDF axes and letters are shapes");
  choose_by_button(kPictureFormats, appearance.format);
  begin_row("picture", "Width and height of the picture without panels; 0: as the views");
  WidgetRow row{"16384 16384", "write (F12)"};
  ImGui::SetNextItemWidth(row.next());
  ImGui::InputInt2("##picture size", appearance.size.data());
  for (int& side : appearance.size)
    if (side != 0) side = std::clamp(side, kLeastPictureSide, kMostPictureSide);
  if (fitted_button("write (F12)", row.next())) actions.screenshot = true;
}

}  // namespace skde::view::ui
