#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/cloud/moments.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// What follows from a request and the moments of the samples.
struct DensitySetup {
  Bandwidth bandwidth;
  Kernel kernel;
  Grid grid;
  Vec3 reach;              ///< half extents of the widest kernel
  double reach_ratio = 0;  ///< of the kernel that determines the cell edges; 0: these are given
};

/// What is known of the grid before any sample is read.
struct GridAhead {
  std::optional<Grid> grid;                         ///< set if it follows from the request alone
  std::optional<std::array<std::int64_t, 3>> dims;  ///< set if the cells of each axis are known
};
/// Returns what the request alone says of the grid. Throws what make_grid throws.
GridAhead grid_ahead(const DensityRequest& request);

/// Chooses the bandwidth, and the grid if it is not known yet. `inner_bounds` are the bounds of the
/// samples without outliers; a grid without given bounds covers them. If samples have shapes of
/// their own, the bandwidth is the mean of these, with source "samples". `chosen` is the bandwidth
/// if the request wants a data-driven one. Throws what select_bandwidth and make_grid throw, and
/// Error(input) if there are no samples or no kernel reaches the box.
DensitySetup set_up_density(const DensityRequest& request, const Moments& moments,
                            const Box& inner_bounds, const GridAhead& ahead,
                            const ShapeSummary& shapes = {},
                            const std::optional<Bandwidth>& chosen = {});

/// Throws Error(input) if the samples are in another frame than the volume whose grid they take.
void require_frame_of_like(const DensityRequest& request, const std::string& frame);

/// Throws Error(unsupported) if the request sharpens samples, for what is not made of such samples.
void refuse_sharpening(const DensityRequest& request, std::string_view what);

/// Throws Error(unsupported) if the request asks for means over cells, for what is made of values
/// at places.
void refuse_means(const DensityRequest& request, std::string_view what);
/// Throws an Error if means over cells, or a histogram, do not go with the rest of the request.
void require_means(const DensityRequest& request);

/// Throws Error(unsupported) if the request corrects values at faces for their slope, for what is
/// not a volume that is summed as a whole.
void refuse_linear_faces(const DensityRequest& request, std::string_view what);

/// Returns whether the kernel is independent of the samples.
bool has_fixed_kernel(const DensityRequest& request);
/// Returns the set-up if neither kernel nor grid depends on the samples, so that one pass over them
/// is enough. Throws what select_bandwidth throws.
DensitySetup set_up_independent(const DensityRequest& request, const Grid& grid);

/// Throws Error(input) if no kernel of samples within `cloud` reaches the grid.
void require_overlap(const Box& cloud, Vec3 support, const Grid& grid,
                     const Boundaries& boundaries);

/// Returns whether the grid's box contains all kernels of samples within `cloud`.
bool is_inside(const Grid& grid, const Box& cloud, const Kernel& kernel,
               const Boundaries& boundaries);

/// Returns the factor from a density over all space to the requested normalization. `mass` is the
/// integral of the kernels over the box.
double normalization_scale(Normalization normalization, double mass, double total_weight);
/// Returns the same for values whose integral, summed over the cells, is `sum`. Throws
/// Error(input) if the one that is needed is 0: no kernel covers a cell centre.
double normalization_factor(Normalization normalization, double sum, double mass,
                            double total_weight);

/// Returns the requested type, or double if float has too few digits for the values or cannot hold
/// them: the height of kernels depends on the units of the coordinates.
/// `height` is that of a sample of weight W.
Precision precision_in_range(Precision asked, double height, double samples, double total_weight,
                             Normalization normalization);
/// Throws Error(input) if the largest value of a density is beyond the range of its type.
void require_in_range(double largest, Precision precision);

/// Returns the h of `spec` with its bandwidth replaced by each rule.
BandwidthSuggestions suggest_bandwidths(const Moments& moments, BandwidthSpec spec,
                                        KernelFunction kernel);

}  // namespace skde
