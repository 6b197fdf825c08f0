#include "viewer/session/view_state_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/text/json_geometry.hpp"
#include "io/text/json_object.hpp"
#include "viewer/layers/volume/transfer_function_file.hpp"
#include "viewer/session/options/topic_options.hpp"

namespace skde::view {
namespace {

using Json = nlohmann::ordered_json;
using io::JsonObject;

constexpr int kVersion = 1;
constexpr const char* kBrokenEnding = ".broken";  // for example, a state of another version

// Each part of a view lists its fields once, for both of the classes below: key, member and limits.
// A key that a file lacks leaves its member as it is.

template <class Part, class Wanted>
concept Of = std::same_as<std::remove_const_t<Part>, Wanted>;

template <class Value>
Json json_of(const Value& value) {
  return value;
}
Json json_of(const Vec3& place) { return io::to_json(place); }
Json json_of(const Box& box) { return io::to_json(box); }
Json json_of(const ClipPlane& plane) {
  return {{"normal", io::to_json(plane.normal)}, {"offset", plane.offset}};
}
Json json_of(const OutlinedPlaces& places) {
  return {{"to_picture", places.to_picture}, {"outline", places.outline}};
}
Json json_of(const TransferFunction& function) { return transfer_function_json(function); }

class FieldWriter {
 public:
  Json json = Json::object();

  template <class Field>
  FieldWriter& operator()(const char* key, const Field& field, auto...) {
    json[key] = json_of(field);
    return *this;
  }
  FieldWriter& word(const char* key, const auto& field, const auto& words) {
    json[key] = word_of(words, field);
    return *this;
  }
  FieldWriter& part(const char* key, const auto& fields) {
    FieldWriter part;
    each_field(part, fields);
    json[key] = std::move(part.json);
    return *this;
  }
  /// A number that is left out if it is not known.
  FieldWriter& known(const char* key, const std::optional<double>& field, auto...) {
    if (field) json[key] = *field;
    return *this;
  }
  /// A value that is null if it is not known.
  FieldWriter& maybe(const char* key, const auto& field, auto) {
    json[key] = field ? json_of(*field) : Json();
    return *this;
  }
  FieldWriter& by(const char* key, const auto& field, auto) { return (*this)(key, field); }
  template <class Items>
  FieldWriter& list(const char* key, const Items& items, auto) {
    json[key] = Json::array();
    for (const auto& item : items) json[key].push_back(json_of(item));
    return *this;
  }
  FieldWriter& check(bool, const char*, std::string_view) { return *this; }
};

/// Throws Error(input) for unknown keys and wrong values.
class FieldReader {
 public:
  explicit FieldReader(JsonObject& object) : object_(object) {}

  template <class Field>
  FieldReader& operator()(const char* key, Field& field, auto... limits) {
    if constexpr (std::integral<Field> && !std::same_as<Field, bool>)
      object_.read_whole(key, field, limits...);
    else
      object_.read(key, field, limits...);
    return *this;
  }
  FieldReader& word(const char* key, auto& field, const auto& words) {
    object_.read_word(key, field, words);
    return *this;
  }
  template <class Fields>
  FieldReader& part(const char* key, Fields& fields) {
    if (const Json* given = object_.find(key)) {
      JsonObject object = object_.object(*given, key);
      FieldReader reader(object);
      each_field(reader, fields = Fields{});
      object.finish();
    }
    return *this;
  }
  FieldReader& known(const char* key, std::optional<double>& field, auto... limits) {
    if (object_.find(key) != nullptr) object_.read(key, field.emplace(), limits...);
    return *this;
  }
  FieldReader& maybe(const char* key, auto& field, auto from) {
    io::read_optional(object_, key, field, from);
    return *this;
  }
  FieldReader& by(const char* key, auto& field, auto from) {
    if (const Json* given = object_.find(key)) field = from(object_, *given, key);
    return *this;
  }
  template <class Items>
  FieldReader& list(const char* key, Items& items, auto from) {
    const Json* const given = object_.find(key);
    if (given == nullptr) return *this;
    if (!given->is_array()) object_.fail(key, "must be an array");
    items = {};
    for (const Json& item : *given) items.insert(items.end(), from(object_, item, key));
    return *this;
  }
  FieldReader& check(bool holds, const char* key, std::string_view why) {
    if (!holds) object_.fail(key, why);
    return *this;
  }

