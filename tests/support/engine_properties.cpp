#include "support/engine_properties.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/engine_contract.hpp"
#include "support/silent.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {
namespace {

constexpr double kCoverMargin = 1e-4;  // tolerance of q near 1
using Cells = std::array<std::int64_t, 3>;

const EngineTraits& traits_of(std::string_view engine) { return engine_entry(engine).traits; }

std::string title(std::string_view engine, const EngineSetup& options,
                  const DensityCase& density_case, KernelFunction function) {
  return std::string(engine) + (options.precision == Precision::f32 ? " f32, " : " f64, ") +
         std::string(function->name) + ", " + density_case.name;
}

/// Converts H from cells to world units.
Symmetric3 in_world(const Symmetric3& h, Vec3 s) {
  return {h.xx * s.x * s.x, h.xy * s.x * s.y, h.xz * s.x * s.z,
          h.yy * s.y * s.y, h.yz * s.y * s.z, h.zz * s.z * s.z};
}

void push(Samples& cloud, Vec3 at, double weight) {
  cloud.xyz.insert(cloud.xyz.end(), {at.x, at.y, at.z});
  cloud.weights.push_back(weight);
}

void draw_weights(Samples& cloud, Random& random) {
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(random.chance(0.05) ? 0 : random.log_uniform(0.02, 50));
  cloud.weights[0] = 1;  // so that not all weights are 0
}

/// Returns the largest |a(cell + offset) - b(cell)| over the cells that both contain, as a share of
/// the larger of b's peak and a tenth of one kernel's peak. Infinite if a value is not finite or b
/// has no peak.
double largest_distance(const Volume& a, const Volume& b, double one_kernel,
                        const Cells& offset = {}) {
  const Cells& dims = b.grid().dims;
  if (a.grid().dims != dims || !(b.maximum() > 0)) return HUGE_VAL;
  const auto in_a = [&](std::int64_t cell, std::size_t axis) {
    return cell + offset[axis] >= 0 && cell + offset[axis] < dims[axis];
  };
  double largest = 0;
  for (const auto& [i, j, k] : cells_of(dims)) {
    if (!in_a(i, 0) || !in_a(j, 1) || !in_a(k, 2)) continue;
    const double distance =
        std::abs(a.at(i + offset[0], j + offset[1], k + offset[2]) - b.at(i, j, k));
    largest = std::isfinite(distance) ? std::max(largest, distance) : HUGE_VAL;
  }
  return largest / std::max(b.maximum(), 0.1 * one_kernel);
}

/// Compares two runs of an engine on one problem.
struct Comparison {
  std::string_view engine;
  const EngineSetup& options;
  const DensityCase& density_case;
  KernelFunction function;

  Volume run(const DensityCase& of) const { return compute(engine, options, of, function); }
  void check(const Volume& a, const Volume& b, const Cells& offset = {}) const {
    const double one_kernel = peak_of_one_kernel(
        function, density_case.H, density_case.largest_weight(), density_case.total_weight());
    const double allowed = 2 * stated_error(traits_of(engine), options.precision);
    CHECK(largest_distance(a, b, one_kernel, offset) / allowed <= 1);
  }
};

/// Returns (cell - sample)^T H^-1 (cell - sample), by the adjugate of H.
long double q_at(const Symmetric3& H, Vec3 sample, Vec3 cell) {
  using Real = long double;
  const Real a = H.xx, b = H.xy, c = H.xz, d = H.yy, e = H.yz, f = H.zz;
  const Real x = Real(cell.x) - sample.x, y = Real(cell.y) - sample.y, z = Real(cell.z) - sample.z;
  const Real px = (d * f - e * e) * x + (c * e - b * f) * y + (b * e - c * d) * z;
  const Real py = (c * e - b * f) * x + (a * f - c * c) * y + (b * c - a * e) * z;
  const Real pz = (b * e - c * d) * x + (b * c - a * e) * y + (a * d - b * b) * z;
  const Real determinant = a * (d * f - e * e) + b * (c * e - b * f) + c * (b * e - c * d);
  return (x * px + y * py + z * pz) / determinant;
}

/// Replaces weights by copies: every sample occurs as often as its weight says.
Samples spelled_out(const Samples& merged) {
  Samples result;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const auto copies = static_cast<std::int64_t>(merged.weights[i]);
    for (std::int64_t copy = 0; copy < copies; ++copy)
      result.xyz.insert(result.xyz.end(), &merged.xyz[3 * i], &merged.xyz[3 * i] + 3);
  }
  return result;
}

