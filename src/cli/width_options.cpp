#include "cli/width_options.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/name_list.hpp"
#include "io/points/point_reader.hpp"
#include "io/points/width_columns.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kNoWidths = "none";

[[noreturn]] void usage_error(const std::string& message) {
  throw Error(ErrorKind::usage, message);
}

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

void add_min_width_option(OptionTable& table, DensityRequest& request) {
  table.value({.name = "min-width",
               .value = "CELLS",
               .help = "widens kernels of samples' own --widths whose deviation is below so many "
                       "cells, so that they keep their mass; 0: none",
               .by_default = "1"},
              request.min_width, RealNumber(0));
}

void assume_widths(const ParsedFlags& flags, CloudFiles& files) {
  for (const std::string_view name :
       {"widths", "width-form", "bandwidth", "covariance", "regularize"})
    if (flags.has(name)) return;
  if (!io::are_splats(files.paths, files.columns)) return;
  files.columns.widths = {std::string(io::kSplat)};
  files.columns.widths_assumed = true;
}

void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns) {
  if (!columns.shaped()) {
    for (const std::string_view name : {"width-form", "min-width"})
      if (flags.has(name))
        usage_error(fmt::format("--{} has no effect without --widths; drop it", name));
    return;
  }
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
