#include "bench/measure/cuda_ceilings.hpp"

#include <algorithm>

#include "bench/measure/ceiling_loops.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/stage_timer.hpp"
#include "gpu/stream.hpp"

namespace skde::bench {
namespace {

/// The highest rate of several trials of a launch that does `amount` each time; the first one is
/// not counted.
template <class Launch>
double best_rate(const gpu::Stream& stream, double amount, Launch launch) {
  constexpr int kTrials = 6;
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    gpu::StageTimer timer(stream);
    launch();
    timer.mark("trial");
    const double rate = amount / timer.finish().front().seconds;
    if (trial > 0) best = std::max(best, rate);
  }
  return best;
}

double copy_rate(const gpu::Stream& stream) {
  constexpr std::size_t kValues = (std::size_t{1} << 30) / sizeof(float4);
  gpu::DeviceBuffer<float4> from(kValues), to(kValues);
  from.clear(stream);
  return best_rate(stream, 2.0 * static_cast<double>(from.bytes()), [&] {
    copy_ceiling(from.data(), to.data(), static_cast<std::int64_t>(kValues), stream.get());
  });
}

double fma_rate(const gpu::Stream& stream, int multiprocessors) {
  constexpr int kRounds = 40000;
  const int blocks = 8 * multiprocessors;  // as many threads as a multiprocessor holds
  gpu::DeviceBuffer<float> sums(static_cast<std::size_t>(blocks) * kFmaThreads);
  const double amount =
      static_cast<double>(sums.size()) * kFmaChains * static_cast<double>(kRounds);
  return best_rate(stream, amount,
                   [&] { fma_ceiling(sums.data(), blocks, kRounds, stream.get()); });
}

}  // namespace

std::vector<Ceiling> measure_cuda_ceilings(int device) {
  constexpr std::int64_t kCells = std::int64_t{1} << 22, kAdditions = std::int64_t{1} << 28;
  constexpr int kRounds = 64;
  if (!gpu::unavailable_reason().empty()) return {};
  gpu::select_device(device);
  const gpu::Stream stream;
  gpu::DeviceBuffer<float> volume(kCells);
  volume.clear(stream);
  const double coalesced = best_rate(stream, static_cast<double>(kCells) * kRounds, [&] {
    coalesced_atomics_ceiling(volume.data(), kCells, kRounds, stream.get());
  });
  const double random = best_rate(stream, static_cast<double>(kAdditions), [&] {
    random_atomics_ceiling(volume.data(), kCells, kAdditions, stream.get());
  });
  return {{"cuda", "copy", copy_rate(stream), "B"},
          {"cuda", "fma", fma_rate(stream, gpu::device_info(device).multiprocessors), "operations"},
          {"cuda", "coalesced atomics", coalesced, "operations"},
          {"cuda", "random atomics", random, "operations"}};
}

}  // namespace skde::bench