StressCase stress_of(std::string name, const Cells& dims, const Samples& merged, bool weighted) {
  const Symmetric3 H{12, 3, -2, 10, 1.5, 11};
  DensityCase density_case{std::move(name), {}, H, Grid{{0, 0, 0}, {1, 1, 1}, dims}};
  density_case.cloud = weighted ? merged : spelled_out(merged);
  Reference reference =
      make_reference(merged.view(), H, density_case.grid, density_case.total_weight());
  return {std::move(density_case), std::move(reference)};
}

}  // namespace

DensityCase property_case(std::uint64_t seed) {
  constexpr std::int64_t kMostCells = 9000;
  Random random(seed + 5000);
  DensityCase result;
  result.name = "property case " + std::to_string(seed);
  Grid& grid = result.grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.spacing[axis] = random.log_uniform(0.3, 4);
    grid.lower[axis] = random.uniform(-20, 20);
    grid.dims[static_cast<std::size_t>(axis)] =
        random.chance(0.1) ? 1 : static_cast<std::int64_t>(random.log_uniform(9, 70));
  }
  while (grid.cells() > kMostCells) *std::max_element(grid.dims.begin(), grid.dims.end()) -= 1;
  const double longest = random.log_uniform(1.5, 14), least = std::max(0.8, longest / 10);
  const Vec3 axes{longest, random.log_uniform(least, longest), random.log_uniform(least, longest)};
  result.H = in_world(random_rotation(random, axes), grid.spacing);
  const auto count = static_cast<std::size_t>(random.log_uniform(60, 250));
  add_uniform(result.cloud, random, grid.bounds(), count / 2);
  add_normal(result.cloud, random, grid.bounds().centre(), 3 * grid.spacing.x, count / 2);
  add_shell(result.cloud, random, grid.bounds(), 5 * grid.spacing.y, count / 4);
  if (random.chance(1.0 / 3)) draw_weights(result.cloud, random);
  return result;
}

DensityCase enclosed_case(std::uint64_t seed) {
  constexpr std::size_t kSamples = 400;  // enough for errors of quadrature to cancel
  Random random(seed + 9000);
  DensityCase result;
  result.name = "enclosed case " + std::to_string(seed);
  const auto half_axis = [&] { return random.uniform(6, 11); };  // in cells
  const Symmetric3 h = random_rotation(random, {half_axis(), half_axis(), half_axis()});
  Grid& grid = result.grid;
  Box samples;
  for (int axis = 0; axis < 3; ++axis) {
    grid.spacing[axis] = random.log_uniform(0.05, 20);
    grid.lower[axis] = random.uniform(-100, 100);
    const double spread = random.uniform(1, 12), reach = std::sqrt(h(axis, axis)) + 0.6;
    grid.dims[static_cast<std::size_t>(axis)] =
        static_cast<std::int64_t>(std::ceil(2 * reach + spread));
    samples.lower[axis] = grid.lower[axis] + reach * grid.spacing[axis];
    samples.upper[axis] = samples.lower[axis] + spread * grid.spacing[axis];
  }
  result.H = in_world(h, grid.spacing);
  add_uniform(result.cloud, random, samples, kSamples);
  if (seed % 5 > 2) draw_weights(result.cloud, random);
  return result;
}

void check_mass(std::string_view engine, const EngineSetup& options,
                const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  CHECK(std::abs(compute(engine, options, density_case, function).mass() - 1) <= 1e-4);
}

void check_translation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  const Comparison comparison{engine, options, density_case, function};
  const Volume volume = comparison.run(density_case);
  Random random(density_case.cloud.size());
  for (int turn = 0; turn < 2; ++turn) {
    Cells offset{};
    Vec3 by;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t most = density_case.grid.dims[a] / 2;
      offset[a] = random.below(static_cast<int>(2 * most + 1)) - most;
      by[axis] = static_cast<double>(offset[a]) * density_case.grid.spacing[axis];
    }
    DensityCase moved = density_case;
    for (std::size_t i = 0; i < moved.cloud.xyz.size(); ++i)
      moved.cloud.xyz[i] += by[static_cast<int>(i % 3)];
    INFO("by " << offset[0] << ", " << offset[1] << ", " << offset[2] << " cells");
    comparison.check(comparison.run(moved), volume, offset);
  }
}

