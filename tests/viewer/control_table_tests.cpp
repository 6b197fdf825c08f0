// The table of controls: places, names, explanations, and the search.

#include <GLFW/glfw3.h>

#include <set>

#include "cli/options/density_options.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/ui/imgui_input.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

namespace {

std::vector<const ViewField*> all_controls() {
  std::vector<const ViewField*> controls;
  for (const auto& [name, tab] : kTabs)
    for (const bool ahead : {true, false})
      for (const ViewField* const field : controls_of(tab, ahead)) controls.push_back(field);
  return controls;
}

}  // namespace

TEST_CASE("fifteen controls stand ahead of the others, and no two share a name") {
  std::set<std::string> names;
  std::size_t ahead = 0;
  for (const ViewField* const field : all_controls()) {
    CAPTURE(field->title());
    CHECK(names.emplace(field->title()).second);
    ahead += field->ahead ? 1 : 0;
  }
  CHECK(ahead == 15);
}

TEST_CASE("every control is explained in one line, with a flag that there is") {
  std::set<std::string> flags;
  for (const ViewField& field : view_fields())
    if (field.set) flags.insert(field.text.name);
  DensityOptions unused;
  cli::OptionTable table("", "", "");
  cli::add_density_fields(table, unused, target::kGrid);
  for (const std::string_view name : table.names()) flags.emplace(name);
  for (const ViewField* const field : all_controls()) {
    CAPTURE(field->title());
    REQUIRE(field->widget.tip != nullptr);
    CHECK(field->explanation().size() <= 100);
    if (!field->text.name.empty()) CHECK(flags.contains(field->text.name));
  }
}

TEST_CASE("controls are found by name, by flag, and by words that named them before") {
  const auto first = [](std::string_view text) {
    const auto found = find_controls(text);
    return found.empty() ? "" : found.front()->title();
  };
  CHECK(first("Kernel") == "kernel");
  CHECK(first("--dims") == "cells");
  CHECK(first("plug-in") == "bandwidth");
  CHECK(first("isovalue") == "levels");
  CHECK(first("extra terrestrial") == "");
  for (const ViewField* const field : all_controls())
    CHECK(std::ranges::count(find_controls(field->title()), field) == 1);
}

TEST_CASE("the search opens the place of what it finds, and every control can be drawn") {
  PanelStage stage(kTall);
  stage.facts.mixture.members = 3;
  for (const ViewField* const field : all_controls()) {
    CAPTURE(field->title());
    stage.layout.tabs = {};
    stage.layout.searches = true;
    stage.frames(2);
    stage.type(std::string(field->title()).c_str());
    stage.press_key(GLFW_KEY_ENTER);
    CHECK(stage.layout.tabs.chosen == field->tab);
    CHECK(stage.layout.tabs.more.contains(field->tab) == !field->ahead);
    CHECK(stage.layout.found == field);
    CHECK(stage.layout.search.empty());
  }
  CHECK_FALSE(stage.actions.state_changed);
  stage.layout.searches = true;
  stage.frames(2);
  stage.type("peak");
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.layout.search.empty());
}

TEST_CASE("the tabs of the last session are shown again") {
  PanelStage stage(kTall);
  stage.click(stage.find_in("Panels/##content", {"Look"}).middle);
  stage.click(stage.find_in("Panels/##content", {"controls", "more"}).middle);
  CHECK(stage.layout.tabs.chosen == Tab::look);
  CHECK(stage.layout.tabs.more == std::set{Tab::look});
}
