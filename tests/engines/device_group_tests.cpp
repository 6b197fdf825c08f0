// Several engines that act as one: the members sum whole grids on the CPU and return slices of
// them.

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "core/report/error.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/group/device_group.hpp"
#include "engines/registry/registry.hpp"
#include "support/cases/density_cases.hpp"
#include "support/cases/shaped_cases.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::int64_t kStep = 3;

/// Counts requests to members. They run on threads, where no test assertions can be made.
struct Asked {
  std::atomic<int> runs = 0, adds = 0, reused = 0, misplaced = 0;
  std::atomic<std::int64_t> slices = 0, most_slices = 0;
  int failing = -1;  ///< number of the run whose add() throws
};

class SliceRun final : public Run {
 public:
  SliceRun(std::unique_ptr<Run> whole, const RunOrders& orders, Asked& asked, int number)
      : whole_(std::move(whole)),
        slices_(orders.slices),
        share_(orders.share),
        asked_(asked),
        number_(number) {}

  StageTimes add(const LoadedSamples& samples, Progress& progress) override {
    ++asked_.adds;
    if (number_ == asked_.failing) throw Error(ErrorKind::resources, "the member failed");
    return whole_->add(samples, progress);
  }
  StageTimes finish(Progress& progress) override { return whole_->finish(progress); }
  std::unique_ptr<ValueBuffer> take_values() override {
    std::unique_ptr<ValueBuffer> values = whole_->take_values();
    if (share_) return std::make_unique<HostValues>(shared(values->take_volume()));
    if (!slices_) return values;
    const Volume whole = values->take_volume();
    const std::span<const float> all = whole.values<float>();
    const std::int64_t slice = whole.grid().dims[0] * whole.grid().dims[1];
    const auto begin = all.begin() + slices_->first * slice;
    return std::make_unique<HostValues>(
        Volume(slab_of(whole.grid(), slices_->first, slices_->count),
               std::vector<float>(begin, begin + slices_->count * slice)));
  }
  std::string launch_policy() const override { return "as a test does it"; }

 private:
  /// Keeps the cells of this member's share, in tiles of single cells; all others become 0.
  Volume shared(Volume whole) const {
    const auto& dims = whole.grid().dims;
    const std::span<float> all = whole.values<float>();
    for (std::int64_t i = 0; i < whole.grid().cells(); ++i)
      if (!share_->has(static_cast<std::int32_t>(i % dims[0]),
                       static_cast<std::int32_t>(i / dims[0] % dims[1]),
                       static_cast<std::int32_t>(i / dims[0] / dims[1])))
        all[static_cast<std::size_t>(i)] = 0;
    return whole;
  }

  std::unique_ptr<Run> whole_;
  std::optional<SliceRange> slices_;
  std::optional<TileShare> share_;
  Asked& asked_;
  int number_;
};

/// An engine that sums the whole grid and returns the requested slices.
class SliceEngine final : public Engine {
 public:
  SliceEngine(Asked& asked, double seconds, bool shares_tiles)
      : engine_(make_engine("naive", {})),
        asked_(asked),
        seconds_(seconds),
        shares_tiles_(shares_tiles) {}

  const EngineTraits& traits() const override { return engine_->traits(); }
  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    Offer offer = engine_->offer(problem, cloud);
    offer.seconds.run = seconds_;
    offer.cut_step = cloud.shaped ? 0 : kStep;
    offer.shares_tiles = shares_tiles_;
    offer.device = {100, 24, 8, 4};
    return offer;
  }
  std::optional<StageWork> stage_work(std::string_view, const Problem&,
                                      const RunWork&) const override {
    return std::nullopt;
  }
  std::int64_t free_memory() const override { return engine_->free_memory(); }
  std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                      std::unique_ptr<LoadedSamples> reuse) override {
    return engine_->load(points, std::move(reuse));
  }
  std::unique_ptr<Run> begin(const Problem& problem, RunOrders orders) override {
    const SliceRange slices = orders.slices.value_or(SliceRange{0, problem.grid().dims[2]});
    asked_.misplaced += slices.first % kStep == 0 ? 0 : 1;
    asked_.slices += slices.count;
    for (std::int64_t most = asked_.most_slices; most < slices.count;)
      if (asked_.most_slices.compare_exchange_weak(most, slices.count)) break;
    const Grid slab = slab_of(problem.grid(), slices.first, slices.count);
    asked_.reused += orders.reuse && orders.reuse->fits(slab, problem.precision) ? 1 : 0;
    return std::make_unique<SliceRun>(engine_->begin(problem), orders, asked_, asked_.runs++);
  }

 private:
  std::unique_ptr<Engine> engine_;
  Asked& asked_;
  double seconds_;
  bool shares_tiles_;
};

