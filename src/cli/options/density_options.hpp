#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/options/width_options.hpp"
#include "estimate/fields/density_fields.hpp"

namespace skde::cli {

/// The grid of a volume file; where that does not say where its cells lie, `bounds` does, and
/// elsewhere they contradict it, which is Error(usage).
Grid grid_like(const std::string& path, std::optional<Box> bounds);

/// Adds the flags of the fields of these targets, each group under its title. What the options hold
/// is the default of --precision.
void add_density_fields(OptionTable& table, DensityOptions& options, unsigned targets);

/// The flag of devices alone.
void add_device_flag(OptionTable& table, EngineOptions& options);

/// Throws Error(usage) where an input is a number and no file: one of a list without commas.
void require_inputs(const std::vector<std::string>& paths);
/// Throws Error(usage) where a kernel flag would be ignored: --covariance or --regularize beside a
/// bandwidth that needs no covariance.
void check_kernel_options(const ParsedFlags& flags, const DensityRequest& request);
/// Throws Error(usage) where any flag would be ignored or contradicts another, Error(resources)
/// where the engine cannot run here; then fills in what follows from several flags: the device that
/// is meant, and the grid of --like.
void complete_density_options(const ParsedFlags& flags, DensityOptions& options);

}  // namespace skde::cli
