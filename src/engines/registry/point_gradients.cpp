#include "engines/registry/point_gradients.hpp"

#include "engines/cpu/ranges/range_reduction.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_gradients.hpp"
#endif

namespace skde {

std::vector<double> point_gradients(const Kernel& kernel, const SamplesView& samples,
                                    std::span<const double> points, int threads,
                                    [[maybe_unused]] std::optional<int> gpu, Progress& progress) {
#if SKDE_HAS_CUDA
  if (gpu && !samples.shaped() && slope_of(kernel))
    return cuda_gradients(kernel, samples, points, *gpu, progress);
#endif
  const NearSamples near(kernel, samples, points);
  return RangeReduction(kernel, near.view(), threads)
      .gradients(points, weights_of(near.view()), progress);
}

}  // namespace skde
