#include "cli/options/width_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bandwidth/mixture_bandwidth.hpp"
#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "estimate/read/input_error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/mixture_file.hpp"
#include "io/text/text_fields.hpp"

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

}  // namespace

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

}  // namespace skde::cli
