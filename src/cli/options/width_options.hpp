#pragma once

#include "cli/options/option_table.hpp"
#include "estimate/request.hpp"

namespace skde::cli {

/// Takes the widths of files of Gaussian splats, where no flag says what H is; and the Gaussian as
/// the kernel of widths of splats, where --kernel names none.
void assume_widths(const ParsedFlags& flags, CloudFiles& files, KernelFunction& kernel);
/// Throws Error(usage) where a flag of widths, or one of the bandwidth beside them, has no effect.
void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns);

}  // namespace skde::cli
