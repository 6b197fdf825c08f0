#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "estimate/plan/density_setup.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/request.hpp"

namespace skde {

/// Draws from a kernel density estimate, each on its own: a sample by weight, and a place by its
/// kernel. Draw i depends on the seed and i alone, whatever the number of threads.
///
/// Kernels are those of samples' own widths or shapes, or that adapt to the density, before any
/// grid widens them, and Gaussians have no cut. Faces of the box that reflect fold draws back in,
/// periodic ones wrap them round, and those that renormalise have them drawn again until they lie
/// within: the estimate with these boundaries, exactly, but that samples beyond a face that
/// reflects or renormalises get no draws. Elsewhere draws may lie beyond the box.
class DensitySampler {
 public:
  /// Chooses bandwidth and box as a density does. Throws what set_up_density throws, Error(usage)
  /// where samples with widths of their own are asked to adapt, Error(input) where no weight is
  /// left within the box, and Error(cancelled).
  DensitySampler(std::shared_ptr<const SampleCloud> cloud, const DensityRequest& request,
                 std::uint64_t seed, Progress& progress);

  /// Draws [first, first + count), over threads. Error(input) where a kernel has next to nothing of
  /// its mass between faces that renormalise.
  Samples draw(std::uint64_t first, std::uint64_t count) const;

  const DensitySetup& setup() const { return setup_; }
  /// Samples beyond faces that reflect or renormalise, which do not count.
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
  std::vector<double> up_to_;  ///< sums of weights; none where all samples are alike
  std::uint64_t left_out_ = 0;
};

}  // namespace skde
