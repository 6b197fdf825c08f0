// Separately computed slices of a grid, and several devices that share a grid, give the same bits
// as the whole on one device. A single device is used as both members of the group.

#include <random>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/report/error.hpp"
#include "gpu/device_fixture.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

struct Setting {
  const char* engine;
  KernelFunction function;
  Precision precision = Precision::f32;
  bool weighted = false;
};

const Setting kSettings[] = {
    {"cuda-span", KernelFunction::epanechnikov},
    {"cuda-span", KernelFunction::epanechnikov, Precision::f32, true},
    {"cuda-span", KernelFunction::uniform},
    {"cuda-span", KernelFunction::biweight},
    {"cuda-tile", KernelFunction::gaussian},
    {"cuda-tile", KernelFunction::gaussian, Precision::f64, true},
    {"cuda-tile", KernelFunction::triweight},
};

Samples cloud_for(const Setting& setting, std::size_t count) {
  Samples cloud = make_five_gaussians(17, 0, count);
  std::mt19937_64 random(5);
  if (setting.weighted)
    for (std::size_t i = 0; i < count; ++i)
      cloud.weights.push_back(std::exp(std::normal_distribution<>(0, 2)(random)));
  return cloud;
}

Problem problem_for(const Setting& setting, const Samples& cloud, double h,
                    std::array<std::int64_t, 3> dims) {
  Problem problem;
  problem.kernel = {setting.function,
                    {h * h * 1.1, h * h * 0.4, -h * h * 0.2, h * h, h * h * 0.3, h * h * 0.9}};
  const Box box = benchmark_box();
  const Vec3 edges = box.extent();
  problem.target =
      Grid{box.lower,
           {edges.x / static_cast<double>(dims[0]), edges.y / static_cast<double>(dims[1]),
            edges.z / static_cast<double>(dims[2])},
           dims};
  problem.precision = setting.precision;
  problem.samples = static_cast<double>(cloud.size());
  if (setting.weighted) {
    problem.total_weight = 0;
    for (const double weight : cloud.weights) problem.total_weight += weight;
  } else {
    problem.total_weight = problem.samples;
  }
  return problem;
}

std::unique_ptr<Run> finished_run(Engine& engine, const Problem& problem, const Samples& cloud,
                                  int parts = 1, RunOrders orders = {}) {
  NoProgress silent;
  std::unique_ptr<Run> run = engine.begin(problem, std::move(orders));
  std::unique_ptr<LoadedSamples> loaded;
  const std::size_t part =
      (cloud.size() + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  for (std::size_t begin = 0; begin < cloud.size(); begin += part) {
    const std::size_t count = std::min(part, cloud.size() - begin);
    loaded = engine.load(cloud.view().slice(begin, count), std::move(loaded));
    run->add(*loaded, silent);
  }
  run->finish(silent);
  return run;
}

std::unique_ptr<ValueBuffer> values_of(Engine& engine, const Problem& problem, const Samples& cloud,
                                       int parts = 1, RunOrders orders = {}) {
  return finished_run(engine, problem, cloud, parts, std::move(orders))->take_values();
}

/// Returns options with all devices, or with the only device twice.
EngineOptions shared_options() {
  EngineOptions options;
  options.devices = all_devices();
  if (options.devices.size() == 1) options.devices = {0, 0};
  return options;
}

}  // namespace

TEST_CASE("CUDA: slices that are computed alone are those of the whole grid, to the bit") {
  if (skipped()) return;
  std::mt19937 random(11);
  for (const Setting& setting : kSettings)
    for (const double h : {0.15, 0.8})
      for (const int parts : {1, 3}) {
        INFO(setting.engine << " " << setting.function->name << ", h = " << h << ", parts " << parts
                            << (setting.weighted ? ", weighted" : ""));
        const Samples cloud = cloud_for(setting, 60000);
        const Problem problem = problem_for(setting, cloud, h, {90, 70, 122});
        const std::unique_ptr<Engine> engine = make_engine(setting.engine, {});
        const Offer offer = engine->offer(problem, {60000, setting.weighted, false});
        REQUIRE(offer.serves());
        if (offer.cut_step >= 122) continue;  // it takes a single window
        const Volume whole = values_of(*engine, problem, cloud, parts)->take_volume();
        Volume put(problem.grid(), problem.precision);
        for (std::int64_t first = 0; first < 122;) {
          const std::int64_t steps = 1 + static_cast<std::int64_t>(random() % 12);
          const std::int64_t count = std::min(steps * offer.cut_step, 122 - first);
          values_of(*engine, problem, cloud, parts, {.slices = SliceRange{first, count}})
              ->put_slices(put, first);
          first += count;
        }
        CHECK(same_bits(put, whole));
        CHECK(thrown_error([&] {
                engine->begin(problem, {.slices = SliceRange{1, 8}});
              }).kind() == ErrorKind::unsupported);
      }
}

