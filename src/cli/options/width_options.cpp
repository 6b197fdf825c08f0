#include "cli/options/width_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "io/points/columns/width_columns.hpp"
#include "io/points/point_reader.hpp"

namespace skde::cli {

void assume_widths(const ParsedFlags& flags, CloudFiles& files, KernelFunction& kernel) {
  const bool chosen = std::ranges::any_of(
      std::array{"widths", "width-form", "bandwidth", "covariance", "regularize", "adaptive"},
      [&](const char* name) { return flags.has(name); });
  if (!chosen && io::are_splats(files.paths, files.columns, files.open)) {
    files.columns.widths = {std::string(io::kSplat)};
    files.columns.widths_assumed = true;
  }
  if (io::is_splat(files.columns.widths) && !flags.has("kernel")) kernel = KernelFunction::gaussian;
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
    if (columns.widths.size() != 1 || io::is_splat(columns.widths))
      usage_error("--width-form factor needs one column in --widths; drop it");
    return;
  }
  for (const std::string_view name : {"bandwidth", "covariance", "regularize"})
    if (flags.has(name))
      usage_error(
          fmt::format("--{} has no effect with --widths, which gives each sample its own H; drop "
                      "it, or scale H with --width-form factor",
                      name));
}

}  // namespace skde::cli
