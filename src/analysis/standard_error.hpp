#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/density_facts.hpp"

namespace skde {

class Session;
class SliceSink;
struct SampleCloud;

// The standard error of a density's values, as the samples would be drawn again with the same
// kernels: sqrt(sum_i w_i^2 k_i(x)^2 / W^2 - f(x)^2 / n_eff), where k_i is the kernel of sample i
// with all its images. It is the deviation of the mean of k_i(x), which the bootstrap approaches.
// Sums of squared kernels are the density of another kernel, so every engine sums them.

/// The largest standard error of a density, and how the errors were computed.
struct StandardErrorFacts {
  double largest = 0;  ///< in the unit of the density
  std::string engine;  ///< that summed the squared kernels
  double seconds = 0;
};

/// Throws Error(usage) if a density has no standard error that can be computed: see the errors for
/// the reasons. Needs no samples.
void require_standard_error(const DensityRequest& request);

/// Returns the standard errors of a density that was just computed from the cloud, in its unit and
/// precision. The squares are summed in double, by an engine of its own choice on the device that
/// the request names, within `memory_limit` bytes (0: what is available). Throws Error(resources)
/// if the cloud is null, as its samples do not fit into memory; Error(usage) where kernels of one
/// sample overlap whose product is no kernel; and what Session::compute throws.
std::pair<Volume, StandardErrorFacts> standard_errors(
    const std::shared_ptr<const SampleCloud>& cloud, const DensityFacts& facts,
    const Volume& density, std::int64_t memory_limit, Progress& progress);

/// Runs a plan of a session for a whole volume, and passes the density to a sink, and its standard
/// errors as the slices behind those of the density. Throws the same.
std::pair<DensityFacts, StandardErrorFacts> stream_with_errors(Session& session,
                                                               const DensityPlan& plan,
                                                               std::int64_t memory_limit,
                                                               SliceSink& to, Progress& progress);

}  // namespace skde
