#include "engines/cuda/cuda_gradients.hpp"

#include <algorithm>
#include <memory>

#include "engines/cuda/cuda_point_order.hpp"
#include "kernels/ranges/point_ranges.hpp"

namespace skde {

std::vector<double> cuda_gradients(const Kernel& kernel, const SamplesView& samples,
                                   std::span<const double> points, int device, Progress& progress) {
  constexpr std::size_t kTogether = std::size_t{1} << 24;  // points; limits the memory
  constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};         // one cell is one world unit
  std::vector<double> gradients(points.size(), 0.0);
  if (points.empty() || samples.size() == 0) return gradients;
  const auto on = std::make_shared<CudaDevice>(EngineOptions{.device = device});
  on->start();
  CudaSamples loaded(on);
  loaded.upload(samples);
  CudaPointOrder order(on);
  gpu::DeviceBuffer<double> found;
  const KernelSlope slope = slope_of(kernel).value();
  const double scale = 2 * slope.factor * kernel.amplitude() * loaded.largest_weight();
  const std::size_t count = points.size() / 3;
  progress.begin("gradient", count, "points");
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const std::size_t size = std::min(kTogether, count - begin);
    order.set_targets(points.subspan(3 * begin, 3 * size));
    order.sort_targets(kernel.ellipsoid(kWorld), static_cast<double>(samples.size()));
    const kernels::RangeSums work = order.sort_samples(loaded, 3);
    launch_in_parts(work.blocks(), on->stream(), progress, [&](auto first, auto blocks) {
      kernels::sum_gradients(work, slope, kernel.cut(), first, blocks, on->stream().get());
      return begin + std::min(static_cast<std::size_t>(work.first_target(first + blocks)), size);
    });
    found.reserve(3 * size);
    kernels::find_gradients(work, order.target_indices(), scale, found.data(), on->stream().get());
    on->download(found.data(), &gradients[3 * begin], 3 * size * sizeof(double));
  }
  return gradients;
}

}  // namespace skde
