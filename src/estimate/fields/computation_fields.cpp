#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/value_parsers.hpp"
#include "core/report/words.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/fields/field_codecs.hpp"

namespace skde {
namespace {

using namespace target;
using Json = nlohmann::ordered_json;

/// Limits the choice of an engine to a device. JSON only: elsewhere the words of `engine` do this.
DensityField hardware_field() {
  return member_field(
      {.name = "hardware", .help = ""}, [](auto& o) -> auto& { return o.request.device; },
      FunctionCodec{OneOf<Device>(kDevices), [](std::optional<Device> device) {
                      return device ? std::string(word_of(kDevices, *device)) : "";
                    }});
}

DensityField engine_field() {
  std::vector<std::string> words{std::string(kAutomaticEngine)};
  for (const auto& [word, hardware] : kHardwareWords) words.emplace_back(word);
  for (const EngineEntry& entry : engine_table()) words.emplace_back(entry.traits.name);
  DensityField field = member_field(
      {.name = "engine",
       .value = "NAME",
       .help = "method and machine, see 'skde engines'; auto: the fastest one for the case; cpu or "
               "gpu: the fastest one on that device",
       .by_default = "auto",
       .words = std::move(words)},
      [](auto& o) -> auto& { return o.request.engine; },
      PlainCodec{[](const std::string& given) { return given; }});
  field.set = [](DensityOptions& o, const std::string& given) { o.request.name_engine(given); };
  field.put = [](const DensityOptions& o) {
    return o.request.is_automatic() ? std::string(kAutomaticEngine) : o.request.engine;
  };
  field.read = [](DensityOptions& o, io::JsonObject& object, const Json& value) {
    const std::optional<Device> hardware = o.request.device;
    o.request.name_engine(text_of_json(object, value, "engine"));
    if (hardware && hardware != o.request.device) object.fail("engine", "contradicts `hardware`");
  };
  return field;
}

/// Parses indices of GPUs, at least one.
std::vector<int> parse_devices(const std::string& given) {
  if (given == "all") {
    std::vector<int> all = all_devices();
    if (all.empty())
      throw Error(ErrorKind::resources, "no GPU can be used; use a CPU engine", {"device", {}});
    return all;
  }
  std::vector<int> devices = parse_number_list<int>(given);
  std::vector<int> sorted = devices;
  std::ranges::sort(sorted);
  if (sorted.empty() || sorted.front() < 0 || std::ranges::adjacent_find(sorted) != sorted.end())
    throw Error(
        ErrorKind::usage,
        fmt::format("must be the index of a GPU, or a list of different indices; got '{}'", given),
        {{}, "give 0, or 0,1 for two GPUs, or all"});
  return devices;
}

void set_devices(DensityOptions& options, const std::string& given) {
  EngineOptions& to = options.request.options;
  to.devices = given.empty() ? std::vector<int>{0} : parse_devices(given);
  to.device = to.devices.front();
  if (to.devices.size() == 1) to.devices.clear();
}

std::string device_text(const DensityOptions& options) {
  const EngineOptions& from = options.request.options;
  return from.devices.empty() ? field_text(from.device)
                              : fmt::format("{}", fmt::join(from.devices, ","));
}

/// Sets two members: the index of one GPU, or the list of several.
DensityField device_field() {
  return {
      .text = {.name = "device",
               .value = "I,...|all",
               .help =
                   "index of the GPU of a CUDA engine; several GPUs share the sums of "
                   "cuda-span, cuda-tile and cuda-ranges, with the same bits on any number of them",
               .by_default = "0",
               .local = true},
      .set = set_devices,
      .print =
          [](const DensityOptions& o) {
            const std::string text = device_text(o);
            return text == "0" ? std::string() : text;
          },
      .key = "device",
      .put = [](const DensityOptions& o) { return json_of_numbers(device_text(o)); },
      .read = [](DensityOptions& o, io::JsonObject& object,
                 const Json& value) { set_devices(o, text_of_json(object, value, "device")); }};
}

DensityField threads_field(std::string help) {
  return member_field(
      {.name = "threads",
       .value = "N",
       .help = std::move(help),
       .by_default = "OMP_NUM_THREADS, or else one per core at most"},
      [](auto& o) -> auto& { return o.request.options.threads; },
      PlainCodec{WholeNumber<int>(1, 4096)});
}

/// The default depends on the command.
DensityField precision_field(std::string help) {
  return member_field(
      {.name = "precision", .value = "f32|f64", .help = std::move(help)},
      [](auto& o) -> auto& { return o.request.precision; },
      FunctionCodec{OneOf<Precision>(kPrecisionWords), [](Precision precision) {
                      return std::string(word_of(kPrecisions, precision));
                    }});
}

}  // namespace

void add_computation_fields(std::vector<DensityField>& table) {
  const auto add = [&](DensityField field, unsigned targets) {
    field.group = "Computation";
    field.targets = targets;
    table.push_back(std::move(field));
  };
  add(hardware_field(), 0);
  add(engine_field(), kGrid | kPoints);
  add(threads_field("CPU threads of a CPU engine"), kGrid | kPoints);
  add(threads_field("CPU threads"), kMeans);
  add(device_field(), kGrid | kPoints);
  add(precision_field("type of the sums and of the volume"), kGrid | kPoints);
  add(precision_field("type of a volume's values; sums are in double"), kMeans);
  DensityField limit = member_field(
      {.name = "memory-limit",
       .value = "BYTES",
       .help = "limit on host memory, such as 2G; larger clouds are read in parts",
       .by_default = "available memory"},
      [](auto& o) -> auto& { return o.memory_limit; }, PlainCodec{parse_bytes});
  limit.key.clear();
  add(std::move(limit), kGrid | kPoints | kMeans);
  add(member_field(
          {.name = "device-memory",
           .value = "BYTES",
           .help = "limit on GPU memory; larger volumes are summed in slabs",
           .by_default = "free memory"},
          [](auto& o) -> auto& { return o.request.options.device_memory; },
          PlainCodec{parse_bytes}),
      kGrid | kPoints);
}

}  // namespace skde
