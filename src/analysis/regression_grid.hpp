#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/volume.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/session.hpp"

namespace skde {

/// How means on a grid came about.
struct MeanGridFacts {
  DensityFacts facts;           ///< of the density by which they are weighted
  std::uint64_t unreached = 0;  ///< cells that no sample reaches, where all are NaN
  std::uint64_t resummed = 0;   ///< cells of columns that an engine knows too little of
};

/// Takes the means of a column and their deviations, in the type of the request's precision.
using TakeMeans = std::function<void(std::size_t column, const MeanGridFacts& facts,
                                     const Volume& means, const Volume& deviations)>;

/// What KernelRegression has, at the centres of a grid's cells, one column after another.
///
/// The sums are three weighted densities, which an engine of the CPU sums in double: off by a share
/// of the peak. Where that says too little of a mean, in the tails and where values hardly differ,
/// cells are summed anew one by one, as KernelRegression are; of Gaussians over the samples that
/// count there, however far from all of them. Means are off by 1e-7 of the spread of all values at
/// the most and deviations by 1e-5. Kernels thinner than cells are not widened. Throws what
/// Session::compute throws, Error(resources) where the volumes do not fit into `memory_limit`
/// (bytes; 0: what is available), and for values what kernel_regression throws. `check` is called
/// with the grid before anything is summed over it, and may refuse it with an Error.
MeanGridFacts kernel_regression_on_grid(std::shared_ptr<const SampleCloud> cloud,
                                        const DensityRequest& request, std::int64_t memory_limit,
                                        std::span<const double> values, std::size_t columns,
                                        const std::function<void(const Grid&)>& check,
                                        const TakeMeans& take, Progress& progress);
/// Predicts time and memory of kernel_regression_on_grid(). Throws what it throws.
WorkForecast mean_grid_forecast(std::shared_ptr<const SampleCloud> cloud,
                                const DensityRequest& request, std::int64_t memory_limit,
                                std::size_t columns, Progress& progress);

}  // namespace skde
