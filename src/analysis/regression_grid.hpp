#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/space/volume.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/session.hpp"

namespace skde {

/// How the means on a grid were computed.
struct MeanGridFacts {
  DensityFacts facts;           ///< of the density of the weights
  std::uint64_t unreached = 0;  ///< cells that no sample reaches; their results are NaN
  std::uint64_t resummed = 0;   ///< cells of columns for which the engine was too inaccurate
};

/// Takes the means of a column and their deviations, in the precision of the request.
using TakeMeans = std::function<void(std::size_t column, const MeanGridFacts& facts,
                                     const Volume& means, const Volume& deviations)>;

/// Computes what KernelRegression holds, at the centres of a grid's cells, one column after
/// another.
///
/// The sums are three weighted densities, which a CPU engine sums in double with an error relative
/// to the peak. Where that is too inaccurate, in the tails and where values hardly differ, cells
/// are summed again one by one as in kernel_regression(). For Gaussians these sums cover the
/// samples that matter there, however far all of them are. Means are off by at most 1e-7 of the
/// spread of all values, deviations by 1e-5. Kernels thinner than cells are not widened. Throws
/// what Session::compute throws, Error(resources) if the volumes do not fit into `memory_limit`
/// (bytes; 0: what is available), and for values what kernel_regression throws. `check` is called
/// with the grid before anything is summed over it, and may refuse it with an Error.
MeanGridFacts kernel_regression_on_grid(std::shared_ptr<const SampleCloud> cloud,
                                        const DensityRequest& request, std::int64_t memory_limit,
                                        std::span<const double> values, std::size_t columns,
                                        const std::function<void(const Grid&)>& check,
                                        const TakeMeans& take, Progress& progress);
/// Predicts time and memory of kernel_regression_on_grid(). Throws what that throws.
WorkForecast mean_grid_forecast(std::shared_ptr<const SampleCloud> cloud,
                                const DensityRequest& request, std::int64_t memory_limit,
                                std::size_t columns, Progress& progress);

}  // namespace skde
