#include "estimate/request_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/json_geometry.hpp"
#include "io/points/columns/row_condition.hpp"

namespace skde {
namespace {

using Json = nlohmann::ordered_json;
using io::JsonObject;

const std::string kWholeCloud = "all";  // bounds that leave no outlier out

const auto kKernelWords = [] {
  Words<KernelFunction, kKernelFunctions.size() + kKernelAliases.size()> words;
  std::size_t count = 0;
  for (const KernelFunction function : kKernelFunctions)
    words[count++] = {function->name, function};
  for (const auto& [alias, name] : kKernelAliases)
    words[count++] = {alias, KernelFunction::named(name)};
  return words;
}();

Json json_of(const BandwidthSpec& spec) {
  if (const auto* rule = std::get_if<BandwidthRule>(&spec.bandwidth))
    return word_of(kBandwidthRules, *rule);
  if (const auto* h = std::get_if<double>(&spec.bandwidth)) return *h;
  if (const auto* lengths = std::get_if<Vec3>(&spec.bandwidth)) return io::to_json(*lengths);
  return io::to_json(std::get<Symmetric3>(spec.bandwidth));
}

void read_bandwidth(JsonObject& object, BandwidthSpec& spec) {
  constexpr std::string_view kKey = "bandwidth";
  const Json* value = object.find(kKey);
  if (!value) return;
  if (value->is_string()) {
    BandwidthRule rule{};
    object.read_word(kKey, rule, kBandwidthRules);
    spec.bandwidth = rule;
  } else if (value->is_array() && value->size() == 6) {
    spec.bandwidth = io::matrix_from(object, *value, kKey);
  } else if (value->is_array()) {
    spec.bandwidth = io::lengths_from(object, *value, kKey);
  } else {
    const double h = object.numbers(*value, kKey, 1)[0];
    if (!(h > 0) || !std::isnormal(h * h)) object.fail(kKey, "must be above 0");
    spec.bandwidth = h;
  }
}

void read_boundaries(JsonObject& object, Boundaries& boundaries) {
  constexpr std::string_view kKey = "boundary";
  std::string text;
  object.read(kKey, text);
  if (text.empty()) return;
  try {
    boundaries = parse_boundaries(text);
  } catch (const Error& error) {
    object.fail(kKey, error.problem());
  }
}

void read_where(JsonObject& object, std::string& where) {
  object.read("where", where);
  try {
    if (!where.empty()) static_cast<void>(io::RowCondition(where));
  } catch (const Error& error) {
    object.fail("where", error.problem());
  }
}

void read_geographic(JsonObject& object, io::Geographic& geographic) {
  std::string text;
  object.read("geographic", text);
  try {
    geographic = text.empty() ? io::Geographic{} : io::parse_geographic(text);
  } catch (const Error& error) {
    object.fail("geographic", error.problem());
  }
  object.read("geographic_units", geographic.units);
}

double alpha_from(JsonObject& object, const Json& value, std::string_view key) {
  const double alpha = object.numbers(value, key, 1)[0];
  if (!(alpha > 0 && alpha <= 1)) object.fail(key, "must be above 0 and at most 1");
  return alpha;
}

/// The index of one GPU, or an array of several.
void read_devices(JsonObject& object, EngineOptions& options) {
  const Json* const given = object.find("device");
  options.devices.clear();
  if (!given || !given->is_array()) return object.read_whole("device", options.device, 0);
  if (given->size() < 2) object.fail("device", "must be an index, or an array of several");
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const Json& device : *given) {
    const auto index = static_cast<int>(object.whole(device, "device", 0, kMost));
    if (std::ranges::find(options.devices, index) != options.devices.end())
      object.fail("device", "names an index twice");
    options.devices.push_back(index);
  }
  options.device = options.devices.front();
}

Device device_from(JsonObject& object, const Json&, std::string_view key) {
  Device device{};
  object.read_word(key, device, kDevices);
  return device;
}

}  // namespace

void put(Json& json, const CloudFiles& cloud) {
  json["files"] = cloud.paths;
  json["columns"] = cloud.columns.coordinates;
  json["weights"] = cloud.columns.weight;
  json["widths"] = cloud.columns.widths;
  json["where"] = cloud.columns.where;
  json["geographic"] = io::geographic_text(cloud.columns.geographic);
  json["geographic_units"] = cloud.columns.geographic.units;
  json["width_form"] = word_of(io::kWidthForms, cloud.columns.width_form);
  json["skip"] = cloud.columns.skip;
  json["nan"] = word_of(io::kNonFinite, cloud.non_finite);
}

