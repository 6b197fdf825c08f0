#include "bench/ceilings/device_ceilings.hpp"

#include <algorithm>
#include <cstdint>

#include "bench/ceilings/ceiling_loops.cuh"
#include "gpu/check.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/stage_timer.hpp"
#include "gpu/stream.hpp"

namespace skde {
namespace {

constexpr int kBlock = 256;

/// Launches a kernel with `threads` threads in full blocks; each thread does `amount` of work.
template <class... Arguments>
struct Launches {
  const gpu::Stream& stream;
  std::int64_t threads;
  double amount;

  /// Returns the highest rate of several launches; the first one is not counted.
  double best_rate(void (*kernel)(Arguments...), Arguments... arguments) const {
    constexpr int kTrials = 6;
    double best = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      gpu::StageTimer timer(stream);
      kernel<<<static_cast<unsigned>(threads / kBlock), kBlock, 0, stream.get()>>>(arguments...);
      gpu::check_launch("ceiling");
      timer.mark("trial");
      const double rate = amount * static_cast<double>(threads) / timer.finish().front().seconds;
      if (trial > 0) best = std::max(best, rate);
    }
    return best;
  }
};

}  // namespace

DeviceCeilings measure_device_ceilings(int device) {
  constexpr std::int64_t kCells = std::int64_t{1} << 22, kAdditions = std::int64_t{1} << 28;
  constexpr std::int64_t kCopied = (std::int64_t{1} << 30) / sizeof(float4);
  constexpr int kFmaRounds = 40000, kAtomicRounds = 64;
  gpu::select_device(device);
  // As many threads as all multiprocessors hold at once.
  const std::int64_t threads = std::int64_t{8} * gpu::device_info(device).multiprocessors * kBlock;
  const gpu::Stream stream;
  gpu::DeviceBuffer<float4> from(kCopied), to(kCopied);
  gpu::DeviceBuffer<float> volume(kCells), sums(static_cast<std::size_t>(threads));
  from.clear(stream);
  volume.clear(stream);
  const Launches<const float4*, float4*> copy{stream, kCopied, 2 * sizeof(float4)};
  const Launches<float*, int, float> fma{stream, threads, 1.0 * kernels::kFmaChains * kFmaRounds};
  const Launches<float*, std::int64_t, int> coalesced{stream, kCells, kAtomicRounds};
  const Launches<float*, std::int64_t> random{stream, kAdditions, 1};
  return {copy.best_rate(kernels::copy_loop, from.data(), to.data()),
          fma.best_rate(kernels::fma_loop, sums.data(), kFmaRounds, 0.5F),
          coalesced.best_rate(kernels::coalesced_loop, volume.data(), kCells, kAtomicRounds),
          random.best_rate(kernels::random_loop, volume.data(), kCells)};
}

}  // namespace skde
