#include "engines/cpu/cpu_engines.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/spectral/spectral_spread.hpp"
#include "engines/cpu/spectral/spectral_transform.hpp"
#include "engines/spectral_plan.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

constexpr SpectralCosts kHostCosts{
    .nodes_a_sample_tap = 0.025, .above_8 = 1.7, .most_order = 12, .wraps = true};

/// The sums of a run, in memory that the next run reuses.
class NodeSums {
 public:
  /// Returns the sums, which all threads together set to 0. Throws Error(cancelled).
  std::int64_t* cleared(const SpectralPlan& plan, int threads, Progress& progress) {
    const auto size =
        static_cast<std::size_t>(plan.row() * plan.axes[1].nodes * plan.axes[2].nodes);
    if (size > size_) {
      sums_.reset();  // before the new ones are allocated: both at once may not fit
      sums_ = std::make_unique_for_overwrite<std::int64_t[]>(size);
      ask_for_huge_pages(sums_.get(), size * sizeof(std::int64_t));
      size_ = size;
    }
    constexpr std::int64_t kPiece = 1 << 18;
    const auto count = static_cast<std::int64_t>(size);
    SharedProgress shared(progress, "clear", size, "nodes");
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t at = 0; at < count; at += kPiece) {
      if (stopped) continue;
      const std::int64_t piece = std::min(kPiece, count - at);
      std::fill_n(sums_.get() + at, piece, 0);
      if (!shared.advance(static_cast<std::uint64_t>(piece))) stopped = true;
    }
    shared.finish();
    return sums_.get();
  }

 private:
  std::unique_ptr<std::int64_t[]> sums_;
  std::size_t size_ = 0;
};

class SpectralRun final : public CpuRun {
 public:
  /// `sums` must outlive the run.
  SpectralRun(const Problem& problem, const SpectralPlan& plan, int threads, NodeSums& sums,
              std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)),
        problem_(problem),
        plan_(plan),
        threads_(threads),
        spread_(plan, problem.total_weight, threads),
        sums_(sums) {}

  std::string launch_policy() const override {
    return std::to_string(threads_) + " threads, " + plan_.describe();
  }

  StageTimes finish(Progress& progress) override {
    const StopWatch watch;
    require_sums(progress);
    if (problem_.precision == Precision::f64)
      transform<double>(values<double>(), progress);
    else if (plan_.in_double)
      transform<double>(values<float>(), progress);
    else
      transform<float>(values<float>(), progress);
    return {{"transform", watch.seconds()}};
  }

 private:
  StageTimes add_points(const SamplesView& points, Progress& progress) override {
    const StopWatch sorting;
    spread_.sort(points, progress);
    const double sorted = sorting.seconds();
    const StopWatch adding;
    require_sums(progress);
    spread_.add(nodes_, progress);
    return {{"sort", sorted}, {std::string(kAccumulateStage), adding.seconds()}};
  }

  /// Clears the sums once. That takes long enough to be cancelled, so it waits for a progress.
  void require_sums(Progress& progress) {
    if (nodes_ == nullptr) nodes_ = sums_.cleared(plan_, threads_, progress);
  }

  template <class Real, class Value>
  void transform(std::span<Value> values, Progress& progress) {
    SpectralTransform<Real>(plan_, problem_.kernel, problem_.grid(), threads_)
        .run(nodes_, values.data(), problem_.keep_negatives, progress);
  }

  Problem problem_;
  SpectralPlan plan_;
  int threads_;
  SpectralSpread spread_;
  NodeSums& sums_;
  std::int64_t* nodes_ = nullptr;  ///< the sums, once they were cleared
};

class SpectralEngine final : public CpuEngine {
 public:
  explicit SpectralEngine(const EngineOptions& options) : CpuEngine(kSpectralTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (!problem.has_grid()) return Offer::refused("it computes grids only, not points");
    if (cloud.shaped) return Offer::refused("it needs one kernel shape for all samples");
    const SpectralChoice& choice = choice_for(problem);
    if (!choice.plan) return Offer::refused(choice.refusal);
    const SpectralPlan& plan = *choice.plan;
    Offer offer;
    predict(offer, [&](int threads) {
      return predicted_seconds(plan, problem.grid(), cloud.samples, threads);
    });
    offer.error = plan.error;
    offer.repeats = true;
    offer.wraps = true;
    offer.reach = reach_of(plan, problem.grid());
    offer.host.fixed =
        plan.grid_bytes() + SpectralSpread::fixed_bytes(plan, threads()) +
        (plan.in_double ? SpectralTransform<double>::bytes(plan, problem.grid(), threads())
                        : SpectralTransform<float>::bytes(plan, problem.grid(), threads()));
    offer.host.sample = SpectralSpread::kSampleBytes;
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    if (stage != kAccumulateStage) return std::nullopt;
    const SpectralChoice& choice = choice_for(problem);
    if (!choice.plan) return std::nullopt;
    return StageWork{work.sample_bytes() + 2 * choice.plan->grid_bytes(),
                     work.samples * std::pow(choice.plan->order, 3), kFmaCeiling};
  }

 private:
  /// Returns the plan of a problem, which takes 0.1 ms to find and is wanted often.
  const SpectralChoice& choice_for(const Problem& problem) const {
    if (!last_ || !(last_->first == problem))
      last_.emplace(problem, choose_spectral_plan(problem, kHostCosts));
    return last_->second;
  }

  /// Costs of samples, their nodes, the transform and cells, fitted on two cores of an EPYC.
  static double predicted_seconds(const SpectralPlan& plan, const Grid& grid, std::int64_t samples,
                                  int threads) {
    constexpr double kStart = 1e-4, kSample = 4.5e-8, kTap = 1.3e-10, kNode = 8.7e-9,
                     kNodeInDouble = 1.1e-8, kCell = 6e-9;
    const double cells = static_cast<double>(grid.cells());
    const double taps = std::pow(plan.order, 3) * (plan.order > 8 ? kHostCosts.above_8 : 1);
    const double node = plan.in_double ? kNodeInDouble : kNode;
    return kStart + static_cast<double>(samples) * (kSample + kTap * taps) / threads +
           (node * static_cast<double>(plan.nodes()) + kCell * cells) / std::min(threads, 16);
  }

  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    const SpectralChoice& choice = choice_for(problem);
    return std::make_unique<SpectralRun>(problem, choice.plan.value(), threads, sums_,
                                         std::move(values));
  }

  NodeSums sums_;
  mutable std::optional<std::pair<Problem, SpectralChoice>> last_;  ///< of choice_for()
};

}  // namespace

std::unique_ptr<Engine> make_spectral(const EngineOptions& options) {
  return std::make_unique<SpectralEngine>(options);
}

}  // namespace skde
