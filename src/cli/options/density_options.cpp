#include "cli/options/density_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "bandwidth/mixture_bandwidth.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "core/space/space.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/read/input_error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/mixture_file.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

constexpr std::array<std::string_view, 3> kBandwidthFlags{"bandwidth", "covariance", "regularize"};

template <class Names>
bool has_any(const ParsedFlags& flags, const Names& names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return flags.has(name); });
}

/// Lets the bandwidth of the flags replace the kernel of a mixture.
void replace_kernel(const ParsedFlags& flags, CloudFiles& files, DensityRequest& request) {
  check_kernel_options(flags, request);
  if (request.kernel != KernelFunction::gaussian)
    usage_error("--bandwidth replaces the kernel of a mixture by a Gaussian; drop --kernel");
  if (files.paths.size() != 1 || io::first_read_once(files.paths) != "")
    usage_error("--bandwidth replaces the kernel of one file of a mixture; name one file");
  const std::string& path = files.paths[0];
  const KnownMixture known = read_known_mixture(path, files.open);
  try {
    files.columns.widening =
        replaced_kernel(known.mixture, known.effective_samples, request.bandwidth);
  } catch (const Error& error) {
    throw naming_inputs(error, files.paths);
  }
  request.bandwidth = {};
}

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

FieldText flip_text() {
  return {.name = "flip",
          .value = "none|x|y|z[,...]",
          .help = "axes that pictures draw in the opposite direction",
          .by_default = "z if it is named a depth",
          .runs = run_kind::kWhole | run_kind::kCategories};
}

void add_flip_flag(OptionTable& table, std::vector<std::string>& flipped) {
  FieldText text = flip_text();
  text.value = "none|x|y|z|NAME[,...]";
  table.value(std::move(text), flipped, list_of([](const std::string& word) { return word; }));
}

std::array<bool, 3> parse_flips(const std::string& given) {
  constexpr std::string_view kNames(kAxisNames.data(), kAxisNames.size());
  std::array<bool, 3> flipped{};
  if (given == "none") return flipped;
  std::string_view rest = given;
  while (true) {
    const std::size_t axis = rest.empty() ? kNames.npos : kNames.find(rest[0]);
    const bool last = rest.size() == 1;
    if (axis == kNames.npos || flipped[axis] || (!last && rest[1] != ','))
      throw Error(ErrorKind::usage,
                  fmt::format("must name axes, such as 'z' or 'x,z', or be none; got '{}'", given));
    flipped[axis] = true;
    if (last) return flipped;
    rest.remove_prefix(2);
  }
}

KnownMixture read_known_mixture(const std::string& path, const io::OpenFiles& files) {
  NoProgress silent;
  io::MixtureFile file = io::read_mixture(path, silent, files);
  if (!file.states_kernel)
    throw Error(ErrorKind::input,
                fmt::format("{}: does not state {}, so its kernel cannot be replaced", path,
                            io::kKernelCovariance),
                {"bandwidth", "drop `bandwidth`"});
  KnownMixture known{std::move(file.mixture)};
  for (const auto& [key, value] : file.facts)
    if (double number = 0; key == io::kEffectiveSamples && io::parse_number(value, number) &&
                           number > 1 && std::isfinite(number))
      known.effective_samples = number;
  return known;
}

void assume_widths(const ParsedFlags& flags, CloudFiles& files, DensityRequest& request) {
  io::ColumnSelection& columns = files.columns;
  const bool named = has_any(flags, std::array{"widths", "width-form"});
  if (!named)
    io::assume_gaussians(files.paths, !has_any(flags, kBandwidthFlags) && !flags.has("adaptive"),
                         columns, files.open);
  if (io::are_gaussians(columns.widths) && !flags.has("kernel"))
    request.kernel = KernelFunction::gaussian;
  if (columns.widths_need_kernel()) columns.width_kernel = request.kernel;
  if (io::is_mixture(columns.widths) && has_any(flags, kBandwidthFlags))
    replace_kernel(flags, files, request);
}

void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns) {
  const bool adaptive = flags.has("adaptive");
  if (flags.has("adaptive-alpha") && !adaptive)
    usage_error("--adaptive-alpha has no effect without --adaptive; add --adaptive, or drop it");
  if (!columns.shaped()) {
    if (flags.has("width-form"))
      usage_error("--width-form has no effect without --widths; drop it");
    if (flags.has("min-width") && !adaptive)
      usage_error("--min-width has no effect without --widths or --adaptive; drop it");
    return;
  }
  if (adaptive)
    usage_error(
        "--adaptive contradicts --widths, which already gives per-sample bandwidths; drop one of "
        "them");
  if (columns.width_form == io::WidthForm::factor) {
    if (columns.widths.size() != 1 || io::are_gaussians(columns.widths))
      usage_error("--width-form factor needs one column in --widths; drop it");
    return;
  }
  if (flags.has("width-form") && (columns.widths.size() > 3 || io::are_gaussians(columns.widths)))
    usage_error("--width-form is of 1 or 3 columns of lengths in --widths; drop it");
  if (io::is_mixture(columns.widths)) return;  // these flags replace its kernel
  for (const std::string_view name : kBandwidthFlags)
    if (flags.has(name))
      usage_error(
          fmt::format("--{} has no effect with --widths, which gives each sample its own H; drop "
                      "it, or scale H with --width-form factor",
                      name));
}

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
