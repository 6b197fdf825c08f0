#include "viewer/session/view_state_file.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "io/json_object.hpp"
#include "viewer/volume/transfer_function_file.hpp"

namespace skde::view {
namespace {

using Json = nlohmann::ordered_json;
using io::JsonObject;

constexpr int kVersion = 1;
const std::string kAutomatic = "auto";  // the engine where the fastest one is meant
constexpr std::array<std::pair<std::string_view, io::NonFinite>, 2> kNonFinite{
    {{"drop", io::NonFinite::drop}, {"error", io::NonFinite::error}}};
constexpr std::array<std::pair<std::string_view, Device>, 2> kDevices{
    {{"cpu", Device::cpu}, {"cuda", Device::cuda}}};
constexpr std::array<std::pair<std::string_view, Precision>, 2> kPrecisions{
    {{"f32", Precision::f32}, {"f64", Precision::f64}}};
constexpr std::array<std::pair<std::string_view, BandwidthRule>, 2> kRules{
    {{"silverman", BandwidthRule::silverman}, {"scott", BandwidthRule::scott}}};

auto kernel_words() {
  std::array<std::pair<std::string_view, KernelFunction>, kKernelFunctions.size()> words;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = {kKernelFunctions[i]->name, kKernelFunctions[i]};
  return words;
}

template <class Words, class Value>
std::string_view word_of(const Words& words, Value value) {
  for (const auto& [name, meaning] : words)
    if (meaning == value) return name;
  return {};
}

Json to_json(Vec3 v) { return {v.x, v.y, v.z}; }
Json to_json(const Symmetric3& s) { return {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}; }
Json to_json(const Box& box) { return {to_json(box.lower), to_json(box.upper)}; }
Json to_json(const std::array<std::int64_t, 3>& dims) { return Json(dims); }
Json to_json(const Grid& grid) {
  return {{"lower", to_json(grid.lower)},
          {"spacing", to_json(grid.spacing)},
          {"dims", to_json(grid.dims)}};
}
Json to_json(BandwidthRule rule) { return word_of(kRules, rule); }
Json to_json(double h) { return h; }
template <class Value>
Json to_json(const std::optional<Value>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

Vec3 vector_from(const JsonObject& object, const Json& value, std::string_view key) {
  const std::vector<double> v = object.numbers(value, key, 3);
  return {v[0], v[1], v[2]};
}

Vec3 lengths_from(const JsonObject& object, const Json& value, std::string_view key) {
  const Vec3 v = vector_from(object, value, key);
  if (!(v.x > 0 && v.y > 0 && v.z > 0)) object.fail(key, "must be lengths above 0");
  return v;
}

Symmetric3 matrix_from(const JsonObject& object, const Json& value, std::string_view key) {
  const std::vector<double> v = object.numbers(value, key, 6);
  const Symmetric3 matrix{v[0], v[1], v[2], v[3], v[4], v[5]};
  if (!is_positive_definite(matrix)) object.fail(key, "must be positive definite");
  return matrix;
}

std::array<std::int64_t, 3> dims_from(const JsonObject& object, const Json& value,
                                      std::string_view key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!value.is_array() || value.size() != 3)
    object.fail(key, "must be an array of 3 numbers of cells");
  std::array<std::int64_t, 3> dims{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    dims[axis] = object.whole(value[axis], key, 0, kMost);
  const bool along_longest = dims[1] == 0 && dims[2] == 0;
  if (dims[0] < 1 || (!along_longest && (dims[1] < 1 || dims[2] < 1)))
    object.fail(key, "must have at least a cell along each axis, or be [n, 0, 0]");
  return dims;
}

Box box_from(const JsonObject& object, const Json& value, std::string_view key) {
  if (!value.is_array() || value.size() != 2) object.fail(key, "must be two corners");
  const Box box{vector_from(object, value[0], key), vector_from(object, value[1], key)};
  const Vec3 extent = box.extent();
  if (!(extent.x > 0 && extent.y > 0 && extent.z > 0))
    object.fail(key, "must have its first corner below the second");
  return box;
}

Grid grid_from(JsonObject object) {
  object.require({"lower", "spacing", "dims"});
  Grid grid;
  grid.lower = vector_from(object, *object.find("lower"), "lower");
  grid.spacing = lengths_from(object, *object.find("spacing"), "spacing");
  grid.dims = dims_from(object, *object.find("dims"), "dims");
  if (grid.dims[1] == 0) object.fail("dims", "must have at least a cell along each axis");
  object.finish();
  return grid;
}

/// A value that null stands in for where there is none.
template <class Value, class Parse>
void read_optional(JsonObject& object, std::string_view key, std::optional<Value>& field,
                   Parse parse) {
  const Json* value = object.find(key);
  if (!value) return;
  if (value->is_null())
    field.reset();
  else
    field = parse(object, *value, key);
}

void read_bandwidth(JsonObject& object, BandwidthSpec& spec) {
  constexpr std::string_view kKey = "bandwidth";
  const Json* value = object.find(kKey);
  if (!value) return;
  if (value->is_string()) {
    BandwidthRule rule{};
    object.read_word(kKey, rule, kRules);
    spec.bandwidth = rule;
  } else if (value->is_array() && value->size() == 6) {
    spec.bandwidth = matrix_from(object, *value, kKey);
  } else if (value->is_array()) {
    spec.bandwidth = lengths_from(object, *value, kKey);
  } else {
    const double h = object.numbers(*value, kKey, 1)[0];
    if (!(h > 0) || !std::isnormal(h * h)) object.fail(kKey, "must be above 0");
    spec.bandwidth = h;
  }
}

void put_density(Json& json, const ViewState& state) {
  json["kernel"] = state.density.kernel->name;
  json["bandwidth"] = std::visit([](const auto& value) { return to_json(value); },
                                 state.density.bandwidth.bandwidth);
  json["covariance"] = word_of(kCovarianceForms, state.density.bandwidth.form);
  json["covariance_matrix"] = to_json(state.density.bandwidth.covariance);
  json["regularize"] = state.density.bandwidth.regularize;
  json["bounds"] = to_json(state.density.grid.bounds);
  json["dims"] = to_json(state.density.grid.dims);
  json["spacing"] = to_json(state.density.grid.spacing);
  json["like"] = to_json(state.density.like);
  json["normalize"] = normalization_name(state.density.normalization);
  json["engine"] = state.density.is_automatic() ? kAutomatic : state.density.engine;
  json["hardware"] =
      state.density.device ? Json(word_of(kDevices, *state.density.device)) : Json(nullptr);
  json["precision"] = word_of(kPrecisions, state.density.precision);
  json["threads"] = state.density.options.threads;
  json["device"] = state.density.options.device;
  json["device_memory"] = state.density.options.device_memory;
}

void read_density(JsonObject& object, ViewState& state) {
  object.read_word("kernel", state.density.kernel, kernel_words());
  read_bandwidth(object, state.density.bandwidth);
  object.read_word("covariance", state.density.bandwidth.form, kCovarianceForms);
  read_optional(object, "covariance_matrix", state.density.bandwidth.covariance, matrix_from);
  object.read("regularize", state.density.bandwidth.regularize, 0);
  read_optional(object, "bounds", state.density.grid.bounds, box_from);
  read_optional(object, "dims", state.density.grid.dims, dims_from);
  read_optional(object, "spacing", state.density.grid.spacing, lengths_from);
  read_optional(object, "like", state.density.like,
                [](const JsonObject& whole, const Json& value, std::string_view key) {
                  return grid_from(whole.object(value, key));
                });
  object.read_word("normalize", state.density.normalization, kNormalizations);
  object.read("engine", state.density.engine);
  if (state.density.engine == kAutomatic) state.density.engine.clear();
  read_optional(object, "hardware", state.density.device,
                [](JsonObject& whole, const Json&, std::string_view key) {
                  Device device{};
                  whole.read_word(key, device, kDevices);
                  return device;
                });
  EngineOptions& options = state.density.options;
  object.read_word("precision", state.density.precision, kPrecisions);
  object.read_whole("threads", options.threads, 0, 4096);
  object.read_whole("device", options.device, 0);
  object.read_whole("device_memory", options.device_memory, 0);
}

void put_look(Json& json, const ViewState& state) {
  const Camera& camera = state.camera;
  json["transfer"] = transfer_function_json(state.transfer);
  json["axis_follows_density"] = state.axis_follows_density;
  json["mode"] = word_of(kRenderModes, state.mode);
  json["shading"] = state.gradient_shading;
  json["isovalue"] = state.isovalue;
  json["quality"] = state.quality;
  json["layout"] = word_of(kViewLayouts, state.layout);
  json["camera"] = {{"azimuth", camera.azimuth},
                    {"elevation", camera.elevation},
                    {"zoom", camera.zoom},
                    {"focus", to_json(Vec3{camera.focus.x, camera.focus.y, camera.focus.z})}};
  json["points"] = state.show_points;
  json["slices"] = state.show_slices;
  json["full_slices"] = state.show_full_slices;
  json["sample"] = state.sample;
  json["slice"] = state.slice;
}

Camera camera_from(JsonObject object) {
  Camera camera;
  object.read("azimuth", camera.azimuth);
  object.read("elevation", camera.elevation, -90, 90);
  object.read("zoom", camera.zoom, 1e-6, 1e6);
  if (const Json* focus = object.find("focus")) {
    const Vec3 given = vector_from(object, *focus, "focus");
    camera.focus = {given.x, given.y, given.z};
  }
  object.finish();
  return camera;
}

void read_look(JsonObject& object, ViewState& state) {
  if (const Json* transfer = object.find("transfer"))
    state.transfer = transfer_function_from(object.object(*transfer, "transfer"));
  object.read("axis_follows_density", state.axis_follows_density);
  object.read_word("mode", state.mode, kRenderModes);
  object.read("shading", state.gradient_shading);
  object.read("isovalue", state.isovalue, 0, 1);
  object.read("quality", state.quality, 0.01, 16);
  object.read_word("layout", state.layout, kViewLayouts);
  if (const Json* camera = object.find("camera"))
    state.camera = camera_from(object.object(*camera, "camera"));
  object.read("points", state.show_points);
  object.read("slices", state.show_slices);
  object.read("full_slices", state.show_full_slices);
  object.read_whole("sample", state.sample, 0);
  object.read_whole("slice", state.slice, -1);
}

}  // namespace

nlohmann::ordered_json view_state_json(const ViewState& state) {
  Json json{{"version", kVersion},
            {"files", state.cloud.paths},
            {"columns", state.cloud.columns.coordinates},
            {"weights", state.cloud.columns.weight},
            {"nan", word_of(kNonFinite, state.cloud.non_finite)},
            {"units", state.units}};
  put_density(json, state);
  put_look(json, state);
  return json;
}

ViewState view_state_from(const nlohmann::ordered_json& json, const std::string& file) {
  JsonObject object(json, file);
  int version = kVersion;
  object.read_whole("version", version, kVersion, kVersion);
  ViewState state;
  object.read("files", state.cloud.paths);
  object.read("columns", state.cloud.columns.coordinates);
  if (const std::size_t count = state.cloud.columns.coordinates.size(); count != 0 && count != 3)
    object.fail("columns", "must be empty or have three names or numbers");
  object.read("weights", state.cloud.columns.weight);
  object.read_word("nan", state.cloud.non_finite, kNonFinite);
  object.read("units", state.units);
  read_density(object, state);
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
  std::error_code ignored;  // what cannot be looked at is not there
  if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
  try {
    return {load_view_state(path), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

std::string save_recent_state(const ViewState& state) {
  const std::string path = recent_state_path();
  if (path.empty()) return "neither XDG_STATE_HOME nor HOME names a folder for the recent view";
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  try {
    save_view_state(path, state);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace skde::view
