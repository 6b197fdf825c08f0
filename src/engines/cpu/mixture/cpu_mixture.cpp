#include "engines/cpu/mixture/cpu_mixture.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/report/thread_room.hpp"
#include "engines/cpu/cpu_engines.hpp"
#include "engines/cpu/mixture/member_rows.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/point_bins.hpp"

namespace skde {
namespace {

/// Bytes behind an array that vector instructions may read.
constexpr std::size_t kReadBehind = 64;

/// A member, or some slices of a large one.
struct GatherItem {
  std::size_t member;
  IndexRange slices;
};

template <class Real>
class CpuMixture final : public MixtureEngine {
 public:
  CpuMixture(const MixtureProblem& problem, const EngineOptions& options)
      : problem_(problem),
        threads_(thread_count(options.threads)),
        kernel_(kernel_in_cells(problem)),
        cut_(summed_problem(problem).kernel.cut()),
        engine_(is_grid() ? make_tile(options) : make_ranges(options)) {
    if (!is_grid()) bins_ = PointBins(std::get<TargetPoints>(problem_.target), problem_.frame);
    const auto count = static_cast<std::size_t>(target_size(problem_.target));
    values_.assign(count, 0);
    cotangents_.assign(count + kReadBehind / sizeof(Real), Real(0));
  }

  void set_members(std::span<const Member> members) override {
    members_.assign(members.begin(), members.end());
    moments_.assign(members.size(), {});
  }
  std::vector<Member> members() override { return members_; }

  void sum(Progress& progress) override {
    samples_.clear();
    for (const Member& member : members_) append_member(samples_, member, kernel_, problem_.frame);
    const std::unique_ptr<LoadedSamples> loaded = engine_->load(samples_.view());
    const std::unique_ptr<Run> run = engine_->begin(summed_problem(problem_), {std::move(buffer_)});
    SilentProgress silent(progress);
    run->add(*loaded, silent);
    run->finish(silent);
    buffer_ = run->take_values();
    if (const Volume* const volume = buffer_->on_host()) {
      const std::span<const Real> from = volume->values<Real>();
      std::copy(from.begin(), from.end(), values_.begin());
      return;
    }
    const std::vector<double> from = std::exchange(buffer_, nullptr)->take_point_values();
    std::ranges::transform(from, values_.begin(),
                           [](double value) { return static_cast<Real>(value); });
  }
  std::vector<double> values() override { return {values_.begin(), values_.end()}; }

  void set_given(std::span<const double> given) override {
    given_.assign(given.begin(), given.end());
  }

  void derive(CotangentRule rule) override {
    constexpr std::size_t kChunk = 1 << 16;  // sums do not depend on the number of threads
    const std::size_t count = values_.size(), chunks = (count + kChunk - 1) / kChunk;
    std::vector<double> losses(chunks, 0);
    const std::span<const std::size_t> order = bins_.order();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t chunk = 0; chunk < static_cast<std::int64_t>(chunks); ++chunk) {
      const std::size_t first = static_cast<std::size_t>(chunk) * kChunk,
                        last = std::min(count, first + kChunk);
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t at = order.empty() ? i : order[i];
        const Cotangent of =
            cotangent_of(rule, static_cast<double>(values_[at]), static_cast<double>(given_[at]));
        cotangents_[i] = static_cast<Real>(of.value);
        sum += of.loss;
      }
      losses[static_cast<std::size_t>(chunk)] = sum;
    }
    loss_ = 0;
    for (const double loss : losses) loss_ += loss;
  }
  double loss() override { return loss_; }

  void set_cotangents(std::span<const double> cotangents) override {
    const std::span<const std::size_t> order = bins_.order();
    for (std::size_t i = 0; i < cotangents.size(); ++i)
      cotangents_[i] = static_cast<Real>(cotangents[order.empty() ? i : order[i]]);
  }

