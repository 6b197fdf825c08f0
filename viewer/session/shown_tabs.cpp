#include "viewer/session/shown_tabs.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/text/json_object.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

/// Returns the file's path; empty if there is no place for it.
std::string tabs_path() {
  const std::string view = recent_state_path();
  return view.empty() ? view : (std::filesystem::path(view).parent_path() / "panels.json").string();
}

}  // namespace

ShownTabs load_shown_tabs() {
  ShownTabs tabs;
  try {
    const auto names = io::read_json(tabs_path()).get<std::vector<std::string>>();
    for (const auto& [name, tab] : kTabs) {
      if (names.at(0) == name) tabs.chosen = tab;
      if (std::count(names.begin() + 1, names.end(), name) > 0) tabs.more.insert(tab);
    }
  } catch (const std::exception&) {
    return {};
  }
  return tabs;
}

void save_shown_tabs(const ShownTabs& tabs) {
  nlohmann::ordered_json names{word_of(kTabs, tabs.chosen)};
  for (const Tab tab : tabs.more) names.push_back(word_of(kTabs, tab));
  try {
    io::write_json(tabs_path(), names);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace skde::view
