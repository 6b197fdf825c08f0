#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/options/width_options.hpp"
#include "estimate/fields/density_fields.hpp"

namespace skde::cli {

/// Returns the grid of a volume file. `bounds` places its cells if the file does not say where they
/// lie. Throws Error(usage) if both say so, and Error(input) if neither does.
GridOfVolume grid_like(const std::string& path, std::optional<Box> bounds);

/// Adds the flags of the fields for these targets, each group under its title. The precision and
/// the kernel in `options` are the defaults of their flags.
void add_density_fields(OptionTable& table, DensityOptions& options, unsigned targets);

/// Adds only the flag for devices.
void add_device_flag(OptionTable& table, EngineOptions& options);

/// Throws Error(usage) if an input is a number and not a file: part of a list without commas.
void require_inputs(const std::vector<std::string>& paths);
/// Throws Error(usage) if a kernel flag would be ignored: --covariance or --regularize beside a
/// bandwidth that needs no covariance.
void check_kernel_options(const ParsedFlags& flags, const DensityRequest& request);
/// Throws Error(usage) if a flag would be ignored or contradicts another, and Error(resources) if
/// the engine cannot run here. Then sets what follows from several flags: the device, and the grid
/// of --like.
void complete_density_options(const ParsedFlags& flags, DensityOptions& options);

}  // namespace skde::cli