void read(JsonObject& object, CloudFiles& cloud) {
  object.read("files", cloud.paths);
  object.read("columns", cloud.columns.coordinates);
  if (const std::size_t count = cloud.columns.coordinates.size(); count != 0 && count != 3)
    object.fail("columns", "must be empty or have three names or numbers");
  object.read("weights", cloud.columns.weight);
  object.read("widths", cloud.columns.widths);
  read_where(object, cloud.columns.where);
  read_geographic(object, cloud.columns.geographic);
  object.read_word("width_form", cloud.columns.width_form, io::kWidthForms);
  object.read_whole("skip", cloud.columns.skip, 0);
  object.read_word("nan", cloud.non_finite, io::kNonFinite);
}

void put(Json& json, const DensityRequest& request) {
  json["kernel"] = request.kernel->name;
  json["bandwidth"] = json_of(request.bandwidth);
  json["covariance"] = word_of(kCovarianceForms, request.bandwidth.form);
  json["covariance_matrix"] = io::to_json(request.bandwidth.covariance);
  json["regularize"] = request.bandwidth.regularize;
  json["bounds"] = request.grid.whole_cloud ? Json(kWholeCloud) : io::to_json(request.grid.bounds);
  json["dims"] = io::to_json(request.grid.dims);
  json["spacing"] = io::to_json(request.grid.spacing);
  json["like"] = io::to_json(request.like);
  json["normalize"] = word_of(kNormalizations, request.normalization);
  json["boundary"] = boundaries_text(request.boundaries);
  json["tolerance"] = request.tolerance;
  json["keep_negatives"] = request.keep_negatives;
  json["min_width"] = request.min_width;
  json["adaptive"] = io::to_json(request.adaptive);
  json["engine"] = request.is_automatic() ? std::string(kAutomaticEngine) : request.engine;
  json["hardware"] = request.device ? Json(word_of(kDevices, *request.device)) : Json(nullptr);
  json["precision"] = word_of(kPrecisions, request.precision);
  json["threads"] = request.options.threads;
  if (const std::vector<int>& several = request.options.devices; several.empty())
    json["device"] = request.options.device;
  else
    json["device"] = several;
  json["device_memory"] = request.options.device_memory;
}

void read(JsonObject& object, DensityRequest& request) {
  BandwidthSpec& bandwidth = request.bandwidth;
  object.read_word("kernel", request.kernel, kKernelWords);
  read_bandwidth(object, bandwidth);
  object.read_word("covariance", bandwidth.form, kCovarianceForms);
  io::read_optional(object, "covariance_matrix", bandwidth.covariance, io::matrix_from);
  object.read("regularize", bandwidth.regularize, 0);
  const Json* const bounds = object.find("bounds");
  request.grid.whole_cloud = bounds && *bounds == kWholeCloud;
  if (!request.grid.whole_cloud)
    io::read_optional(object, "bounds", request.grid.bounds, io::box_from);
  io::read_optional(object, "dims", request.grid.dims, io::dims_from);
  io::read_optional(object, "spacing", request.grid.spacing, io::lengths_from);
  io::read_optional(object, "like", request.like, io::grid_from);
  object.read_word("normalize", request.normalization, kNormalizations);
  read_boundaries(object, request.boundaries);
  object.read("tolerance", request.tolerance, 0, 1);
  object.read("keep_negatives", request.keep_negatives);
  object.read("min_width", request.min_width, 0, 1e3);
  io::read_optional(object, "adaptive", request.adaptive, alpha_from);
  io::read_optional(object, "hardware", request.device, device_from);
  std::string engine = request.engine;
  object.read("engine", engine);
  const std::optional<Device> hardware = request.device;
  request.name_engine(engine);
  if (hardware && hardware != request.device) object.fail("engine", "contradicts `hardware`");
  object.read_word("precision", request.precision, kPrecisionWords);
  EngineOptions& options = request.options;
  object.read_whole("threads", options.threads, 0, 4096);
  read_devices(object, options);
  object.read_whole("device_memory", options.device_memory, 0);
}

}  // namespace skde
