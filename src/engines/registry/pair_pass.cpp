#include "engines/registry/pair_pass.hpp"

#include <algorithm>
#include <functional>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/offer.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_pair_bins.hpp"
#endif

namespace skde {
namespace {

/// Returns about how many pairs are within reach, both (i, j) and (j, i).
double expected_pairs(const SamplesView& samples, const Symmetric3& S, double reach) {
  constexpr std::size_t kSome = 2048;
  const RoundSpace space(S, samples.point(0));
  const std::size_t count = samples.size(), some = std::min(count, kSome);
  std::vector<Vec3> ones, others;
  for (std::size_t n = 0; n < some; ++n) {
    ones.push_back(space(samples.point(n * count / some)));
    others.push_back(space(samples.point((2 * n + 1) * count / (2 * some))));
  }
  double near = 0;
  for (const Vec3& a : ones)
    for (const Vec3& b : others) {
      const Vec3 d = a - b;
      near += d.x * d.x + d.y * d.y + d.z * d.z < reach * reach ? 1 : 0;
    }
  const double all = static_cast<double>(count) / static_cast<double>(some);
  return near * all * all;
}

/// Predicts the seconds of the pass, fitted on AVX-512 cores and an H200.
double cpu_seconds(double samples, double pairs, int threads) {
  constexpr double kSample = 1e-6, kPair = 1.1e-9;
  return (kSample * samples + kPair * pairs) / thread_count(threads);
}
[[maybe_unused]] double gpu_seconds(double samples, double pairs) {
  constexpr double kSample = 1e-8, kPair = 6e-12;
  return kGpuStartSeconds + kSample * samples + kPair * pairs;
}

bool wants_gpu([[maybe_unused]] const SamplesView& samples, [[maybe_unused]] const Symmetric3& S,
               [[maybe_unused]] double reach, [[maybe_unused]] const PairPower& power) {
#if SKDE_HAS_CUDA
  constexpr std::size_t kFew = 10000;
  const auto& weights = samples.weights;
  if (!power.gpu || samples.size() < kFew ||
      std::ranges::adjacent_find(weights, std::not_equal_to<>{}) != weights.end())
    return false;
  const auto count = static_cast<double>(samples.size());
  const double pairs = expected_pairs(samples, S, reach);
  return gpu_seconds(count, pairs) < cpu_seconds(count, pairs, power.threads) &&
         cuda_unavailable_reason().empty();
#else
  return false;
#endif
}

}  // namespace

PairBins pair_pass(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   const PairPower& power, Progress& progress) {
#if SKDE_HAS_CUDA
  if (wants_gpu(samples, S, reach, power)) try {
      return cuda_pair_bins(samples, S, reach, total, power.threads, *power.gpu, progress);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources) throw;  // the CPU has room
    }
#endif
  return {samples, S, reach, total, power.threads, progress};
}

}  // namespace skde
