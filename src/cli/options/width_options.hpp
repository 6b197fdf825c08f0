#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "estimate/read/adaptive_widths.hpp"
#include "estimate/request.hpp"

namespace skde::cli {

/// What --adaptive and --adaptive-alpha say together.
struct AdaptiveChoice {
  bool wanted = false;
  double alpha = kSquareRootLaw;
};

/// The names of "COLUMN,...", none of "none"; Error(usage) where their number is none of widths.
std::vector<std::string> parse_width_columns(const std::string& given);
/// An alpha of Abramson's law; Error(usage) where it is none.
double parse_alpha(const std::string& given);
/// Adds --widths and --width-form.
void add_width_options(OptionTable& table, io::ColumnSelection& columns);
/// Adds --adaptive and --adaptive-alpha.
void add_adaptive_options(OptionTable& table, AdaptiveChoice& adaptive);
/// Adds those and --min-width.
void add_own_width_options(OptionTable& table, AdaptiveChoice& adaptive, DensityRequest& request);
/// Takes the widths of files of Gaussian splats, where no flag says what H is; and the Gaussian as
/// the kernel of widths of splats, where --kernel names none.
void assume_widths(const ParsedFlags& flags, CloudFiles& files, KernelFunction& kernel);
/// Throws Error(usage) where a flag of widths, or one of the bandwidth beside them, has no effect.
void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns);

}  // namespace skde::cli
