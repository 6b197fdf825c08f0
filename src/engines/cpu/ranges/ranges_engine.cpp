#include "engines/cpu/cpu_engines.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Sorts each part of a cloud and reduces it at all points.
class RangesRun final : public CpuRun {
 public:
  RangesRun(const Problem& problem, int threads, std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)), problem_(problem), threads_(threads) {}

  std::string launch_policy() const override {
    return fmt::format("{} threads over blocks of up to {} points, {} vectors", threads_,
                       PairTargets<double>::kMost, vector_instructions_name());
  }

 private:
  StageTimes add_points(const SamplesView& all, Progress& progress) override {
    const StopWatch sorting;
    const std::span<const double> at = std::get<TargetPoints>(problem_.target).xyz();
    const NearSamples near(problem_.kernel, all, at);
    const SamplesView points = near.view();
    std::vector<double> weights(points.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = points.weight(i) / problem_.total_weight;
    const RangeReduction reduction(problem_.kernel, points, threads_);
    const double sorted = sorting.seconds();
    const StopWatch adding;
    const std::vector<double> sums =
        reduction.reduce(at, weights, 1, progress, kAccumulateStage, problem_.precision);
    if (problem_.precision == Precision::f32)
      add<float>(sums);
    else
      add<double>(sums);
    return {{"sort", sorted}, {"accumulate", adding.seconds()}};
  }

  template <class Real>
  void add(const std::vector<double>& sums) {
    const std::span<Real> to = this->template values<Real>();
    for (std::size_t i = 0; i < sums.size(); ++i) to[i] += static_cast<Real>(sums[i]);
  }

  Problem problem_;
  int threads_;
};

class RangesEngine final : public CpuEngine {
 public:
  explicit RangesEngine(const EngineOptions& options) : CpuEngine(kRangesTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (problem.has_grid()) return Offer::refused("it computes points only, not grids");
    Offer offer;
    predict(offer, [&](int threads) { return predicted_seconds(problem, cloud, threads); });
    // Places are computed in double, even if sums are in float.
    offer.error = std::max(kRangesTraits.error_in(problem.precision, cloud.samples),
                           slant_error(Precision::f64, problem.kernel.slant())) +
                  problem.kernel.cut_error();
    offer.host.sample = KernelPoints::kBytes + 16 + (cloud.shaped ? KernelPoints::kShapedBytes : 0);
    offer.host.value = KernelPoints::kBytes + 24;
    offer.repeats = true;
    if (!cloud.shaped) offer.reach = reach_about_points(problem.kernel);
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view, const Problem&,
                                      const RunWork&) const override {
    return std::nullopt;  // known for runs on grids only
  }

 private:
  /// Fitted on AVX-512 cores, as if every sample reached every point. How many do is unknown before
  /// the cloud is read.
  static double predicted_seconds(const Problem& problem, const CloudFacts& cloud, int threads) {
    constexpr double kSort = 1e-7, kPair = 1.1e-10, kExpPair = 4.5e-10, kShapedPair = 2e-10;
    const auto samples = static_cast<double>(cloud.samples);
    const auto points = static_cast<double>(target_size(problem.target));
    double pair = problem.kernel.function->degree ? kPair : kExpPair;
    if (cloud.shaped) pair += kShapedPair;
    if (problem.precision == Precision::f32 && !cloud.shaped) pair /= 2;
    return kSort * (samples + points) + pair * samples * points / threads;
  }

  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    return std::make_unique<RangesRun>(problem, threads, std::move(values));
  }
};

}  // namespace

std::unique_ptr<Engine> make_ranges(const EngineOptions& options) {
  return std::make_unique<RangesEngine>(options);
}

}  // namespace skde
