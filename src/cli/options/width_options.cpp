#include "cli/options/width_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/report/error.hpp"
#include "core/report/name_list.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/point_reader.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kNoWidths = "none";

}  // namespace

std::vector<std::string> parse_width_columns(const std::string& given) {
  if (given == kNoWidths) return {};
  std::vector<std::string> names = parse_names(given);
  static_cast<void>(io::width_columns(names));
  return names;
}

void add_width_options(OptionTable& table, io::ColumnSelection& columns) {
  table.value({.name = "widths",
               .value = "COLUMN,...|auto|splat|none",
               .help = "columns of a width a sample: 1 length, 3 lengths, or 6 or 9 values of its "
                       "own matrix H; auto: the one named as smoothing lengths are; splat: scales, "
                       "rotation and opacity of Gaussian splats; none: one H for all samples",
               .by_default = "splat for files of these, unless a flag chooses H; else none"},
              columns.widths, parse_width_columns);
  table.value(
      {.name = "width-form",
       .value = "length|factor",
       .help = "what one column of widths is: h of H = h^2 I, or a factor on the lengths of "
               "the common H, as --bandwidth 1 makes it S",
       .by_default = "length"},
      columns.width_form, OneOf<io::WidthForm>(io::kWidthForms));
}

double parse_alpha(const std::string& given) {
  const double alpha = RealNumber(0)(given);
  if (!(alpha > 0 && alpha <= 1))
    throw Error(ErrorKind::usage, fmt::format("'{}' is not above 0 and at most 1", given),
                {"adaptive_alpha", "0.5 is the square-root law"});
  return alpha;
}

void add_adaptive_options(OptionTable& table, AdaptiveChoice& adaptive) {
  table.flag(
      {.name = "adaptive",
       .help = "a width a sample by Abramson's law: (f/g)^-alpha times the bandwidth, where f "
               "is the density of that bandwidth at the sample and g its geometric mean"},
      adaptive.wanted);
  table.value({.name = "adaptive-alpha",
               .value = "A",
               .help = "its exponent, up to 1",
               .by_default = "0.5, the square-root law"},
              adaptive.alpha, parse_alpha);
}

void add_own_width_options(OptionTable& table, AdaptiveChoice& adaptive, DensityRequest& request) {
  add_adaptive_options(table, adaptive);
  table.value(
      {.name = "min-width",
       .value = "CELLS",
       .help = "widens kernels of samples' own --widths, and of --adaptive, whose deviation is "
               "below so many cells, so that they keep their mass; 0: none",
       .by_default = "1"},
      request.min_width, RealNumber(0));
}

void assume_widths(const ParsedFlags& flags, CloudFiles& files, KernelFunction& kernel) {
  const bool chosen = std::ranges::any_of(
      std::array{"widths", "width-form", "bandwidth", "covariance", "regularize", "adaptive"},
      [&](const char* name) { return flags.has(name); });
  if (!chosen && io::are_splats(files.paths, files.columns)) {
    files.columns.widths = {std::string(io::kSplat)};
    files.columns.widths_assumed = true;
  }
  if (io::is_splat(files.columns.widths) && !flags.has("kernel")) kernel = KernelFunction::gaussian;
}

void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns) {
  const bool adaptive = flags.has("adaptive");
  if (flags.has("adaptive-alpha") && !adaptive)
    usage_error("--adaptive-alpha has no effect without --adaptive; add that, or drop it");
  if (!columns.shaped()) {
    if (flags.has("width-form"))
      usage_error("--width-form has no effect without --widths; drop it");
    if (flags.has("min-width") && !adaptive)
      usage_error("--min-width has no effect without --widths or --adaptive; drop it");
    return;
  }
  if (adaptive)
    usage_error("--adaptive contradicts --widths, which are each sample's own; drop one of them");
  if (columns.width_form == io::WidthForm::factor) {
    if (columns.widths.size() != 1 || io::is_splat(columns.widths))
      usage_error("--width-form factor is for one column of --widths; drop it");
    return;
  }
  for (const std::string_view name : {"bandwidth", "covariance", "regularize"})
    if (flags.has(name))
      usage_error(
          fmt::format("--{} has no effect beside --widths, which are each sample's own H; "
                      "drop it, or multiply them with --width-form factor",
                      name));
}

}  // namespace skde::cli