std::unique_ptr<Engine> group_of(int members, Asked& asked, double seconds = 1,
                                 bool shares_tiles = false) {
  std::vector<GroupMember> all;
  all.reserve(static_cast<std::size_t>(members));
  for (int i = 0; i < members; ++i)
    all.push_back({i, std::make_unique<SliceEngine>(asked, seconds, shares_tiles)});
  return make_device_group(std::move(all));
}

struct Case {
  DensityCase density = random_case(7);
  Problem problem;

  explicit Case(std::int64_t slices = 61) {
    density.grid.dims[2] = slices;
    density.grid.spacing.z *= 0.4;
    problem.kernel = {KernelFunction::epanechnikov, density.H};
    problem.target = density.grid;
    problem.total_weight = density.total_weight();
    problem.samples = static_cast<double>(density.cloud.size());
  }
  std::unique_ptr<ValueBuffer> values(Engine& engine, const LoadedSamples& samples, int times = 1,
                                      std::unique_ptr<ValueBuffer> reuse = {}) const {
    const std::unique_ptr<Run> run = engine.begin(problem, {std::move(reuse)});
    for (int k = 0; k < times; ++k) run->add(samples, silent);
    run->finish(silent);
    return run->take_values();
  }
  Volume volume(Engine& engine, int times = 1) const {
    return values(engine, *engine.load(density.cloud.view()), times)->take_volume();
  }
};

}  // namespace

TEST_CASE("A group gives the bits of one engine, whatever the number of its members") {
  const Case some;
  for (const int times : {1, 2}) {
    const Volume expected = some.volume(*make_engine("naive", {}), times);
    for (const int members : {1, 2, 3, 4, 5}) {
      Asked asked;
      const std::unique_ptr<Engine> group = group_of(members, asked);
      CHECK(same_bits(some.volume(*group, times), expected));
      CHECK(asked.misplaced == 0);
      CHECK(asked.slices == 61);
      CHECK(asked.runs == members);
      if (members > 1) CHECK(asked.most_slices < 61);
      CHECK(asked.adds == members * times);
    }
  }
}

TEST_CASE("What a group's values come to is that of the volume") {
  const Case some;
  Asked asked;
  const std::unique_ptr<Engine> group = group_of(3, asked);
  const std::unique_ptr<LoadedSamples> samples = group->load(some.density.cloud.view());
  CHECK(samples->size() == some.density.cloud.size());
  CHECK(samples->moments().count() == some.density.cloud.size());
  const std::unique_ptr<ValueBuffer> values = some.values(*group, *samples);
  CHECK(values->fits(some.problem.target, some.problem.precision));
  const ValueTotals totals = values->totals();
  values->scale(0.5);
  const Volume volume = values->take_volume();
  CHECK(totals.sum == Approx(2 * volume.sum()));
  CHECK(totals.maximum == Approx(2 * volume.maximum()));
}

TEST_CASE("A group's members take their slabs' memory again") {
  const Case some;
  Asked asked;
  const std::unique_ptr<Engine> group = group_of(3, asked);
  const std::unique_ptr<LoadedSamples> samples = group->load(some.density.cloud.view());
  std::unique_ptr<ValueBuffer> first = some.values(*group, *samples);
  const Volume expected = some.volume(*make_engine("naive", {}));
  const std::unique_ptr<ValueBuffer> second = some.values(*group, *samples, 1, std::move(first));
  CHECK(same_bits(second->take_volume(), expected));
  CHECK(asked.reused == 3);
}

TEST_CASE("Work that is not worth it stays with the first of a group") {
  const auto members_at_work = [](const Case& some, double seconds) {
    Asked asked;
    const std::unique_ptr<Engine> group = group_of(4, asked, seconds);
    CHECK(same_bits(some.volume(*group), some.volume(*make_engine("naive", {}))));
    return asked.runs.load();
  };
  CHECK(members_at_work(Case(), 1e-4) == 1);
  CHECK(members_at_work(Case(), 1) == 4);
  CHECK(members_at_work(Case(20), 1) == 1);  // too few steps for slabs of equal work
}

TEST_CASE("Grids of few slices are shared by tiles, which add up to the same bits") {
  const Case small(20);
  for (const int times : {1, 2}) {
    const Volume expected = small.volume(*make_engine("naive", {}), times);
    for (const int members : {2, 3, 5}) {
      Asked asked;
      const std::unique_ptr<Engine> group = group_of(members, asked, 1, true);
      CHECK(group->offer(small.problem, {1000, false, false}).seconds.run < 0.6);
      CHECK(same_bits(small.volume(*group, times), expected));
      CHECK(asked.runs == members);
      CHECK(asked.slices == members * 20);
      CHECK(asked.adds == members * times);
    }
  }
  Asked asked;
  const std::unique_ptr<Engine> group = group_of(3, asked, 1, true);
  CHECK(small.values(*group, *group->load(small.density.cloud.view()))->totals().sum > 0);
}

