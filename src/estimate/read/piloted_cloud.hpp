#pragma once

#include <memory>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/pilot_samples.hpp"
#include "estimate/values/density_plan.hpp"

namespace skde {

/// Returns the cloud with per-sample bandwidth factors w_i = (f_i / g)^-alpha by Abramson (1982).
/// f_i is the density at sample i with the pilot kernel, the sample's own kernel included, summed
/// directly over all samples within reach. g is the weighted geometric mean of the f_i. Samples
/// beyond a face have factor 1, as they do not count. Throws Error(cancelled).
std::shared_ptr<const SampleCloud> adapted_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                 const PilotSpec& spec, int threads,
                                                 Progress& progress);

/// Returns the cloud with samples at x + (1/2) G grad log f(x): moved by half of their mean shift,
/// which removes the leading bias of a density (data sharpening: Choi and Hall, Biometrika 86,
/// 1999). f is the density by Gaussians of covariance G, that of the kernel, with images at faces.
/// A move is at most as long as the kernel reaches; samples without neighbours stay. Samples that
/// leave a periodic box come back at the other side, and those that leave a box that reflects are
/// mirrored; samples beyond a face stay, as they do not count. Moments and bounds of the cloud are
/// those of the samples as they were. Throws Error(cancelled).
std::shared_ptr<const SampleCloud> sharpened_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                   const PilotSpec& spec, int threads,
                                                   Progress& progress);

/// Returns the cloud that the density of a request with this pilot sums.
inline std::shared_ptr<const SampleCloud> piloted_cloud(
    const std::shared_ptr<const SampleCloud>& cloud, const PilotSpec& spec, int threads,
    Progress& progress) {
  return (spec.alpha ? adapted_cloud : sharpened_cloud)(cloud, spec, threads, progress);
}

/// Returns the covariances of the kernels that samples have of their own in a density (6 doubles
/// each, squared world units): from columns or adaptive, and not narrower than its anti-aliasing
/// floor. Empty if all share one kernel, or the cloud is null. Throws Error(cancelled).
std::vector<double> own_kernels(std::shared_ptr<const SampleCloud> cloud,
                                const DensityDecisions& plan, Progress& progress);

}  // namespace skde