void check_permutation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  const Comparison comparison{engine, options, density_case, function};
  DensityCase shuffled = density_case;
  Samples& cloud = shuffled.cloud;
  Random random(cloud.size());
  for (std::size_t i = cloud.size(); i-- > 1;) {
    const auto other = static_cast<std::size_t>(random.below(static_cast<int>(i + 1)));
    std::swap_ranges(&cloud.xyz[3 * i], &cloud.xyz[3 * i] + 3, &cloud.xyz[3 * other]);
    if (!cloud.weights.empty()) std::swap(cloud.weights[i], cloud.weights[other]);
  }
  comparison.check(comparison.run(shuffled), comparison.run(density_case));
}

void check_scaling(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  const Comparison comparison{engine, options, density_case, function};
  Random random(density_case.cloud.size());
  Vec3 s;
  for (int axis = 0; axis < 3; ++axis) s[axis] = random.log_uniform(1e-4, 1e4);
  DensityCase stretched = density_case;
  stretch(stretched, s);
  stretched.H = in_world(density_case.H, s);
  Volume volume = comparison.run(stretched);
  volume.scale(s.x * s.y * s.z);
  INFO("by " << s.x << ", " << s.y << ", " << s.z);
  comparison.check(volume, comparison.run(density_case));
}

void check_chunks(std::string_view engine, const EngineSetup& options,
                  const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  const Comparison comparison{engine, options, density_case, function};
  const Volume whole = comparison.run(density_case);
  const SamplesView points = density_case.cloud.view();
  Random random(points.size());
  const auto cut = static_cast<std::size_t>(random.below(static_cast<int>(points.size())));
  const std::unique_ptr<Engine> maker = make_engine(engine, options);
  const std::unique_ptr<Run> run =
      maker->begin(problem_of(density_case, function, options.precision));
  for (const SamplesView& part : {points.slice(0, cut), points.slice(cut, points.size() - cut)})
    run->add(*maker->load(part), silent);
  run->finish(silent);
  comparison.check(run->take_values()->take_volume(), whole);
}

void check_weights(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  const Comparison comparison{engine, options, density_case, function};
  DensityCase weighted = density_case;
  weighted.cloud.weights.resize(density_case.cloud.size());
  for (std::size_t i = 0; i < density_case.cloud.size(); ++i)
    weighted.cloud.weights[i] = 2 * density_case.cloud.view().weight(i);
  comparison.check(comparison.run(weighted), comparison.run(density_case));

  DensityCase twice = density_case;
  for (std::size_t i = 0; i < density_case.cloud.size(); i += 3) {
    const auto* const at = &density_case.cloud.xyz[3 * i];
    twice.cloud.xyz.insert(twice.cloud.xyz.end(), at, at + 3);
    if (!twice.cloud.weights.empty()) twice.cloud.weights.push_back(twice.cloud.weights[i]);
  }
  for (std::size_t i = 0; i < density_case.cloud.size(); ++i)
    weighted.cloud.weights[i] = density_case.cloud.view().weight(i) * (i % 3 == 0 ? 2 : 1);
  comparison.check(comparison.run(weighted), comparison.run(twice));
}

void check_same_bits(std::string_view engine, const EngineSetup& options,
                     const DensityCase& density_case, KernelFunction function) {
  constexpr int kRuns = 10;
  const EngineTraits& traits = traits_of(engine);
  if (!traits.deterministic) return;
  INFO(title(engine, options, density_case, function));
  const std::unique_ptr<Engine> again = make_engine(engine, options);
  const Problem problem = problem_of(density_case, function, options.precision);
  if (!again->offer(problem, facts_of(density_case.cloud.view())).serves()) return;
  const Volume first = compute(engine, options, density_case, function);
  const std::unique_ptr<LoadedSamples> samples = again->load(density_case.cloud.view());
  int other_bits = 0;
  for (int k = 1; k < kRuns; ++k) {
    const std::unique_ptr<Run> run = again->begin(problem);
    run->add(*samples, silent);
    run->finish(silent);
    other_bits += same_bits(first, run->take_values()->take_volume()) ? 0 : 1;
  }
  CHECK(other_bits == 0);
  if (traits.device != Device::cpu) return;
  for (const int threads : {1, 2, 4, 7}) {
    INFO(threads << " threads");
    EngineSetup other = options;
    other.threads = threads;
    CHECK(same_bits(first, compute(engine, other, density_case, function)));
  }
}

