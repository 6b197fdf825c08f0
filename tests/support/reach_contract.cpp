#include "support/reach_contract.hpp"

#include "support/catch.hpp"
#include "support/cells.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace skde::test {
namespace {

/// Samples in the box [0, 1]^3 and around it, ever fewer the further away.
std::vector<double> cloud_about_box(std::mt19937_64& random) {
  constexpr std::size_t kSamples = 7000;
  std::uniform_real_distribution<double> place(0, 1), power(-2, 4);
  std::vector<double> xyz;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const double width = std::exp2(power(random));
    for (int axis = 0; axis < 3; ++axis) xyz.push_back(0.5 + width * (place(random) - 0.5));
  }
  return xyz;
}

Target target_in_box(const EngineTraits& traits, std::mt19937_64& random) {
  std::uniform_int_distribution<std::int64_t> cells(5, 70);
  const std::array<std::int64_t, 3> dims{cells(random), cells(random), cells(random)};
  if (traits.serves_grids)
    return Grid{{},
                {1.0 / static_cast<double>(dims[0]), 1.0 / static_cast<double>(dims[1]),
                 1.0 / static_cast<double>(dims[2])},
                dims};
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<double> xyz(3 * static_cast<std::size_t>(dims[0] * 10));
  for (double& value : xyz) value = place(random);
  return TargetPoints(std::move(xyz));
}

Box box_of(const Target& target) {
  if (const Grid* const grid = std::get_if<Grid>(&target)) return grid->bounds();
  return compute_moments({std::get<TargetPoints>(target).xyz()}).bounds();
}

std::vector<double> values_of(Engine& engine, const Problem& problem,
                              const std::vector<double>& xyz) {
  NoProgress silent;
  const std::unique_ptr<Run> run = engine.begin(problem);
  run->add(*engine.load({xyz}), silent);
  run->finish(silent);
  const std::unique_ptr<ValueBuffer> values = run->take_values();
  if (!problem.has_grid()) return values->take_point_values();
  const Volume volume = values->take_volume();
  std::vector<double> found;
  const auto [nx, ny, nz] = volume.grid().dims;
  for (const auto& [x, y, z] : cells_of({nx, ny, nz})) found.push_back(volume.at(x, y, z));
  return found;
}

}  // namespace

bool check_reach(const EngineTraits& traits, const EngineSetup& options, KernelFunction function,
                 std::uint64_t seed) {
  INFO(traits.name << ", " << function->name << ", seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> width(0.03, 0.2), slant(-0.5, 0.5);
  const std::vector<double> all = cloud_about_box(random);
  const double x = width(random), y = width(random), z = width(random);
  Problem problem;
  problem.kernel = {
      function,
      {x * x, slant(random) * x * y, slant(random) * x * z, y * y, slant(random) * y * z, z * z}};
  problem.target = target_in_box(traits, random);
  problem.samples = problem.total_weight = static_cast<double>(all.size() / 3);
  problem.precision = options.precision;
  problem.tolerance = 1e-4;
  const std::unique_ptr<Engine> engine = make_engine(traits.name, options);
  const Offer offer = engine->offer(problem, facts_of({all}));
  if (!offer.serves() || !offer.reach) return false;
  const Box box = box_of(problem.target);
  const Box near{box.lower - *offer.reach, box.upper + *offer.reach};
  std::vector<double> some;
  for (std::size_t i = 0; i < all.size(); i += 3)
    if (near.holds({all[i], all[i + 1], all[i + 2]}))
      some.insert(some.end(), {all[i], all[i + 1], all[i + 2]});
  CHECK(some.size() < all.size());
  const std::vector<double> whole = values_of(*engine, problem, all),
                            part = values_of(*engine, problem, some);
  if (traits.deterministic) {
    CHECK((whole == part));  // thousands of numbers
    return true;
  }
  double peak = 0, off = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    peak = std::max(peak, whole[i]);
    off = std::max(off, std::abs(whole[i] - part[i]));
  }
  CHECK(off <= 1e-5 * peak);
  return true;
}

void check_reaches(Device device) {
  for (const EngineEntry& entry : engine_table()) {
    if (entry.traits.device != device || !entry.unavailable().empty()) continue;
    int reaches = 0;
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const KernelFunction function :
           {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          EngineSetup options;
          options.precision = precision;
          options.threads = 2;
          reaches += check_reach(entry.traits, options, function, seed) ? 1 : 0;
        }
    INFO(entry.traits.name);
    CHECK((reaches > 0) == (entry.traits.name.find("naive") == std::string_view::npos));
  }
}

}  // namespace skde::test
