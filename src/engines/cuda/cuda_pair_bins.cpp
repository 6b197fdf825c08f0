#include "engines/cuda/cuda_pair_bins.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "engines/cuda/cuda_point_order.hpp"
#include "kernels/ranges/distance_bins.hpp"

namespace skde {

PairBins cuda_pair_bins(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                        int threads, int device, Progress& progress) {
  using kernels::DistanceBin;
  static_assert(DistanceBin::kBins == PairBins::kBins);
  constexpr std::size_t kTogether = std::size_t{1} << 24;  // targets; limits the memory
  constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};         // one cell is one world unit
  const auto on = std::make_shared<CudaDevice>(EngineOptions{.device = device});
  on->start();
  CudaSamples loaded(on);
  const std::vector<double> places = rounded_places(samples, S, reach, threads);
  loaded.upload({places});
  CudaPointOrder order(on);
  gpu::DeviceBuffer<DistanceBin> bins(PairBins::kBins);
  bins.clear(on->stream());
  progress.begin("pairs", samples.size(), "samples");
  for (std::size_t begin = 0; begin < samples.size(); begin += kTogether) {
    const std::size_t size = std::min(kTogether, samples.size() - begin);
    order.set_targets(std::span(places).subspan(3 * begin, 3 * size));
    order.sort_targets(make_ellipsoid({1, 0, 0, 1, 0, 1}, kWorld),
                       static_cast<double>(samples.size()));
    kernels::RangeSums work = order.sort_samples(loaded, 0);
    work.shares = 1;
    const auto count = static_cast<std::int64_t>(size), each = kernels::kBinnedTargets;
    launch_in_parts(
        (count + each - 1) / each, on->stream(), progress, [&](auto first, auto blocks) {
          kernels::bin_distances(work, first, blocks, bins.data(), on->stream().get());
          return begin + static_cast<std::size_t>(std::min((first + blocks) * each, count));
        });
  }
  std::vector<DistanceBin> found(PairBins::kBins);
  on->download(bins.data(), found.data(), bins.bytes());
  std::vector<double> sums;
  for (const DistanceBin& bin : found)
    sums.insert(sums.end(), {static_cast<double>(bin.pairs),
                             static_cast<double>(bin.steps) / DistanceBin::kSteps});
  return PairBins::counted(reach, samples.weight(0), total, std::move(sums));
}

}  // namespace skde
