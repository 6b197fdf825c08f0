#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/option_table.hpp"
#include "estimate/density_estimate.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// How samples are taken from files.
struct InputOptions {
  io::ColumnSelection columns;
  io::NonFinite non_finite = io::NonFinite::drop;
};

/// Everything that decides a density, as flags name it.
struct DensityOptions {
  InputOptions input;
  DensityRequest request;
  std::string like_file;  ///< volume whose grid is taken; empty: the grid comes from the request
  std::string units;      ///< of the coordinates, for the files
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
};

/// Adds --columns, --weights, --nan.
void add_input_options(OptionTable& table, InputOptions& options);
/// Adds --kernel, --bandwidth, --covariance, --regularize.
void add_kernel_options(OptionTable& table, DensityRequest& request);
/// Adds the flags above and those of grid, engine, normalisation and units, each group under its
/// title.
void add_density_options(OptionTable& table, DensityOptions& options);

/// Throws Error(usage) where a kernel flag would be ignored: --covariance or --regularize beside a
/// bandwidth that needs no covariance.
void check_kernel_options(const ParsedFlags& flags, const DensityRequest& request);
/// Throws Error(usage) where any flag would be ignored or contradicts another, Error(resources)
/// where the engine cannot run here.
void check_density_options(const ParsedFlags& flags, const DensityOptions& options);

/// The engine that is named, or "auto".
std::string engine_name(const DensityRequest& request);

}  // namespace skde::cli
