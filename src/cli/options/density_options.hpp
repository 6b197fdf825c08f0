#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "core/mixture/mixture.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/values/request.hpp"

namespace skde::cli {

/// The text of --flip, and a row that has it: axes of pictures that grow in the opposite direction.
FieldText flip_text();
void add_flip_flag(OptionTable& table, std::vector<std::string>& flipped);

/// Parses the axes of "z" or "x,z", or "none". Throws Error(usage) unless it names axes, each once.
std::array<bool, 3> parse_flips(const std::string& given);

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
