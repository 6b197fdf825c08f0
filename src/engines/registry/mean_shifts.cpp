#include "engines/registry/mean_shifts.hpp"

#include <algorithm>
#include <numeric>

#include "engines/cpu/ranges/pair_shifts.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_shifts.hpp"
#endif
#if SKDE_HAS_FFTW
#include "engines/cpu/spectral/spectral_points.hpp"
#endif

namespace skde {
namespace {

/// Returns whether a GPU may be used and is worth its start.
bool wants_gpu([[maybe_unused]] std::size_t sources, [[maybe_unused]] std::size_t targets,
               [[maybe_unused]] const MeanShiftEffort& effort) {
#if SKDE_HAS_CUDA
  constexpr double kFewPairs = 1e8, kFloatError = 3e-6;
  return effort.gpu && static_cast<double>(sources) * static_cast<double>(targets) >= kFewPairs &&
         effort.error >= kFloatError && cuda_unavailable_reason().empty();
#else
  return false;
#endif
}

}  // namespace

std::vector<double> mean_shifts(const Symmetric3& H, const SamplesView& sources,
                                std::span<const double> targets, const MeanShiftEffort& effort,
                                Progress& progress) {
  std::vector<double> shifts(targets.size(), 0.0);
  const auto has_weight = [](double weight) { return weight > 0; };
  if (sources.size() == 0 || targets.empty() ||
      (sources.weighted() && std::ranges::none_of(sources.weights, has_weight)))
    return shifts;
  std::vector<std::size_t> left(targets.size() / 3);  // to pairs on the CPU
  std::iota(left.begin(), left.end(), std::size_t{0});
  [[maybe_unused]] const bool on_gpu = wants_gpu(sources.size(), left.size(), effort);
#if SKDE_HAS_CUDA
  if (on_gpu) {
    left = cuda_mean_shifts(H, sources, targets, effort.error, *effort.gpu, shifts, progress);
    if (left.empty()) return shifts;
  }
#endif
  const PairShifts pairs(H, sources, effort.threads);
#if SKDE_HAS_FFTW
  constexpr double kFewPairs = 2e7;
  const double work = on_gpu ? 0 : pairs.work(targets, effort.error);
  if (effort.error >= SpectralShifts::kLeastError && work > kFewPairs) {
    const SpectralShifts spectral(H, pairs.space(), sources, targets, work);
    if (spectral.work() < work && spectral.bytes() <= effort.most_bytes)
      left = spectral.find(effort.error, effort.threads, shifts, progress);
  }
#endif
  std::vector<double> places;
  places.reserve(3 * left.size());
  for (const std::size_t i : left)
    places.insert(places.end(), &targets[3 * i], &targets[3 * i] + 3);
  const std::vector<double> found = pairs.at(places, effort.error, progress);
  for (std::size_t n = 0; n < left.size(); ++n) std::copy_n(&found[3 * n], 3, &shifts[3 * left[n]]);
  return shifts;
}

}  // namespace skde
