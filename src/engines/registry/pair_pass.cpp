#include "engines/registry/pair_pass.hpp"

#if SKDE_HAS_CUDA
#include <algorithm>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/cuda/cuda_device.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_pair_bins.hpp"
#include "engines/offer.hpp"
#endif

namespace skde {

#if SKDE_HAS_CUDA
namespace {

/// Returns about how many pairs are within reach, both (i, j) and (j, i).
double expected_pairs(const SamplesView& samples, const Symmetric3& S, double reach) {
  constexpr std::size_t kSome = 1024;
  const RoundSpace space(S, samples.point(0));
  const std::size_t count = samples.size(), some = std::min(count, kSome);
  std::vector<Vec3> others(some);
  for (std::size_t m = 0; m < some; ++m)
    others[m] = space(samples.point((2 * m + 1) * count / (2 * some)));
  double near = 0;
  for (std::size_t n = 0; n < some; ++n) {
    const Vec3 at = space(samples.point(n * count / some));
    for (const Vec3& other : others) {
      const Vec3 d = other - at;
      near += d.x * d.x + d.y * d.y + d.z * d.z < reach * reach ? 1 : 0;
    }
  }
  const double all = static_cast<double>(count) / static_cast<double>(some);
  return near * all * all;
}

/// Compares seconds that are fitted on AVX-512 cores and an H200.
bool is_gpu_worth_it(const SamplesView& samples, const Symmetric3& S, double reach, int threads,
                     double start) {
  constexpr std::size_t kFew = 10000;
  constexpr double kSample = 1e-6, kPair = 1.1e-9, kGpuSample = 1e-8, kGpuPair = 6e-12;
  if (samples.size() < kFew || !samples.equally_weighted()) return false;
  const auto count = static_cast<double>(samples.size());
  const double pairs = expected_pairs(samples, S, reach);
  return start + kGpuSample * count + kGpuPair * pairs <
         (kSample * count + kPair * pairs) / thread_count(threads);
}

}  // namespace

std::future<void> start_pair_device(int number) {
  return std::async(std::launch::async, [number] {
    if (!cuda_unavailable_reason().empty()) return;
    try {
      CudaDevice({.device = number}).start();
    } catch (const Error&) {
      return;
    }
  });
}
#else
std::future<void> start_pair_device(int) { return {}; }
#endif

PairBins pair_pass(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   int threads, [[maybe_unused]] const PairDevice& device, Progress& progress) {
#if SKDE_HAS_CUDA
  constexpr double kStarted = 1e-3;
  const double start = device.starts ? kStarted : kGpuStartSeconds;
  if (device.number && is_gpu_worth_it(samples, S, reach, threads, start) &&
      cuda_unavailable_reason().empty())
    try {
      return cuda_pair_bins(samples, S, reach, total, threads, *device.number, progress);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources) throw;  // the CPU has room
    }
#endif
  return {samples, S, reach, total, threads, progress};
}

}  // namespace skde
