#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_setup.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// The samples whose kernels a density sums, with kernels of their own if it is adaptive, and moved
/// if it is sharpened.
struct SummedKernels {
  std::shared_ptr<const SampleCloud> cloud;
  DensitySetup setup;
};
/// Chooses bandwidth and box as a density does. `what` is made of the kernels, for errors. Throws
/// what DensitySampler throws.
SummedKernels summed_kernels(std::shared_ptr<const SampleCloud> cloud,
                             const DensityRequest& request, std::string_view what,
                             Progress& progress);

/// Draws independent samples from a kernel density estimate: a sample by weight, and a place by its
/// kernel. Draw i depends only on the seed and i, not on the number of threads.
///
/// Kernels are per-sample if samples have bandwidth factors or shapes, or if the density is
/// adaptive; the samples are moved first if it is sharpened. No anti-aliasing floor is applied, and
/// Gaussians are not cut. At faces that reflect, draws are folded back; at periodic faces they are
/// wrapped round; at faces that renormalise they are drawn again until they lie within. This is
/// exactly the estimate with these boundaries, except that samples beyond a face that reflects or
/// renormalises get no draws. At other faces, draws may lie beyond the box.
class DensitySampler {
 public:
  /// Chooses bandwidth and box as a density does. Throws what set_up_density throws, Error(usage)
  /// if an adaptive or a sharpened density is requested for samples with bandwidth factors of their
  /// own, Error(input) if no weight is left within the box, and Error(cancelled).
  DensitySampler(std::shared_ptr<const SampleCloud> cloud, const DensityRequest& request,
                 std::uint64_t seed, Progress& progress);

  /// Returns draws [first, first + count), computed in parallel. Throws Error(input) if a kernel
  /// has almost no mass between faces that renormalise.
  Samples draw(std::uint64_t first, std::uint64_t count) const;
  /// Calls use(samples) with draws [0, count), some at a time. Throws the same, and
  /// Error(cancelled).
  void draw_each(std::uint64_t count, const std::function<void(Samples)>& use,
                 Progress& progress) const;

  const DensitySetup& setup() const { return setup_; }
  /// Number of samples beyond faces that reflect or renormalise, which are left out.
  std::uint64_t left_out() const { return left_out_; }

 private:
  void add_up_weights();
  std::size_t sample_of(double share) const;
  Vec3 place_of(std::uint64_t index) const;
  bool is_kept(Vec3& place) const;

  std::shared_ptr<const SampleCloud> cloud_;
  DensityRequest request_;
  CounterRandom random_;
  DensitySetup setup_;
  Box box_;
  std::vector<double> up_to_;  ///< cumulative weights; empty if all are equal
  std::uint64_t left_out_ = 0;
};

}  // namespace skde
