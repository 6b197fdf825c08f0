#pragma once

#include "cli/options/option_table.hpp"
#include "estimate/request.hpp"

namespace skde::cli {

/// Uses the widths in files of Gaussian splats if no flag says what H is. With widths of splats,
/// uses the Gaussian as the kernel unless --kernel names one.
void assume_widths(const ParsedFlags& flags, CloudFiles& files, KernelFunction& kernel);
/// Throws Error(usage) if a flag for widths, or one for the bandwidth beside widths, has no effect.
void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns);

}  // namespace skde::cli
