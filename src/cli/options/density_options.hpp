#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/options/width_options.hpp"
#include "estimate/request.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// Everything that decides a density, as flags name it.
struct DensityOptions {
  CloudFiles files;  ///< their paths are no flags, so the caller's to fill in
  DensityRequest request;
  AdaptiveChoice adaptive;
  std::string like_file;  ///< volume whose grid is taken; empty: the grid comes from the request
  std::string covariance_file;    ///< where S was read from; empty: nowhere
  std::string units;              ///< of the coordinates, for the files
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
};

/// "1e-4": Error(usage) where it is no share of the peak up to 0.1.
double parse_tolerance(const std::string& given);
/// The names of "X,Y,Z"; Error(usage) where there are not three.
std::vector<std::string> parse_columns(const std::string& given);
/// A condition on columns as it stands; Error(usage) where it is none.
std::string parse_where(const std::string& given);
/// The grid of a volume file; where that does not say where its cells lie, `bounds` does, and
/// elsewhere they contradict it, which is Error(usage).
Grid grid_like(const std::string& path, std::optional<Box> bounds);

/// Adds --columns, --weights, --where, --geographic, --widths, --width-form, --skip, --nan.
void add_input_options(OptionTable& table, CloudFiles& files);
/// Adds --kernel.
void add_kernel_flag(OptionTable& table, const std::string& help, KernelFunction& kernel,
                     const std::string& by_default = "epanechnikov; of splats gaussian");
/// Adds --covariance and --regularize.
void add_covariance_flags(OptionTable& table, DensityOptions& options);
/// Adds --bounds.
void add_bounds_flag(OptionTable& table, GridSpec& grid);
/// Adds --boundary.
void add_boundary_flag(OptionTable& table, Boundaries& boundaries);
/// Adds --kernel, --bandwidth, --covariance, --regularize.
void add_bandwidth_options(OptionTable& table, DensityOptions& options);
/// The same and --tolerance.
void add_kernel_options(OptionTable& table, DensityOptions& options);
/// Adds the flags above and those of grid, engine, normalisation and units, each group under its
/// title.
void add_density_options(OptionTable& table, DensityOptions& options);

/// The same of densities at points, which have no grid: the flags of samples, kernel, boundary, its
/// box, and engine. What the options hold is the default of --precision.
void add_point_density_options(OptionTable& table, DensityOptions& options);

/// The same of means, on a grid or at points: without the flags of engines and densities.
void add_mean_options(OptionTable& table, DensityOptions& options);

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