TEST_CASE("A grid whose work lies in few slices is shared by tiles, another by slabs") {
  Case hot;
  hot.density.cloud = {};
  for (int i = 0; i < 610; ++i) {
    const Vec3 at = hot.density.grid.centre(i % hot.density.grid.dims[0], i % 7, 0);
    hot.density.cloud.xyz.insert(hot.density.cloud.xyz.end(), {at.x, at.y, at.z});
  }
  hot.problem.total_weight = 610;
  hot.problem.samples = 1e9;  // makes writing cells negligible
  hot.problem.kernel.H = Symmetric3::diagonal(4, 4, 1e-4 * hot.density.grid.spacing.z);
  const auto policy_of = [&] {
    Asked asked;
    const std::unique_ptr<Engine> group = group_of(4, asked, 1, true);
    const std::unique_ptr<LoadedSamples> samples = group->load(hot.density.cloud.view());
    const std::unique_ptr<Run> run = group->begin(hot.problem);
    run->add(*samples, silent);
    run->finish(silent);
    CHECK(same_bits(run->take_values()->take_volume(), hot.volume(*make_engine("naive", {}))));
    return run->launch_policy();
  };
  const auto lay_on = [&](auto slice_of) {
    for (std::size_t i = 0; i < hot.density.cloud.size(); ++i)
      hot.density.cloud.xyz[3 * i + 2] = hot.density.grid.centre(0, 0, slice_of(i)).z;
  };
  lay_on([](std::size_t i) { return static_cast<std::int64_t>(i % 61); });
  CHECK(policy_of().find("slices 0 to") == 0);
  // With memory for it, one member takes the 49 slices without work.
  lay_on([](std::size_t i) { return static_cast<std::int64_t>(i % 12); });
  CHECK(policy_of().find("slices 0 to 2 on GPU 0, slices 3 to 5 on GPU 1, slices 6 to 8 on GPU 2, "
                         "slices 9 to ") == 0);
  lay_on([](std::size_t) { return 31; });
  CHECK(policy_of().find("tiles 1 of 4 on GPU 0, tiles 2 of 4 on GPU 1") == 0);
}

TEST_CASE("Samples with shapes of their own are shared by tiles or stay with the first") {
  const ShapedCase shaped = random_shaped_case(5, ShapeForm::widths);
  const Problem problem = shaped.problem(KernelFunction::biweight, Precision::f32);
  const auto volume_of = [&](Engine& engine) {
    const std::unique_ptr<LoadedSamples> samples = engine.load(shaped.cloud.view());
    const std::unique_ptr<Run> run = engine.begin(problem);
    run->add(*samples, silent);
    run->finish(silent);
    return run->take_values()->take_volume();
  };
  const Volume expected = volume_of(*make_engine("naive", {}));
  for (const bool shares_tiles : {true, false}) {
    Asked asked;
    CHECK(same_bits(volume_of(*group_of(2, asked, 1, shares_tiles)), expected));
    CHECK(asked.runs == (shares_tiles ? 2 : 1));
  }
}

TEST_CASE("A group offers a share of the time and of the values' memory") {
  const Case some;
  Asked asked;
  const CloudFacts cloud{1000, false, false};
  const Offer one = group_of(1, asked)->offer(some.problem, cloud);
  const Offer four = group_of(4, asked)->offer(some.problem, cloud);
  CHECK(four.seconds.run < 0.35 * one.seconds.run);
  CHECK(four.device.value < 0.5 * one.device.value);
  CHECK(four.device.resident == one.device.resident);
  CHECK(group_of(4, asked)->offer(some.problem, {1000, false, true}).seconds.run ==
        one.seconds.run);
}

TEST_CASE("A member that fails ends the whole group with its own message") {
  const Case some;
  for (const int failing : {0, 1, 2}) {
    Asked asked;
    asked.failing = failing;
    const std::unique_ptr<Engine> group = group_of(3, asked);
    CHECK(thrown_error([&] { some.volume(*group); }).problem() == "the member failed");
  }
}

TEST_CASE("A group is cancelled") {
  class Cancelled final : public Progress {
    void begin(std::string_view, std::uint64_t, std::string_view) override {}
    void update(std::uint64_t) override {}
    bool cancelled() const override { return true; }
  };
  const Case some;
  Asked asked;
  const std::unique_ptr<Engine> group = group_of(3, asked);
  const std::unique_ptr<LoadedSamples> samples = group->load(some.density.cloud.view());
  const std::unique_ptr<Run> run = group->begin(some.problem);
  Cancelled cancelled;
  CHECK(thrown_error([&] { run->add(*samples, cancelled); }).kind() == ErrorKind::cancelled);
}

TEST_CASE("Slices that an engine does not cut at are refused, and tiles that it does not share") {
  const Case some;
  const auto refused = [&](RunOrders orders) {
    return thrown_error([&] { make_engine("span", {})->begin(some.problem, std::move(orders)); })
        .kind();
  };
  CHECK(refused({.share = TileShare{0, 2}}) == ErrorKind::unsupported);
  CHECK(refused({.slices = SliceRange{0, 10}}) == ErrorKind::unsupported);
}