 private:
  JsonObject& object_;
};

using Key = std::string_view;

std::array<int, 2> picture_size_from(const JsonObject& object, const Json& given, Key key) {
  const auto is_side = [](const Json& side) {
    return side.is_number_integer() &&
           (side == 0 || (side >= kLeastPictureSide && side <= kMostPictureSide));
  };
  if (!given.is_array() || given.size() != 2 || !std::ranges::all_of(given, is_side))
    object.fail(key, fmt::format("must be two numbers of pixels, from {} to {}, or 0",
                                 kLeastPictureSide, kMostPictureSide));
  return {given[0].get<int>(), given[1].get<int>()};
}

std::array<bool, 3> flips_from(const JsonObject& object, const Json& given, Key key) {
  const bool fits = given.is_array() && given.size() == 3 &&
                    std::ranges::all_of(given, [](const Json& one) { return one.is_boolean(); });
  if (!fits) object.fail(key, "must be true or false, three times");
  return {given[0].get<bool>(), given[1].get<bool>(), given[2].get<bool>()};
}

ClipPlane plane_from(const JsonObject& object, const Json& value, Key key) {
  JsonObject given = object.object(value, key);
  given.require({"normal", "offset"});
  ClipPlane plane{io::vector_from(given, *given.find("normal"), "normal"), 0};
  given.read("offset", plane.offset);
  given.finish();
  if (!plane.divides()) object.fail(key, "needs a normal other than 0");
  return plane;
}

OutlinedPlaces outline_from(const JsonObject& object, const Json& value, Key key) {
  JsonObject given = object.object(value, key);
  given.require({"to_picture", "outline"});
  OutlinedPlaces places;
  const std::vector<double> rows = given.numbers(*given.find("to_picture"), "to_picture", 12);
  std::ranges::copy(rows, places.to_picture.begin());
  const Json& corners = *given.find("outline");
  if (!corners.is_array() || corners.size() < 3)
    given.fail("outline", "must have 3 or more places");
  for (const Json& corner : corners) {
    const std::vector<double> v = given.numbers(corner, "outline", 2);
    places.outline.push_back({v[0], v[1]});
  }
  given.finish();
  return places;
}

TransferFunction transfer_from(const JsonObject& object, const Json& value, Key key) {
  return transfer_function_from(object.object(value, key));
}

void each_field(auto& visit, Of<Camera> auto& c) {
  visit("azimuth", c.azimuth)("elevation", c.elevation, -90, 90)("zoom", c.zoom, 1e-6, 1e6)(
      "orthographic", c.orthographic);
  Vec3 focus{c.focus.x, c.focus.y, c.focus.z};
  visit.by("focus", focus, io::vector_from);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(c)>>)
    c.focus = {focus.x, focus.y, focus.z};
}

void each_field(auto& visit, Of<Division> auto& d) {
  visit("method", d.method, Division::kLeastMethod, Division::kMostMethod)(
      "panels", d.panels, Division::kLeastPanels, Division::kMostPanels)("panels_shown",
                                                                         d.panels_shown);
}

void each_field(auto& visit, Of<Appearance> auto& seen) {
  visit.word("theme", seen.theme, kThemes).word("ground", seen.ground, kGrounds);
  visit("title", seen.title)("axes", seen.axes)("bar", seen.bar)("mass", seen.mass)("triad",
                                                                                    seen.triad);
  visit.word("format", seen.format, kPictureFormats).by("size", seen.size, picture_size_from);
}

void each_field(auto& visit, Of<MethodState> auto& method) {
  visit("apart", method.apart, MethodState::kLeastApart, MethodState::kMostApart)("plays",
                                                                                  method.plays);
  visit.part("camera", method.camera);
}

void each_field(auto& visit, Of<Clip> auto& clip) {
  visit.maybe("box", clip.box, io::box_from).maybe("plane", clip.plane, plane_from);
}

void each_field(auto& visit, Of<Sections> auto& sections) {
  visit.word("shown", sections.shown, kSectionsShown).maybe("at", sections.at, io::vector_from);
  visit("smooth", sections.smooth)("samples_within", sections.near, 0, 1);
}

void each_field(auto& visit, Of<PointLook> auto& look) {
  visit.word("colors", look.colors, kPointColors);
  visit("column", look.column)("size", look.size, kLeastPointSize, kMostPointSize)("where",
                                                                                   look.where);
  visit.word("sizes", look.sizes, kPointColors)("size_column", look.size_column);
  visit.check(look.colors != PointColors::column || !look.column.empty(), "column",
              "must name a column");
  visit.check(look.sizes != PointColors::column || !look.size_column.empty(), "size_column",
              "must name a column");
}

void each_field(auto& visit, Of<TimeWindow> auto& time) {
  visit("column", time.column).known("at", time.at).known("window", time.width, 0);
}

void each_field(auto& visit, Of<CompareState> auto& compare) {
  visit("with", compare.with).word("as", compare.as, kComparedAs);
}

/// How a view looks: all but the density, whose fields have a table of their own.
void each_field(auto& visit, Of<ViewState> auto& state) {
  const auto is_share = [](double mass) { return mass > 0 && mass < 1; };
  visit.by("transfer", state.transfer, transfer_from);
  visit("axis_follows_density", state.axis_follows_density).word("mode", state.mode, kRenderModes);
  visit("shading", state.gradient_shading)("isovalue", state.isovalue, 0, 1)("masses", state.masses,
                                                                             0);
  visit.check(state.masses.size() <= kMostSurfaces && std::ranges::all_of(state.masses, is_share),
              "masses", fmt::format("must be at most {} shares between 0 and 1", kMostSurfaces));
  visit("quality", state.quality, 0.01, 16).word("layout", state.layout, kViewLayouts);
  visit.part("division", state.division).part("appearance", state.appearance);
  visit.part("camera", state.camera).word("proportions", state.proportions, kProportions);
  visit.by("axis_factors", state.axis_factors, io::vector_from);
  visit.check(are_factors(state.axis_factors), "axis_factors",
              "must be three numbers from 0.000001 to 1000000");
  visit.by("flipped", state.flipped, flips_from);
  visit("points", state.show_points)("slices", state.show_slices);
  visit("full_slices", state.show_full_slices)("sample", state.sample, 0)("slice", state.slice, -1);
  visit.part("method", state.method).word("ellipsoids", state.ellipsoids, kEllipsoidsShown);
  visit("ellipsoid", state.member, -1)("probe", state.show_probe);
  visit.part("clip", state.clip).part("sections", state.sections);
  visit.part("point_look", state.point_look);
  std::vector<OutlinedPlaces> selected;
  if (state.selection) selected.push_back(*state.selection);
  visit.list("selection", selected, outline_from).list("within", state.within, outline_from);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(state)>>)
    if (!selected.empty()) state.selection = std::move(selected.front());
  visit.list("pins", state.pins, io::vector_from).word("score", state.score, kScoresShown);
  visit.part("time", state.time).part("compare", state.compare);
}

}  // namespace

nlohmann::ordered_json view_state_json(const ViewState& state) {
  Json json{{"version", kVersion}};
  put_options(json, density_of(state));
  FieldWriter look;
  each_field(look, state);
  json.update(look.json);
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
  FieldReader look(object);
  each_field(look, state);
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
