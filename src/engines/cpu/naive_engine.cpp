#include "engines/cpu/cpu_engines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/grid_sites.hpp"
#include "engines/cpu/point_sites.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

constexpr std::size_t kManySamples = 100000;

/// Each value is the sum over all samples. `Sites` are the places of the values: cells or points.
template <class Real, class Sites>
class NaiveRun final : public CpuRun {
 public:
  NaiveRun(const Problem& problem, int threads, std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)),
        sites_(problem),
        kernel_(problem.kernel),
        per_weight_(1 / problem.total_weight),
        threads_(threads) {}

  std::string launch_policy() const override {
    return fmt::format("{} threads over {}", threads_, Sites::kBlocks);
  }

 private:
  using Place = typename Sites::Place;

  /// A sample ready to be evaluated anywhere.
  struct WeightedSample {
    Place place;
    Real weight;  ///< includes the amplitude
  };

 public:
  static double sample_bytes(bool shaped) {
    return sizeof(WeightedSample) + (shaped ? sizeof(Ellipsoid<Real>) : 0);
  }

 private:
  StageTimes add_points(const SamplesView& points, Progress& progress) override {
    const StopWatch watch;
    place_samples(points);
    with_profile(kernel_, [&](const auto& profile) {
      if (points.shaped())
        sum_blocks<true>(profile, progress);
      else
        sum_blocks<false>(profile, progress);
    });
    return {{"accumulate", watch.seconds()}};
  }

  void place_samples(const SamplesView& points) {
    samples_.resize(points.size());
    ellipsoids_.resize(points.shaped() ? points.size() : 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SampleShape shape = sites_.shapes().of(points, i);
      samples_[i] = {sites_.place(points.point(i)),
                     static_cast<Real>(shape.amplitude * per_weight_ * points.weight(i))};
      if (points.shaped()) ellipsoids_[i] = shape.ellipsoid.template cast<Real>();
    }
  }

  template <bool Shaped, class Profile>
  void sum_blocks(const Profile& profile, Progress& progress) {
    const std::span<Real> sums = this->template values<Real>();
    const std::int64_t blocks = sites_.blocks();
    SharedProgress shared(progress, kAccumulateStage, static_cast<std::uint64_t>(blocks),
                          Sites::kBlocks);
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (stopped) continue;
      const std::int64_t begin = block * sites_.block_size(), end = sites_.block_end(block);
      for (std::int64_t at = begin; at < end && !stopped; ++at) {
        sums[static_cast<std::size_t>(at)] += sum_at<Shaped>(profile, sites_.site(at));
        // A block may take seconds if there are many samples.
        const bool block_done = at + 1 == end;
        if ((block_done || samples_.size() > kManySamples) && !shared.advance(block_done ? 1 : 0))
          stopped = true;
      }
    }
    shared.finish();
  }

  template <bool Shaped, class Profile>
  Real sum_at(const Profile& profile, const typename Sites::Site& site) const {
    double total = 0;
    for (std::size_t first = 0; first < samples_.size(); first += kBlock)
      total += block_sum<Shaped>(profile, first, std::min(first + kBlock, samples_.size()), site);
    return static_cast<Real>(total);
  }

  /// Sums samples [first, last), few enough that Real keeps the digits of the sum.
  template <bool Shaped, class Profile>
  Real block_sum(const Profile& profile, std::size_t first, std::size_t last,
                 const typename Sites::Site& site) const {
    Real sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      const WeightedSample& s = samples_[i];
      const Ellipsoid<Real>& ellipsoid = Shaped ? ellipsoids_[i] : sites_.ellipsoid();
      sum += s.weight * profile.value(sites_.q(ellipsoid, site, s.place));
    }
    return sum;
  }

  static constexpr std::size_t kBlock = 512;

  Sites sites_;
  Kernel kernel_;
  double per_weight_;
  int threads_;
  std::vector<WeightedSample> samples_;
  std::vector<Ellipsoid<Real>> ellipsoids_;  ///< of samples with shapes of their own
};

class NaiveEngine final : public CpuEngine {
 public:
  explicit NaiveEngine(const EngineOptions& options) : CpuEngine(kNaiveTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    constexpr double kEvaluation = 3e-9, kExpEvaluation = 8e-9;
    const double pairs =
        static_cast<double>(cloud.samples) * static_cast<double>(target_size(problem.target));
    Offer offer;
    predict(offer, [&](int threads) {
      return (problem.kernel.function->is_bounded() ? kEvaluation : kExpEvaluation) * pairs /
             threads;
    });
    offer.error = offered_error(kNaiveTraits, problem, cloud);
    offer.host.sample = problem.precision == Precision::f32
                            ? NaiveRun<float, GridSites<float>>::sample_bytes(cloud.shaped)
                            : NaiveRun<double, GridSites<double>>::sample_bytes(cloud.shaped);
    offer.repeats = true;
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    if (stage != kAccumulateStage) return std::nullopt;
    const auto cells = static_cast<double>(problem.grid().cells());
    return StageWork{work.sample_bytes() + bytes_of_adding(problem),
                     kFmaOfCell * work.samples * cells, kFmaCeiling};
  }

 private:
  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    if (problem.precision == Precision::f64)
      return make_run<double>(problem, threads, std::move(values));
    return make_run<float>(problem, threads, std::move(values));
  }

  template <class Real>
  static std::unique_ptr<Run> make_run(const Problem& problem, int threads,
                                       std::unique_ptr<HostValues> values) {
    if (problem.has_grid())
      return std::make_unique<NaiveRun<Real, GridSites<Real>>>(problem, threads, std::move(values));
    return std::make_unique<NaiveRun<Real, PointSites<Real>>>(problem, threads, std::move(values));
  }
};

}  // namespace

std::unique_ptr<Engine> make_naive(const EngineOptions& options) {
  return std::make_unique<NaiveEngine>(options);
}

}  // namespace skde
