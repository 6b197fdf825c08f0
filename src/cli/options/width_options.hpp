#pragma once

#include <optional>
#include <string>

#include "cli/options/option_table.hpp"
#include "core/mixture/mixture.hpp"
#include "estimate/values/request.hpp"

namespace skde::cli {

/// Uses the widths in files of mixtures, and those in files of Gaussian splats if no flag says what
/// H is. With either, uses the Gaussian as the kernel unless --kernel names one. A bandwidth that
/// flags choose replaces the kernel of a mixture, and the request then has none. Throws
/// Error(usage) if such flags have no effect, and what replaced_kernel() throws.
void assume_widths(const ParsedFlags& flags, CloudFiles& files, DensityRequest& request);
/// A mixture whose kernel is known, and n_eff of the samples behind it if that is stated.
struct KnownMixture {
  Mixture mixture;
  std::optional<double> effective_samples{};
};
/// Throws what io::read_mixture() throws, and Error(input) if the kernel is not known.
KnownMixture read_known_mixture(const std::string& path, const io::OpenFiles& files);
/// Throws Error(usage) if a flag for widths, or one for the bandwidth beside widths, has no effect.
void check_width_options(const ParsedFlags& flags, const io::ColumnSelection& columns);

}  // namespace skde::cli