TEST_CASE("CUDA: several devices share a grid, and its bits are those of one") {
  if (skipped()) return;
  for (const Setting& setting : {kSettings[0], kSettings[1], kSettings[3], kSettings[4]}) {
    INFO(setting.engine << " " << setting.function->name);
    const Samples cloud = cloud_for(setting, 1000000);
    const Problem problem = problem_for(setting, cloud, 0.9, {200, 180, 260});
    const std::unique_ptr<Engine> one = make_engine(setting.engine, {});
    const std::unique_ptr<Engine> several = make_engine(setting.engine, shared_options());
    const Volume expected = values_of(*one, problem, cloud)->take_volume();
    const std::unique_ptr<Run> run = finished_run(*several, problem, cloud);
    INFO(run->launch_policy());
    CHECK(run->launch_policy().find("slices 0 to ") == 0);
    const std::unique_ptr<ValueBuffer> values = run->take_values();
    CHECK(values->totals().sum == Approx(expected.sum()));
    CHECK(same_bits(values->take_volume(), expected));
  }
}

TEST_CASE("CUDA: several devices share tiles, whose sum has the bits of one") {
  if (skipped()) return;
  for (const Setting& setting : kSettings)
    for (const bool hot : {false, true}) {
      INFO(setting.engine << " " << setting.function->name << (hot ? ", hot" : ", small")
                          << (setting.weighted ? ", weighted" : ""));
      const int parts = hot ? 2 : 1;
      Samples cloud = cloud_for(setting, 100000);
      Problem problem = problem_for(setting, cloud, 0.9, {120, 110, hot ? 90 : 20});
      if (hot) {  // a sheet of kernels thinner than a cell
        problem.kernel.H = Symmetric3::diagonal(0.8, 0.8, 1e-4);
        const double sheet = problem.grid().centre(0, 0, 45).z;
        for (std::size_t i = 0; i < cloud.size(); ++i) cloud.xyz[3 * i + 2] = sheet;
      }
      const std::unique_ptr<Engine> one = make_engine(setting.engine, {});
      REQUIRE(one->offer(problem, {100000, setting.weighted, false}).serves());
      const Volume expected = values_of(*one, problem, cloud, parts)->take_volume();
      const std::unique_ptr<Engine> several = make_engine(setting.engine, shared_options());
      CHECK(same_bits(values_of(*several, problem, cloud, parts)->take_volume(), expected));
      Volume sum(problem.grid(), problem.precision);
      for (std::int32_t share = 0; share < 3; ++share) {
        const Volume own =
            values_of(*one, problem, cloud, parts, {.share = TileShare{share, 3}})->take_volume();
        CHECK(own.sum() < 0.6 * expected.sum());
        sum.add(own);
      }
      CHECK(same_bits(sum, expected));
    }
}

TEST_CASE("CUDA: several devices share small grids, and samples with shapes, by tiles") {
  if (skipped()) return;
  const Setting setting{"cuda-tile", KernelFunction::gaussian};
  Samples cloud = cloud_for(setting, 300000);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.bandwidth_factors.push_back(0.5 + 0.5 * static_cast<double>(i % 7) / 7);
  const Problem problem = problem_for(setting, cloud, 0.8, {100, 110, 120});
  const Volume expected =
      values_of(*make_engine(setting.engine, {}), problem, cloud)->take_volume();
  const std::unique_ptr<Engine> several = make_engine(setting.engine, shared_options());
  const std::unique_ptr<Run> run = finished_run(*several, problem, cloud);
  INFO(run->launch_policy());
  CHECK(run->launch_policy().find("tiles 1 of ") == 0);
  CHECK(same_bits(run->take_values()->take_volume(), expected));
}

TEST_CASE("CUDA: several devices share points, whose densities have the bits of one") {
  if (skipped()) return;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Setting setting{"cuda-ranges", KernelFunction::biweight, precision, true};
    const Samples cloud = cloud_for(setting, 300000);
    Problem problem = problem_for(setting, cloud, 0.2, {1, 1, 1});
    std::vector<double> places = make_five_gaussians(23, 0, 400000).xyz;
    places.insert(places.end(), {99, 0, 0});  // beyond all samples
    problem.target = TargetPoints(places);
    const std::vector<double> expected =
        values_of(*make_engine(setting.engine, {}), problem, cloud, 2)->take_point_values();
    const std::unique_ptr<Engine> several = make_engine(setting.engine, shared_options());
    const std::unique_ptr<Run> run = finished_run(*several, problem, cloud);
    INFO(run->launch_policy());
    CHECK(run->launch_policy().find("blocks 1 of ") == 0);
    run->take_values();
    CHECK(values_of(*several, problem, cloud, 2)->take_point_values() == expected);
    CHECK(expected.back() == 0);
    CHECK(expected.front() > 0);
  }
}

TEST_CASE("CUDA: a device that is not there is told") {
  if (skipped()) return;
  EngineOptions options;
  options.devices = {0, 4096};
  const std::unique_ptr<Engine> engine = make_engine("cuda-span", options);
  const Samples cloud = make_five_gaussians(3, 0, 100);
  CHECK(thrown_error([&] { engine->load(cloud.view()); }).kind() == ErrorKind::resources);
}
