#include "viewer/session/view_state_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/json_geometry.hpp"
#include "io/json_object.hpp"
#include "viewer/session/options/topic_options.hpp"
#include "viewer/volume/transfer_function_file.hpp"

namespace skde::view {
namespace {

using Json = nlohmann::ordered_json;
using io::JsonObject;

constexpr int kVersion = 1;
constexpr const char* kBrokenEnding = ".broken";  // for example, a state of another version

Json camera_json(const Camera& camera) {
  return {{"azimuth", camera.azimuth},
          {"elevation", camera.elevation},
          {"zoom", camera.zoom},
          {"orthographic", camera.orthographic},
          {"focus", io::to_json(Vec3{camera.focus.x, camera.focus.y, camera.focus.z})}};
}

void put_look(Json& json, const ViewState& state) {
  json["transfer"] = transfer_function_json(state.transfer);
  json["axis_follows_density"] = state.axis_follows_density;
  json["mode"] = word_of(kRenderModes, state.mode);
  json["shading"] = state.gradient_shading;
  json["isovalue"] = state.isovalue;
  json["masses"] = state.masses;
  json["quality"] = state.quality;
  json["layout"] = word_of(kViewLayouts, state.layout);
  json["division"] = {{"method", state.division.method},
                      {"panels", state.division.panels},
                      {"panels_shown", state.division.panels_shown}};
  const Appearance& seen = state.appearance;
  json["appearance"] = {{"theme", word_of(kThemes, seen.theme)},
                        {"ground", word_of(kGrounds, seen.ground)},
                        {"title", seen.title},
                        {"axes", seen.axes},
                        {"bar", seen.bar},
                        {"mass", seen.mass},
                        {"triad", seen.triad},
                        {"format", word_of(kPictureFormats, seen.format)},
                        {"size", seen.size}};
  json["camera"] = camera_json(state.camera);
  json["proportions"] = word_of(kProportions, state.proportions);
  json["axis_factors"] = io::to_json(state.axis_factors);
  json["flipped"] = state.flipped;
  json["points"] = state.show_points;
  json["slices"] = state.show_slices;
  json["full_slices"] = state.show_full_slices;
  json["sample"] = state.sample;
  json["slice"] = state.slice;
  json["method"] = {{"apart", state.method.apart},
                    {"plays", state.method.plays},
                    {"camera", camera_json(state.method.camera)}};
  json["ellipsoids"] = word_of(kEllipsoidsShown, state.ellipsoids);
  json["ellipsoid"] = state.member;
  json["probe"] = state.show_probe;
  json["clip"] = clip_json(state.clip);
  json["sections"] = sections_json(state.sections);
  json["point_look"] = point_look_json(state.point_look);
  json["selection"] = outlines_json(state.selection ? std::vector{*state.selection}
                                                    : std::vector<OutlinedPlaces>{});
  json["within"] = outlines_json(state.within);
  json["pins"] = Json::array();
  for (const Vec3& pin : state.pins) json["pins"].push_back(io::to_json(pin));
  json["score"] = word_of(kScoresShown, state.score);
  json["time"] = {{"column", state.time.column}};
  if (state.time.at) json["time"]["at"] = *state.time.at;
  if (state.time.width) json["time"]["window"] = *state.time.width;
  json["compare"] = {{"with", state.compare.with}, {"as", word_of(kComparedAs, state.compare.as)}};
}

Camera camera_from(JsonObject object) {
  Camera camera;
  object.read("azimuth", camera.azimuth);
  object.read("elevation", camera.elevation, -90, 90);
  object.read("zoom", camera.zoom, 1e-6, 1e6);
  object.read("orthographic", camera.orthographic);
  if (const Json* focus = object.find("focus")) {
    const Vec3 given = io::vector_from(object, *focus, "focus");
    camera.focus = {given.x, given.y, given.z};
  }
  object.finish();
  return camera;
}

Division division_from(JsonObject object) {
  Division division;
  object.read("method", division.method, Division::kLeastMethod, Division::kMostMethod);
  object.read("panels", division.panels, Division::kLeastPanels, Division::kMostPanels);
  object.read("panels_shown", division.panels_shown);
  object.finish();
  return division;
}

std::array<int, 2> picture_size_from(JsonObject& object, const Json& given) {
  const auto is_side = [](const Json& side) {
    return side.is_number_integer() &&
           (side == 0 || (side >= kLeastPictureSide && side <= kMostPictureSide));
  };
  if (!given.is_array() || given.size() != 2 || !std::ranges::all_of(given, is_side))
    object.fail("size", fmt::format("must be two numbers of pixels, from {} to {}, or 0",
                                    kLeastPictureSide, kMostPictureSide));
  return {given[0].get<int>(), given[1].get<int>()};
}

Appearance appearance_from(JsonObject object) {
  Appearance seen;
  object.read_word("theme", seen.theme, kThemes);
  object.read_word("ground", seen.ground, kGrounds);
  object.read("title", seen.title);
  object.read("axes", seen.axes);
  object.read("bar", seen.bar);
  object.read("mass", seen.mass);
  object.read("triad", seen.triad);
  object.read_word("format", seen.format, kPictureFormats);
  if (const Json* size = object.find("size")) seen.size = picture_size_from(object, *size);
  object.finish();
  return seen;
}

MethodState method_from(JsonObject object) {
  MethodState method;
  object.read("apart", method.apart, MethodState::kLeastApart, MethodState::kMostApart);
  object.read("plays", method.plays);
  if (const Json* camera = object.find("camera"))
    method.camera = camera_from(object.object(*camera, "camera"));
  object.finish();
  return method;
}

std::array<bool, 3> flips_from(JsonObject& object, const Json& given) {
  std::array<bool, 3> flipped{};
  const bool fits = given.is_array() && given.size() == 3 &&
                    std::ranges::all_of(given, [](const Json& one) { return one.is_boolean(); });
  if (!fits) object.fail("flipped", "must be true or false, three times");
  for (std::size_t axis = 0; axis < 3; ++axis) flipped[axis] = given[axis].get<bool>();
  return flipped;
}

void read_masses(JsonObject& object, std::vector<double>& masses) {
  object.read("masses", masses, 0);
  const auto is_share = [](double mass) { return mass > 0 && mass < 1; };
  if (masses.size() > kMostSurfaces || !std::ranges::all_of(masses, is_share))
    object.fail("masses", fmt::format("must be at most {} shares between 0 and 1", kMostSurfaces));
}

TimeWindow time_from(JsonObject object) {
  TimeWindow time;
  object.read("column", time.column);
  double given = 0;
  if (object.find("at") != nullptr) {
    object.read("at", given);
    time.at = given;
  }
  if (object.find("window") != nullptr) {
    object.read("window", given, 0);
    time.width = given;
  }
  object.finish();
  return time;
}

void read_look(JsonObject& object, ViewState& state) {
  if (const Json* transfer = object.find("transfer"))
    state.transfer = transfer_function_from(object.object(*transfer, "transfer"));
  object.read("axis_follows_density", state.axis_follows_density);
  object.read_word("mode", state.mode, kRenderModes);
  object.read("shading", state.gradient_shading);
  object.read("isovalue", state.isovalue, 0, 1);
  read_masses(object, state.masses);
  object.read("quality", state.quality, 0.01, 16);
  object.read_word("layout", state.layout, kViewLayouts);
  if (const Json* division = object.find("division"))
    state.division = division_from(object.object(*division, "division"));
  if (const Json* appearance = object.find("appearance"))
    state.appearance = appearance_from(object.object(*appearance, "appearance"));
  if (const Json* camera = object.find("camera"))
    state.camera = camera_from(object.object(*camera, "camera"));
  object.read_word("proportions", state.proportions, kProportions);
  if (const Json* factors = object.find("axis_factors")) {
    state.axis_factors = io::vector_from(object, *factors, "axis_factors");
    if (!are_factors(state.axis_factors))
      object.fail("axis_factors", "must be three numbers from 0.000001 to 1000000");
  }
  if (const Json* flipped = object.find("flipped")) state.flipped = flips_from(object, *flipped);
  object.read("points", state.show_points);
  object.read("slices", state.show_slices);
  object.read("full_slices", state.show_full_slices);
  object.read_whole("sample", state.sample, 0);
  object.read_whole("slice", state.slice, -1);
  if (const Json* method = object.find("method"))
    state.method = method_from(object.object(*method, "method"));
  object.read_word("ellipsoids", state.ellipsoids, kEllipsoidsShown);
  object.read_whole("ellipsoid", state.member, -1);
  object.read("probe", state.show_probe);
  if (const Json* clip = object.find("clip")) state.clip = clip_from(object.object(*clip, "clip"));
  object.read_word("score", state.score, kScoresShown);
  if (auto selection = outlines_from(object, "selection"); !selection.empty())
    state.selection = std::move(selection.front());
  state.within = outlines_from(object, "within");
  if (const Json* look = object.find("point_look"))
    state.point_look = point_look_from(object.object(*look, "point_look"));
  if (const Json* sections = object.find("sections"))
    state.sections = sections_from(object.object(*sections, "sections"));
  if (const Json* time = object.find("time")) state.time = time_from(object.object(*time, "time"));
  if (const Json* compare = object.find("compare")) {
    JsonObject given = object.object(*compare, "compare");
    given.read("with", state.compare.with);
    given.read_word("as", state.compare.as, kComparedAs);
    given.finish();
  }
  if (const Json* pins = object.find("pins")) {
    if (!pins->is_array()) object.fail("pins", "must be an array of places");
    for (const Json& pin : *pins) state.pins.push_back(io::vector_from(object, pin, "pins"));
  }
}

}  // namespace

nlohmann::ordered_json view_state_json(const ViewState& state) {
  Json json{{"version", kVersion}};
  put_options(json, density_of(state));
  put_look(json, state);
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
  read_look(object, state);
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

}  // namespace skde::view