  void gather(Progress& progress) override {
    const std::vector<GatherItem> items = items_of_members();
    std::vector<MemberMoments> parts(items.size());
    std::atomic<bool> stopped = false;
    FirstFailure failure;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 4)
    for (std::int64_t i = 0; i < std::ssize(items); ++i) {
      if (stopped) continue;
      if (i % 64 == 0 && progress.cancelled()) stopped = true;
      failure.keep([&] {
        const auto at = static_cast<std::size_t>(i);
        gather_item(items[at], parts[at]);
      });
    }
    failure.rethrow();
    progress.throw_if_cancelled();
    std::ranges::fill(moments_, MemberMoments{});
    for (std::size_t i = 0; i < items.size(); ++i)
      for (int k = 0; k < kMemberParameters; ++k) moments_[items[i].member].of[k] += parts[i].of[k];
  }
  std::vector<MemberMoments> moments() override { return moments_; }

  void update(const MixtureUpdate& update) override {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t k = 0; k < std::ssize(members_); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (update.maximises)
        maximise_member(members_[at], kernel_, moments_[at], update.total_weight);
      else
        move_member(members_[at], kernel_, moments_[at], update.adam);
    }
  }

 private:
  bool is_grid() const { return std::holds_alternative<Grid>(problem_.target); }
  const std::array<std::int64_t, 3>& dims() const { return problem_.frame.dims; }

  /// Cuts members whose boxes hold very many cells into slices, so that threads end together.
  std::vector<GatherItem> items_of_members() const {
    constexpr double kCellsOfItem = 1 << 18;
    std::vector<GatherItem> items;
    items.reserve(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (!is_grid()) {
        items.push_back({k, {}});
        continue;
      }
      const MemberShape s(members_[k], kernel_, cut_);
      const auto side = [this](std::size_t axis) {
        return static_cast<std::int32_t>(dims()[axis]);
      };
      const IndexRange z = chop(s.ellipsoid, s.offset[2], side(2), s.cell[2]),
                       x = cells_within(s.offset[0], s.ellipsoid.rx, side(0), s.cell[0]),
                       y = cells_within(s.offset[1], s.ellipsoid.ry, side(1), s.cell[1]);
      if (z.empty() || y.empty() || x.empty()) continue;
      const double slice = static_cast<double>(x.size()) * y.size();
      const auto step = static_cast<std::int32_t>(std::max(1.0, kCellsOfItem / slice));
      for (std::int32_t first = z.begin; first < z.end; first += std::min(step, z.end - first))
        items.push_back({k, {first, first + std::min(step, z.end - first)}});
    }
    return items;
  }

  void gather_item(const GatherItem& item, MemberMoments& to) const {
    const Member& member = members_[item.member];
    const MemberShape shape(member, kernel_, cut_);
    if (is_grid())
      return add_grid_moments(shape, cut_, cotangents_.data(), dims(), item.slices, to);
    const Ellipsoid<double>& e = shape.ellipsoid;
    const PointCotangents<Real> points{bins_.along(0).data(), bins_.along(1).data(),
                                       bins_.along(2).data(), cotangents_.data()};
    bins_.near({member.mean[0], member.mean[1], member.mean[2]}, {e.rx, e.ry, e.sz},
               [&](std::size_t first, std::size_t last) {
                 add_point_moments(member, e, cut_, points, first, last, to);
               });
  }

  MixtureProblem problem_;
  int threads_;
  Symmetric3 kernel_;  ///< in squared cells
  double cut_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ValueBuffer> buffer_;
  PointBins bins_;
  Samples samples_;
  std::vector<Member> members_;
  std::vector<Real> values_, cotangents_, given_;  // cotangents_ in the order of the bins
  std::vector<MemberMoments> moments_;
  double loss_ = 0;
};

}  // namespace

std::unique_ptr<MixtureEngine> make_cpu_mixture(const MixtureProblem& problem,
                                                const EngineOptions& options) {
  if (problem.precision == Precision::f64)
    return std::make_unique<CpuMixture<double>>(problem, options);
  return std::make_unique<CpuMixture<float>>(problem, options);
}

Offer cpu_mixture_offer(const MixtureProblem& problem, std::size_t members,
                        const Symmetric3& typical) {
  constexpr double kPair = 9e-10;  // forward and back, on AVX-512 cores
  EngineOptions options;
  const Problem summed = summed_problem(problem);
  const CloudFacts cloud{static_cast<std::int64_t>(members), true, true};
  Offer offer = (problem.target.index() == 0 ? make_tile(options) : make_ranges(options))
                    ->offer(summed, cloud);
  if (!offer.serves()) return offer;
  offer.seconds.run = kPair * mixture_pairs(problem, members, typical) / thread_count(0);
  const double value = static_cast<double>(value_bytes(problem.precision));
  offer.host.value += 3 * value;
  offer.host.sample += sizeof(Member) + sizeof(MemberMoments) + 10 * sizeof(double);
  return offer;
}

}  // namespace skde
