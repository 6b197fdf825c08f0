// Logarithms of densities of Gaussians and exponentials, near samples and however far from them,
// against long double.

#include <cmath>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/log_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

struct LogCase {
  Samples cloud;
  DensityRequest request;
  std::vector<double> points;

  Symmetric3 H() const { return std::get<Symmetric3>(request.bandwidth.bandwidth); }
};

/// Makes clumps of few samples with kernels and weights of any size, and points up to thousands of
/// deviations from all of them.
LogCase log_case(std::uint64_t seed) {
  Random random(seed);
  LogCase made;
  const double width = random.log_uniform(0.01, 3);
  made.request.kernel = seed % 3 == 1 ? KernelFunction::exponential : KernelFunction::gaussian;
  made.request.bandwidth.bandwidth = random_rotated(
      seed, {width, width * random.log_uniform(0.3, 1), width * random.log_uniform(0.3, 1)});
  made.request.options.threads = 1;
  made.request.grid.bounds = Box{{-100, -100, -100}, {100, 100, 100}};
  const Vec3 away{random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
  add_normal(made.cloud, random, away, 1, 4 + static_cast<std::size_t>(random.below(60)));
  add_normal(made.cloud, random, {}, 0.2, static_cast<std::size_t>(random.below(40)));
  const int form = random.below(3);
  const bool weighted = random.chance(0.5);
  for (std::size_t i = 0; i < made.cloud.size(); ++i) {
    if (weighted) made.cloud.weights.push_back(random.log_uniform(1e-6, 1e3));
    if (form == 1) made.cloud.bandwidth_factors.push_back(random.log_uniform(0.3, 3));
    if (form != 2) continue;
    const Symmetric3 m =
        random_rotated(seed + i, {width * random.log_uniform(0.3, 2), width, 0.5 * width});
    made.cloud.shapes.insert(made.cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  Samples at;
  add_normal(at, random, away, random.log_uniform(0.3, 3), 8);
  add_normal(at, random, {}, random.log_uniform(3, 30), 8);
  made.points = at.xyz;
  return made;
}

bool near(double found, long double expected) {
  return std::abs(found - expected) < 1e-9L + 1e-13L * std::abs(expected);
}

/// Checks logarithms at places of `at`; `left_out`: those of the samples themselves.
void check_logs(const std::vector<double>& found, const SamplesView& at, LogReference& reference,
                bool left_out = false) {
  REQUIRE(found.size() == at.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const long double expected =
        left_out ? reference.log_density(at.point(i), i) : reference.log_density(at.point(i));
    if (!near(found[i], expected)) CHECK(found[i] == static_cast<double>(expected));
  }
}

}  // namespace

TEST_CASE("logarithms of kernels without an end are those of all samples however far",
          "[log_density]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const LogCase made = log_case(seed);
    Session session = session_with(made.cloud);
    LogReference reference(made.cloud.view(), made.H(), made.request.kernel);
    const auto found =
        session.evaluate(made.request, TargetPoints(made.points), {.log = true}, silent);
    const auto left_out = session.evaluate(made.request, TargetPoints(made.cloud.xyz),
                                           {.leave_one_out = true, .log = true}, silent);
    INFO("case " << seed);
    check_logs(found.values, {made.points}, reference);
    check_logs(left_out.values, made.cloud.view(), reference, true);
  }
}

TEST_CASE("logarithms are finite and right to their last digits at any distance", "[log_density]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    LogCase made = log_case(seed);
    Random random(seed + 1000);
    made.points.clear();
    for (int i = 0; i < 40; ++i) {
      const double far = random.log_uniform(1e4, 1e140);
      for (int axis = 0; axis < 3; ++axis) made.points.push_back(far * random.uniform(-1, 1));
    }
    Session session = session_with(made.cloud);
    LogReference reference(made.cloud.view(), made.H(), made.request.kernel);
    const auto found =
        session.evaluate(made.request, TargetPoints(made.points), {.log = true}, silent);
    INFO("case " << seed);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const auto expected =
          static_cast<double>(reference.log_density(TargetPoints(made.points).point(i)));
      CHECK(std::isfinite(found.values[i]));
      CHECK(std::abs(found.values[i] - expected) < 1e-12 * std::abs(expected));
    }
  }
}