std::vector<Cover> cover_of(const DensityCase& density_case) {
  const SamplesView points = density_case.cloud.view();
  std::vector<Cover> cover;
  for (const auto& [i, j, k] : cells_of(density_case.grid.dims)) {
    const Vec3 centre = density_case.grid.centre(i, j, k);
    Cover here = Cover::none;
    for (std::size_t s = 0; s < points.size() && here != Cover::kernel; ++s) {
      if (!(points.weight(s) > 0)) continue;
      const long double q = q_at(density_case.H, points.point(s), centre);
      if (q < 1 + kCoverMargin) here = q <= 1 - kCoverMargin ? Cover::kernel : Cover::edge;
    }
    cover.push_back(here);
  }
  return cover;
}

void check_cover(std::string_view engine, const EngineSetup& options,
                 const DensityCase& density_case, const std::vector<Cover>& cover,
                 KernelFunction function) {
  INFO(title(engine, options, density_case, function));
  REQUIRE(q_margin(density_case.H, density_case.grid, Precision::f32) <= kCoverMargin);
  const EngineTraits& traits = traits_of(engine);
  const Volume volume = compute(engine, options, density_case, function);
  const double beyond = volume.maximum() * stated_error(traits, options.precision);
  const double least = traits.deterministic ? 0 : -beyond;
  const bool exact = traits.device == Device::cpu || traits.deterministic;
  int below = 0, stray = 0, bare = 0;
  const std::vector<double> values = numbers_of(volume);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    const double value = values[cell];
    if (!(value >= least)) ++below;
    if (cover[cell] == Cover::none && !(std::abs(value) <= (exact ? 0 : beyond))) ++stray;
    if (cover[cell] == Cover::kernel && !(value > 0)) ++bare;
  }
  CHECK(below == 0);
  CHECK(stray == 0);
  if (function == KernelFunction::uniform) CHECK(bare == 0);  // others are small at their ends
}

std::vector<StressCase> stress_cases(std::size_t count) {
  const Vec3 place{6.3, 5.81, 7.47};
  const auto copies = static_cast<double>(count);
  std::vector<StressCase> cases;
  Samples pile;
  push(pile, place, copies);
  cases.push_back(stress_of("pile in one place", {14, 12, 15}, pile, false));

  constexpr std::size_t kPlaces = 500;
  Random random(77);
  Samples spread;
  while (spread.size() < kPlaces)
    push(spread, {random.uniform(6, 7), random.uniform(5, 6), random.uniform(7, 8)},
         copies / kPlaces);
  cases.push_back(stress_of("pile within a cell", {14, 12, 15}, spread, false));

  push(pile, place + Vec3{0, 0, 48}, 1);
  std::swap(pile.weights[0], pile.weights[1]);  // the lone sample is the lower one
  cases.push_back(stress_of("pile far from a lone sample", {13, 12, 64}, pile, false));
  cases.back().lone_slices = 20;

  Samples light;
  for (int i = 0; i < 10000; ++i)
    push(light, {random.uniform(0, 13), random.uniform(0, 12), random.uniform(0, 15)}, 1e-6);
  push(light, place, 1);
  cases.push_back(stress_of("one heavy sample among light ones", {13, 12, 15}, light, true));
  return cases;
}

void check_stress(std::string_view engine, const EngineSetup& options, const StressCase& stress,
                  KernelFunction function) {
  INFO(title(engine, options, stress.density_case, function));
  const Volume volume = compute(engine, options, stress.density_case, function);
  const WorstCell worst = worst_cell(volume, stress.density_case, stress.reference, function);
  INFO("cell " << worst.index << " is " << worst.value << ", not " << worst.expected);
  CHECK(worst.error / stated_error(traits_of(engine), options.precision) <= 1);
  if (stress.lone_slices == 0) return;
  const auto sum_of_lone = [&](const std::vector<double>& values) {
    const Cells& dims = volume.grid().dims;
    return std::accumulate(values.begin(), values.begin() + stress.lone_slices * dims[0] * dims[1],
                           0.0);
  };
  const double expected = sum_of_lone(stress.reference.of(function));
  CHECK(std::abs(sum_of_lone(numbers_of(volume)) - expected) < 0.02 * expected);
}

}  // namespace skde::test
