#include "viewer/session/view_state_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/text/json_object.hpp"
#include "viewer/session/view_fields.hpp"

namespace skde::view {
namespace {

using Json = nlohmann::ordered_json;
using io::JsonObject;

constexpr int kVersion = 1;
constexpr const char* kBrokenEnding = ".broken";  // for example, a state of another version

/// Reads fields from the object that holds them, whose own key has this length with a slash.
void read_fields(std::span<const ViewField* const> fields, std::size_t length, JsonObject& object,
                 ViewState& state) {
  for (auto next = fields.begin(); next != fields.end();) {
    const ViewField& field = **next;
    const std::string_view key = field.key.substr(length);
    const std::size_t slash = key.find('/');
    if (slash == key.npos) {
      field.read(state, object, key);
      ++next;
      continue;
    }
    const std::string_view part = field.key.substr(0, length + slash + 1);
    const auto end = std::find_if(next, fields.end(), [part](const ViewField* other) {
      return !other->key.starts_with(part);
    });
    if (const Json* given = object.find(key.substr(0, slash))) {
      JsonObject inner = object.object(*given, key.substr(0, slash));
      read_fields({next, end}, part.size(), inner, state);
      inner.finish();
    }
    next = end;
  }
}

/// Returns the file's path; empty if there is no place for it.
std::string tabs_path() {
  const std::string view = recent_state_path();
  return view.empty() ? view : (std::filesystem::path(view).parent_path() / "panels.json").string();
}

}  // namespace

nlohmann::ordered_json view_state_json(const ViewState& state) {
  Json json{{"version", kVersion}};
  put_options(json, density_of(state));
  for (const ViewField* const field : state_fields()) {
    Json value = field->put(state);
    if (!value.is_discarded()) json[field->pointer()] = std::move(value);
  }
  return json;
}

ViewState view_state_from(const nlohmann::ordered_json& json, const std::string& file) {
  JsonObject object(json, file);
  int version = kVersion;
  object.read_whole("version", version, kVersion, kVersion);
  ViewState state;
  DensityOptions density;
  read_options(object, density);
  keep_density(std::move(density), state);
  read_fields(state_fields(), 0, object, state);
  object.finish();
  return state;
}

ViewState load_view_state(const std::string& path) {
  return view_state_from(io::read_json(path), path);
}

void save_view_state(const std::string& path, const ViewState& state) {
  io::write_json(path, view_state_json(state));
}

std::string recent_state_path() {
  const auto absolute = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value && value[0] == '/' ? std::filesystem::path(value) : std::filesystem::path();
  };
  std::filesystem::path folder = absolute("XDG_STATE_HOME");
  if (folder.empty())
    if (const std::filesystem::path home = absolute("HOME"); !home.empty())
      folder = home / ".local/state";
  return folder.empty() ? "" : (folder / "skde/view.json").string();
}

RecentState load_recent_state() {
  const std::string path = recent_state_path();
  std::error_code ignored;  // a file that cannot be examined counts as missing
  if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
  try {
    return {load_view_state(path), ""};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("the recent view is not used, and will be kept as {}{}: {}",
                                      path, kBrokenEnding, error.what())};
  }
}

std::string save_recent_state(const ViewState& state) {
  const std::string path = recent_state_path();
  if (path.empty()) return "neither XDG_STATE_HOME nor HOME names a folder for the recent view";
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  if (!load_recent_state().complaint.empty())
    std::filesystem::rename(path, path + kBrokenEnding, problem);
  try {
    save_view_state(path, state);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void ViewHistory::note(const ViewState& state, bool settled) {
  if (!settled || (!states_.empty() && states_[at_] == state)) return;
  if (!states_.empty()) states_.resize(at_ + 1);
  states_.push_back(state);
  if (states_.size() > kMost) states_.pop_front();
  at_ = states_.size() - 1;
}

void ViewHistory::adapt(const ViewState& before, const ViewState& after) {
  if (states_.empty() || !(states_[at_] == before) || before == after) return;
  states_[at_] = after;
  // A change that failed leaves no step behind.
  if (at_ > 0 && states_[at_ - 1] == after && at_ + 1 == states_.size()) {
    states_.pop_back();
    --at_;
  }
}

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