TEST_CASE("logarithms of kernels without an end have the images of samples that count, however far",
          "[log_density]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    LogCase made = log_case(seed);
    // Exponentials reach further, and have so many more images.
    const bool is_far = made.request.kernel == KernelFunction::exponential;
    const double width = (is_far ? 0.15 : 1) * random.log_uniform(0.05, 2);
    made.request.bandwidth.bandwidth = random_rotated(seed, {width, 0.5 * width, 0.7 * width});
    made.cloud = {};
    made.points.clear();
    const Box box{{-2, -1, 3}, {1, 3, 6}};
    add_uniform(made.cloud, random, {{-0.5, 0, 4}, {-0.2, 0.5, 5.9}}, 12);
    Samples at;
    add_uniform(at, random, box, 5);
    made.points = at.xyz;
    made.request.grid.bounds = box;
    LogReference reference(made.cloud.view(), made.H(), made.request.kernel);
    for (int axis = 0; axis < 3; ++axis) {
      const Boundary boundary =
          std::array{Boundary::none, Boundary::reflect,
                     Boundary::periodic}[static_cast<std::size_t>(random.below(3))];
      made.request.boundaries[static_cast<std::size_t>(axis)] = boundary;
      if (boundary != Boundary::none)
        reference.fold(axis, boundary, box.lower[axis], box.upper[axis],
                       2 + static_cast<int>((is_far ? 16 : 4) * width));
    }
    if (!has_boundary(made.request.boundaries)) continue;
    Session session = session_with(made.cloud);
    const auto found =
        session.evaluate(made.request, TargetPoints(made.points), {.log = true}, silent);
    INFO("case " << seed);
    check_logs(found.values, at.view(), reference);
  }
}

TEST_CASE("logarithms of Gaussians are divided by all of their mass between faces",
          "[log_density]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    LogCase made = log_case(seed);
    made.request.kernel = KernelFunction::gaussian;
    const Vec3 deviations{random.log_uniform(0.05, 2), random.log_uniform(0.05, 2),
                          random.log_uniform(0.05, 2)};
    made.request.bandwidth.bandwidth = deviations;
    const Box box{{-2, -1, 3}, {1, 3, 6}};
    made.request.grid.bounds = box;
    made.cloud = {};
    add_uniform(made.cloud, random, box, 12);
    Samples divided = made.cloud, at;
    add_uniform(at, random, box, 5);
    divided.weights.assign(made.cloud.size(), 1.0);
    for (int axis = 0; axis < 3; ++axis) {
      if (axis > 0 && random.chance(0.4)) continue;
      made.request.boundaries[static_cast<std::size_t>(axis)] = Boundary::renormalize;
      for (std::size_t i = 0; i < made.cloud.size(); ++i) {
        const auto below = [&](double face) {
          const double from = made.cloud.view().point(i)[axis];
          return 0.5 * std::erfc((from - face) / (std::sqrt(2.0) * deviations[axis]));
        };
        divided.weights[i] /= below(box.upper[axis]) - below(box.lower[axis]);
      }
    }
    const Vec3 d = deviations;
    LogReference reference(divided.view(), Symmetric3::diagonal(d.x * d.x, d.y * d.y, d.z * d.z));
    double weight = 0;
    for (const double w : divided.weights) weight += w;
    const double more = std::log(weight / static_cast<double>(made.cloud.size()));
    Session session = session_with(made.cloud);
    const auto found = session.evaluate(made.request, TargetPoints(at.xyz), {.log = true}, silent);
    INFO("case " << seed);
    for (std::size_t i = 0; i < found.values.size(); ++i)
      CHECK(std::abs(found.values[i] - more - reference.log_density(at.view().point(i))) < 1e-9L);
  }
}

TEST_CASE("logarithms of kernels that end are -inf where none reaches, and of Gaussians nowhere",
          "[log_density]") {
  LogCase made = log_case(5);
  made.points = {1e3, 0, 0, made.cloud.xyz[0], made.cloud.xyz[1], made.cloud.xyz[2]};
  Session session = session_with(made.cloud);
  const auto logs = [&] {
    return session.evaluate(made.request, TargetPoints(made.points), {.log = true}, silent);
  };
  CHECK(std::isfinite(logs().values[0]));
  made.request.kernel = KernelFunction::biweight;
  const auto bounded = logs();
  CHECK(bounded.values[0] == -std::numeric_limits<double>::infinity());
  const auto plain = session.evaluate(made.request, TargetPoints(made.points), {}, silent);
  CHECK(bounded.values[1] == std::log(plain.values[1]));
  CHECK(bounded.facts.peak == plain.facts.peak);
  made.request.kernel = KernelFunction::gaussian;
  const auto density = logs();
  made.request.normalization = Normalization::count;
  double weight = 0;
  for (std::size_t i = 0; i < made.cloud.size(); ++i) weight += made.cloud.view().weight(i);
  CHECK(logs().values[1] == Approx(density.values[1] + std::log(weight)).epsilon(1e-12));
  CHECK(density.facts.peak == Approx(std::exp(density.values[1])));
}

TEST_CASE("a tolerance below what exponentials tell is refused", "[log_density]") {
  LogCase made = log_case(7);
  Session session = session_with(made.cloud);
  made.request.tolerance = 1e-300;
  for (const bool log : {false, true}) {
    const Error error = thrown_error([&] {
      static_cast<void>(
          session.evaluate(made.request, TargetPoints(made.points), {.log = log}, silent));
    });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.parameter() == "tolerance");
  }
  made.request.tolerance = 1e-29;
  CHECK(session.evaluate(made.request, TargetPoints(made.points), {}, silent).values.size() == 16);
  made.request.tolerance = 1e-300;
  made.request.kernel = KernelFunction::triweight;
  CHECK(session.evaluate(made.request, TargetPoints(made.points), {}, silent).values.size() == 16);
}
