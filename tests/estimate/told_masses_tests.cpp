// The mass inside the box that densities report, compared with products of normal distributions.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/report/error.hpp"
#include "estimate/session.hpp"
#include "estimate/stream/density_window.hpp"
#include "estimate/sum/merged_density.hpp"
#include "estimate/sum/part_sums.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/slice_sink.hpp"
#include "io/points/partial_sums_file.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {
namespace {

/// Returns the share of an axis-aligned normal kernel that lies in a box.
double normal_share(const Box& box, Vec3 centre, Vec3 deviations) {
  double share = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto below = [&](double face) {
      return 0.5 * std::erfc((centre[axis] - face) / (std::sqrt(2.0) * deviations[axis]));
    };
    share *= below(box.upper[axis]) - below(box.lower[axis]);
  }
  return share;
}

/// Axis-aligned normal kernels in and around a box of few cells; each sample has its own kernel, or
/// all share one.
struct NormalCase {
  Samples cloud;
  std::vector<Vec3> deviations;
  DensityRequest request;

  NormalCase(Random& random, std::size_t count, bool own) {
    request.kernel = KernelFunction::gaussian;
    request.tolerance = 1e-10;
    request.precision = Precision::f64;
    request.device = Device::cpu;
    const auto place = [&] { return random.uniform(-3, 0); };
    const auto size = [&] { return random.uniform(2, 5); };
    const Vec3 lower{place(), place(), place()};
    request.grid.bounds = Box{lower, lower + Vec3{size(), size(), size()}};
    const auto cells = [&] { return std::int64_t{4} + random.below(12); };
    request.grid.dims = {cells(), cells(), cells()};
    add_normal(cloud, random, {0, 0, 0}, 1.5, count);
    const auto length = [&] { return random.log_uniform(0.02, 0.6); };
    for (std::size_t i = 0; i < count; ++i) {
      deviations.push_back({length(), length(), length()});
      const Vec3 d = deviations.back();
      if (own) cloud.shapes.insert(cloud.shapes.end(), {d.x * d.x, 0, 0, d.y * d.y, 0, d.z * d.z});
    }
    if (own) return;
    deviations.assign(count, deviations[0] + Vec3{0.1, 0.1, 0.1});
    request.bandwidth.bandwidth = deviations[0];
  }

  /// Returns the share of the mass in the box, with kernels raised to at least this many cells.
  double mass(double min_width) const {
    const Vec3 extent = request.grid.bounds->extent();
    double all = 0, inside = 0;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      Vec3 d = deviations[i];
      for (int axis = 0; axis < 3; ++axis)
        d[axis] = std::max(
            d[axis], min_width * extent[axis] /
                         static_cast<double>((*request.grid.dims)[static_cast<std::size_t>(axis)]));
      const double weight = cloud.view().weight(i);
      all += weight;
      inside += weight * normal_share(*request.grid.bounds, cloud.view().point(i), d);
    }
    return inside / all;
  }
};

}  // namespace

TEST_CASE("the mass in the box is that of the kernels as they are widened", "[told]") {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    NormalCase normal(random, 12, true);
    normal.request.min_width = round % 3 == 0 ? 0 : random.uniform(0.3, 1.2);
    const Density density = test::session_with(normal.cloud).compute(normal.request);
    INFO("round " << round << ", " << density.facts().thin.now() << " widened");
    CHECK(density.facts().mass_in_box ==
          Approx(normal.mass(normal.request.min_width)).margin(2e-9));
  }
}

TEST_CASE("a density over the box is divided by the kernels' integral there", "[told]") {
  Random random(2);
  int unseen = 0;
  for (int round = 0; round < 100; ++round) {
    NormalCase normal(random, 10, round % 2 == 0);
    normal.request.min_width = 0;
    Session session = test::session_with(normal.cloud);
    const double mass = normal.mass(0);
    const auto peak = [&](Normalization normalization) {
      normal.request.normalization = normalization;
      return session.compute(normal.request).facts().peak;
    };
    double plain = 0;
    try {
      plain = peak(Normalization::density);
    } catch (const Error& error) {  // no kernel covers the centre of a cell
      CHECK(error.kind() == ErrorKind::input);
      ++unseen;
      continue;
    }
    CHECK(peak(Normalization::box) == Approx(plain / mass).epsilon(1e-6));
  }
  CHECK(unseen < 20);
}

TEST_CASE("slabs are divided by that integral, too", "[told]") {
  Random random(3);
  NormalCase normal(random, 200, false);
  normal.request.grid.dims = {256, 256, 40};
  normal.request.normalization = Normalization::box;
  class Peak final : public SliceSink {
   public:
    void begin(const DensityFacts&) override {}
    void take(std::int64_t, const Volume& slices, Progress&) override {
      value = std::max(value, slices.maximum());
      ++slabs;
    }
    void finish(const DensityFacts&, Progress&) override {}
    double value = 0;
    int slabs = 0;
  };
  const double expected = test::session_with(normal.cloud).compute(normal.request).facts().peak;
  SessionOptions options;
  options.memory_limit = kProgramBytes + (std::int64_t{12} << 20);
  Session tight(options);
  tight.open(normal.cloud);
  Peak peak;
  const DensityFacts facts = tight.stream(normal.request, peak, silent);
  CHECK(peak.slabs > 1);
  CHECK(peak.value == Approx(expected).epsilon(1e-9));
  CHECK(facts.mass_in_box == Approx(normal.mass(0)).margin(1e-9));
}

TEST_CASE("parts and windows tell the kernels' mass in the box, whatever the cells", "[told]") {
  const TemporaryFolder folder;
  Random random(4);
  for (int round = 0; round < 6; ++round) {
    NormalCase normal(random, 60, false);
    normal.request.precision = Precision::f32;
    const SamplesView all = normal.cloud.view();
    const CloudFiles files = text_file(folder.path("all.xyz"), all);
    std::vector<std::string> parts;
    for (std::uint64_t part = 0; part < 3; ++part) {
      parts.push_back(folder.path("part_" + std::to_string(part) + ".skp"));
      const SumsPlan plan = plan_sums(files, {normal.request, {part, 3}});
      io::write_partial_sums(parts.back(), sum_part(files, plan, silent));
    }
    const PartialSums merged = merge_partial_sums(parts, true, {}, silent);
    const double mass = normal.mass(0);
    const MergedDensity density = density_of(merged.head, merged.sums, Normalization::density);
    CHECK(density.metadata.mass_in_box == Approx(mass).margin(1e-9));
    CHECK(density_of(merged.head, merged.sums, Normalization::box).peak ==
          Approx(density.peak / mass).epsilon(1e-9));
    // Samples that left the window no longer count, whatever the order.
    SumsPlan plan = plan_sums(files, {normal.request});
    plan.window = 25;
    DensityWindow window(plan);
    for (std::size_t first = 0; first < 60; first += 10) window.push(all.slice(first, 10), silent);
    NormalCase last = normal;
    last.cloud.xyz.erase(last.cloud.xyz.begin(), last.cloud.xyz.end() - 3 * 25);
    CHECK(window.density(Normalization::density).metadata.mass_in_box ==
          Approx(last.mass(0)).margin(1e-9));
  }
}

}  // namespace skde::test
