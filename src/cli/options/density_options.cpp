#include "cli/options/density_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/report/number_list.hpp"
#include "engines/registry/registry.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

void check_grid_options(const ParsedFlags& flags) {
  if (!flags.has("like")) return;
  for (const std::string_view name : {"dims", "spacing"})
    if (flags.has(name))
      usage_error(fmt::format(
          "--{} contradicts --like, which fixes the whole grid; drop one of them", name));
}

/// If no engine is named, flags for one kind of device limit the choice.
void check_automatic_engine(const ParsedFlags& flags, std::optional<Device> hardware) {
  const bool cpu = flags.has("threads") || hardware == Device::cpu;
  const bool gpu = flags.has("device") || flags.has("device-memory") || hardware == Device::cuda;
  if (cpu && gpu)
    usage_error(
        "--threads and --engine cpu are for the CPU, --device, --device-memory and --engine gpu "
        "for GPUs; drop one of them");
}

void check_engine_options(const ParsedFlags& flags, const DensityRequest& request) {
  if (request.is_automatic()) return check_automatic_engine(flags, request.device);
  make_engine(request.engine, request.options);  // throws if it is unknown or unavailable
  const EngineTraits& traits = engine_entry(request.engine).traits;
  const bool cuda = traits.device == Device::cuda;
  if (cuda && flags.has("threads"))
    usage_error(fmt::format("--threads has no effect on engine {}, which runs on a GPU; drop it",
                            traits.name));
  for (const std::string_view flag : {"device", "device-memory"})
    if (!cuda && flags.has(flag))
      usage_error(fmt::format("--{} has no effect on engine {}, which runs on the CPU; drop it",
                              flag, traits.name));
  if (!(traits.error_in(request.precision) > 0))
    usage_error(fmt::format("engine {} does not support --precision f64; choose another --engine",
                            traits.name));
}

}  // namespace

GridOfVolume grid_like(const std::string& path, std::optional<Box> bounds) {
  const io::VolumeHead head = io::read_volume_head(path);
  if (head.placed && bounds)
    usage_error(fmt::format(
        "--bounds contradicts --like {}, which fixes the whole grid; drop one of them", path));
  if (head.placed) return {head.grid, head.metadata.frame};
  if (!bounds)
    throw Error(ErrorKind::input,
                fmt::format("{}: does not give the coordinates of its cells", path),
                {"bounds", "give the outer faces of its box with `bounds`"});
  Grid grid{bounds->lower, bounds->upper - bounds->lower, head.grid.dims};
  for (int axis = 0; axis < 3; ++axis)
    grid.spacing[axis] /= static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
  return grid;
}

void add_density_fields(OptionTable& table, DensityOptions& options, unsigned targets) {
  std::string_view group;
  for (const DensityField& field : density_fields()) {
    if ((field.targets & targets) == 0) continue;
    if (field.group != group) table.group(std::string(group = field.group));
    FieldText text = field.text;
    if (text.name == "precision") text.by_default = word_of(kPrecisions, options.request.precision);
    if (const KernelFunction kernel = options.request.kernel;
        text.name == "kernel" && kernel != KernelFunction())
      text.by_default = kernel->name;
    text.help = with_flags(text.help);
    text.by_default = with_flags(text.by_default);
    const bool is_switch = text.value.empty();
    table.apply(std::move(text), [&field, &options, is_switch](const std::string& given) {
      field.set(options, is_switch ? "true" : given);
    });
  }
}

void add_device_flag(OptionTable& table, EngineOptions& options) {
  const DensityField& field = density_field("device");
  table.apply(field.text, [&field, &options](const std::string& given) {
    DensityOptions all;
    field.set(all, given);
    options.device = all.request.options.device;
    options.devices = all.request.options.devices;
  });
}

void check_kernel_options(const ParsedFlags& flags, const DensityRequest& request) {
  const auto& bandwidth = request.bandwidth.bandwidth;
  const bool lengths = std::holds_alternative<Vec3>(bandwidth);
  const bool fixed = lengths || std::holds_alternative<Symmetric3>(bandwidth);
  for (const std::string_view name : {"covariance", "regularize"})
    if (fixed && flags.has(name))
      usage_error(fmt::format(
          "--{} has no effect with a --bandwidth of {}, which fixes the whole matrix H; drop it",
          name, lengths ? "three lengths" : "a matrix"));
  if (flags.has("regularize") && std::holds_alternative<double>(bandwidth) &&
      request.bandwidth.form == CovarianceForm::iso)
    usage_error(
        "--regularize has no effect with --covariance iso and a --bandwidth of one length; "
        "drop it");
}

void require_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code ignored;  // a path that cannot be examined is not a file
    if (parse_number_list<double>(path).empty() || std::filesystem::exists(path, ignored)) continue;
    usage_error(
        fmt::format("'{}' is a number, not a file; separate the numbers of a flag by commas, as in "
                    "--dims 128,128,64",
                    path));
  }
}

void complete_density_options(const ParsedFlags& flags, DensityOptions& options) {
  check_kernel_options(flags, options.request);
  check_width_options(flags, options.files.columns);
  if (io::Geographic& geographic = options.files.columns.geographic; geographic.wanted())
    geographic.units = options.units;
  check_grid_options(flags);
  check_engine_options(flags, options.request);
  if (flags.has("threads")) options.request.device = Device::cpu;
  if (flags.has("device") || flags.has("device-memory")) options.request.device = Device::cuda;
  if (options.like_file.empty()) return;
  options.request.like = grid_like(options.like_file, options.request.grid.bounds);
  io::take_middle(options.files.columns.geographic, options.request.like->frame);
  options.request.grid.bounds.reset();
}

}  // namespace skde::cli
