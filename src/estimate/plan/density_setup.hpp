#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/cloud/moments.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/shape_summary.hpp"
#include "estimate/request.hpp"

namespace skde {

/// What follows from a request and the moments of the samples.
struct DensitySetup {
  Bandwidth bandwidth;
  Kernel kernel;
  Grid grid;
  Vec3 reach;              ///< half extents of the widest kernel
  double reach_ratio = 0;  ///< of the kernel that the edges of cells follow from; 0: they are given
};

/// What is known of the grid before any sample is.
struct GridAhead {
  std::optional<Grid> grid;                         ///< where its bounds are given
  std::optional<std::array<std::int64_t, 3>> dims;  ///< where the cells of each axis are
};
/// Throws what make_grid throws.
GridAhead grid_ahead(const DensityRequest& request);

/// Chooses the bandwidth, and the grid where it is not known yet; `inner_bounds` are those of the
/// samples without outliers, which a grid holds that is asked for no bounds. Throws what
/// select_bandwidth and make_grid throw, and Error(input) where there are no samples or no kernel
/// reaches the box. Where samples have shapes of their own, the bandwidth is the mean of these, of
/// source "samples". `chosen` is the bandwidth where the request wants a data-driven one.
DensitySetup set_up_density(const DensityRequest& request, const Moments& moments,
                            const Box& inner_bounds, const GridAhead& ahead,
                            const ShapeSummary& shapes = {},
                            const std::optional<Bandwidth>& chosen = {});

/// True where the kernel does not depend on the samples.
bool has_fixed_kernel(const DensityRequest& request);
/// The set-up where neither kernel nor grid depends on the samples, so that one pass over them is
/// enough. Throws what select_bandwidth throws.
DensitySetup set_up_independent(const DensityRequest& request, const Grid& grid);

/// Error(input) where no kernel of samples within `cloud` reaches the grid.
void require_overlap(const Box& cloud, Vec3 support, const Grid& grid,
                     const Boundaries& boundaries);

/// True where the grid's box holds all of the kernels of samples within `cloud`.
bool is_inside(const Grid& grid, const Box& cloud, const Kernel& kernel,
               const Boundaries& boundaries);

/// The factor from a density over all space to what was asked for; `mass` is the integral of the
/// kernels over the box, and `sum` what the cells make of it. Error(input) where that is 0: no
/// kernel covers a cell centre.
double normalization_factor(Normalization normalization, double sum, double mass,
                            double total_weight);

/// The type that was asked for, or doubles where floats have too few digits for the values, or none
/// at all: kernels' heights follow from the units of the coordinates.
Precision precision_in_range(Precision asked, const Kernel& kernel, double samples,
                             double total_weight, Normalization normalization);
/// Error(input) where the largest value of a density is beyond the range of its type.
void require_in_range(double largest, Precision precision);

/// The values of h that the rules take for samples; none where the rule cannot be used, as with a
/// flat cloud.
struct BandwidthSuggestions {
  std::optional<double> silverman, scott, normal_scale, normal_scott;
};
/// `spec` with its bandwidth replaced by each rule.
BandwidthSuggestions suggest_bandwidths(const Moments& moments, BandwidthSpec spec,
                                        KernelFunction kernel);

}  // namespace skde
