#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/engine_benchmark.hpp"
#include "core/error.hpp"
#include "engines/registry.hpp"

namespace {

using namespace skde;
using namespace skde::bench;

struct Settings {
  BenchmarkCase wanted;
  std::vector<std::string> engines;
  EngineOptions options;
  int repetitions = 5, warmups = 1;
  bool json = false;
};

cxxopts::Options make_options() {
  cxxopts::Options options("skde-bench",
                           "Times the engines of skde on the benchmark cloud of the S-KDE papers");
  options.add_options()("engines", "engines to time; default: all that can run here",
                        cxxopts::value<std::vector<std::string>>())(
      "samples", "samples N", cxxopts::value<double>()->default_value("1e5"))(
      "cells", "cells M along each side of [-5,5]^3",
      cxxopts::value<std::int64_t>()->default_value("100"))(
      "bandwidth", "h in H = h^2 S", cxxopts::value<double>()->default_value("1"))(
      "kernel", "kernel function", cxxopts::value<std::string>()->default_value("epanechnikov"))(
      "precision", "f32 or f64", cxxopts::value<std::string>()->default_value("f32"))(
      "threads", "CPU threads; 0: one a core", cxxopts::value<int>()->default_value("0"))(
      "repetitions", "measured runs", cxxopts::value<int>()->default_value("5"))(
      "warmups", "runs before them", cxxopts::value<int>()->default_value("1"))(
      "seed", "seed of the cloud", cxxopts::value<std::uint64_t>()->default_value("1"))(
      "cloud", "five-gaussians, uniform, or spot: all samples in one cell",
      cxxopts::value<std::string>()->default_value("five-gaussians"))(
      "json", "one JSON object a line and engine")("help", "this page");
  return options;
}

std::vector<std::string> available_engines() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engine_table())
    if (entry.unavailable().empty()) names.emplace_back(entry.traits.name);
  return names;
}

Settings parse(const cxxopts::ParseResult& given) {
  Settings settings;
  settings.wanted = {cloud_shape_by_name(given["cloud"].as<std::string>()),
                     static_cast<std::uint64_t>(given["samples"].as<double>()),
                     given["cells"].as<std::int64_t>(),
                     given["bandwidth"].as<double>(),
                     kernel_by_name(given["kernel"].as<std::string>()),
                     given["seed"].as<std::uint64_t>()};
  settings.engines = given.count("engines") ? given["engines"].as<std::vector<std::string>>()
                                            : available_engines();
  settings.json = given.count("json") > 0;
  settings.options.threads = given["threads"].as<int>();
  const auto precision = given["precision"].as<std::string>();
  if (precision != "f32" && precision != "f64")
    throw Error(ErrorKind::usage,
                fmt::format("--precision '{}' is neither f32 nor f64", precision));
  settings.options.precision = precision == "f64" ? Precision::f64 : Precision::f32;
  settings.repetitions = given["repetitions"].as<int>();
  settings.warmups = given["warmups"].as<int>();
  if (settings.wanted.samples < 2 || settings.wanted.cells < 1 || !(settings.wanted.h > 0) ||
      settings.repetitions < 1)
    throw Error(ErrorKind::usage,
                "--samples (2), --cells, --bandwidth and --repetitions are too small");
  return settings;
}

void print_row(const std::string& name, const Measurement& m, const BenchmarkInput& input) {
  std::vector<double> sorted = m.seconds;
  std::sort(sorted.begin(), sorted.end());
  const double best = sorted.front();
  fmt::print("{:<16} {:>11.3f} {:>11.3f} {:>12.3g} {:>12.3g} {:>9.5f} {:>11.5g}\n", name,
             best * 1e3, sorted[sorted.size() / 2] * 1e3, input.work.updates / best,
             input.work.evaluated / best, m.mass, m.peak);
  std::string stages;
  for (const StageTime& stage : m.stages)
    stages += fmt::format("  {} {:.3f} ms", stage.stage, stage.seconds * 1e3);
  fmt::print("{:<16}{}  ({})\n", "", stages, m.policy);
  std::fflush(stdout);
}

void print_json(const std::string& name, const Measurement& m, const Settings& settings,
                const BenchmarkInput& input) {
  const BenchmarkCase& c = settings.wanted;
  const Vec3 r = input.half_extents;
  nlohmann::ordered_json row{{"engine", name},
                             {"samples", c.samples},
                             {"cells", c.cells},
                             {"h", c.h},
                             {"cloud", static_cast<int>(c.shape)},
                             {"kernel", kernel_name(c.kernel)},
                             {"half_extents", {r.x, r.y, r.z}},
                             {"updates", input.work.updates},
                             {"seconds", m.seconds},
                             {"policy", m.policy}};
  // Without the start of a GPU and transfers, which the seconds leave out as well.
  row["chosen_on_cpu"] = choice_for(input, c.kernel, settings.options, Device::cpu);
  if (make_engine(name, settings.options)->traits().device == Device::cuda)
    row["chosen_on_gpu"] = choice_for(input, c.kernel, settings.options, Device::cuda);
  for (const StageTime& stage : m.stages) row["stages"][stage.stage] = stage.seconds;
  fmt::print("{}\n", row.dump());
  std::fflush(stdout);
}

void run(const Settings& settings) {
  const BenchmarkInput input = make_input(settings.wanted);
  if (settings.json) {
    for (const std::string& name : settings.engines)
      print_json(name,
                 measure(*make_engine(name, settings.options), input, settings.warmups,
                         settings.repetitions),
                 settings, input);
    return;
  }
  const Vec3 r = input.half_extents;
  fmt::print(
      "N = {}, {}^3 cells, h = {:g}, {} kernel, half extents ({:.1f}, {:.1f}, {:.1f}) cells, "
      "{:.4g} updates, {:.4g} evaluated\n",
      settings.wanted.samples, settings.wanted.cells, settings.wanted.h,
      kernel_name(settings.wanted.kernel), r.x, r.y, r.z, input.work.updates, input.work.evaluated);
  fmt::print("{:<16} {:>11} {:>11} {:>12} {:>12} {:>9} {:>11}\n", "engine", "best ms", "median ms",
             "updates/s", "evaluated/s", "mass", "peak");
  for (const std::string& name : settings.engines) {
    const auto engine = make_engine(name, settings.options);
    print_row(name, measure(*engine, input, settings.warmups, settings.repetitions), input);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    cxxopts::Options options = make_options();
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) {
      fmt::print("{}", options.help());
      return 0;
    }
    run(parse(given));
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "skde-bench: {}\n", error.what());
    return error.exit_code();
  } catch (const cxxopts::exceptions::exception& error) {
    fmt::print(stderr, "skde-bench: {}; see --help\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "skde-bench: {}\n", error.what());
    return 5;
  }
}
