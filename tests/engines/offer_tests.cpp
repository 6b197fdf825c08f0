#include "engines/registry/offer_choice.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engines/registry/registry.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using test::thrown_error;

namespace {

/// A problem with spherical kernels of this half extent, in cells, on a cubic grid.
Problem problem_of(double half_extent, std::int64_t cells,
                   KernelFunction function = KernelFunction::epanechnikov) {
  const double h = half_extent * half_extent;
  Problem problem;
  problem.kernel = {function, Symmetric3::diagonal(h, h, h)};
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {cells, cells, cells}};
  return problem;
}

CloudFacts samples(std::int64_t count) { return {count, false, false}; }

Offer offer_of(std::string_view engine, const Problem& problem, const CloudFacts& cloud,
               const EngineOptions& options = {}) {
  return make_engine(engine, options)->offer(problem, cloud);
}

/// Returns the offers on this machine, with those of a GPU made up: `gpu_seconds` for a run.
std::vector<EngineOffer> made_up(double gpu_seconds) {
  std::vector<EngineOffer> offers = engine_offers(problem_of(8, 64), samples(1000), {});
  for (EngineOffer& row : offers) {
    if (row.entry->traits.device != Device::cuda) continue;
    row.offer = {};
    row.offer.seconds = {0.1, 0.01, gpu_seconds, 0.01};
    row.offer.repeats = true;
  }
  return offers;
}

constexpr const char* kCpuEngines[] = {"naive", "openmp", "span", "tile"};

}  // namespace

TEST_CASE("Piles of samples are as near as is offered", "[offer]") {
  constexpr std::size_t kSamples = 200000;
  Samples pile;
  for (std::size_t i = 0; i < kSamples; ++i) pile.xyz.insert(pile.xyz.end(), {0.1, 0.2, 0.3});
  const Grid grid{{-1, -1, -1}, {0.25, 0.25, 0.25}, {8, 8, 8}};
  const Kernel kernel{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)};
  const auto run = [&](std::string_view engine, Precision precision) {
    const Problem problem{kernel, grid, kSamples, 0, precision};
    const std::unique_ptr<Engine> made = make_engine(engine, {});
    const std::unique_ptr<LoadedSamples> loaded = made->load(pile.view());
    const std::unique_ptr<Run> running = made->begin(problem);
    running->add(*loaded, test::silent);
    running->finish(test::silent);
    return std::pair(running->take_values()->take_volume(),
                     offer_of(engine, problem, samples(kSamples)).error);
  };
  const Volume exact = run("naive", Precision::f64).first;
  for (const char* const engine : kCpuEngines) {
    INFO(engine);
    const auto [volume, error] = run(engine, Precision::f32);
    CHECK(test::relative_distance(volume, exact) <= error);
  }
  // The error of the traits, stated for any number of samples, would not hold here.
  CHECK(test::relative_distance(run("openmp", Precision::f32).first, exact) >
        engine_entry("openmp").traits.error_f32);
}

TEST_CASE("Piles of millions keep their digits in span", "[offer]") {
  constexpr std::size_t kSamples = 4000000;
  Samples pile;
  for (std::size_t i = 0; i < kSamples; ++i) pile.xyz.insert(pile.xyz.end(), {0.3, 1.1, 0.4});
  const Samples one{{0.3, 1.1, 0.4}};
  for (const double along : {4.0, 60.0}) {  // summed by rows, and by differences
    INFO("rows of " << along);
    const Grid grid{{-50, 0, 0}, {1, 1, 1}, {101, 3, 1}};
    const Kernel kernel{KernelFunction::epanechnikov, Symmetric3::diagonal(along * along, 4, 4)};
    const auto run = [&](const Samples& cloud, Precision precision) {
      const Problem problem{kernel, grid, static_cast<double>(cloud.size()), 0, precision};
      const std::unique_ptr<Engine> made = make_engine("span", {});
      const std::unique_ptr<LoadedSamples> loaded = made->load(cloud.view());
      const std::unique_ptr<Run> running = made->begin(problem);
      running->add(*loaded, test::silent);
      running->finish(test::silent);
      return running->take_values()->take_volume();
    };
    const Volume exact = run(one, Precision::f64);
    CHECK(test::relative_distance(run(pile, Precision::f32), exact) <=
          offer_of("span", problem_of(8, 64), samples(kSamples)).error);
    CHECK(offer_of("span", problem_of(8, 64), samples(kSamples)).error == 2e-5);
  }
}

TEST_CASE("More samples, larger kernels and more cells are offered to take longer", "[offer]") {
  for (const char* const engine : kCpuEngines) {
    INFO(engine);
    const double base = offer_of(engine, problem_of(8, 128), samples(100000)).seconds.run;
    CHECK(base > 0);
    CHECK(offer_of(engine, problem_of(8, 128), samples(1000000)).seconds.run > 2 * base);
    CHECK(offer_of(engine, problem_of(24, 128), samples(100000)).seconds.run >= base);
    CHECK(offer_of(engine, problem_of(8, 1024), samples(100000)).seconds.run >= base);
    EngineOptions four, one;
    four.threads = 4;
    one.threads = 1;
    CHECK(offer_of(engine, problem_of(8, 8), samples(1)).threads == 1);
    CHECK(offer_of(engine, problem_of(8, 8), samples(1), four).threads == 4);
    const double share = std::string_view(engine) == "openmp" ? 0.6 : 0.3;  // atomics wait
    CHECK(offer_of(engine, problem_of(8, 64), samples(100000), four).seconds.run <
          share * offer_of(engine, problem_of(8, 64), samples(100000), one).seconds.run);
  }
}

TEST_CASE("An engine refuses what it does not serve, and throws for it in begin() alone",
          "[offer]") {
  Problem points = problem_of(3, 8);
  points.target = TargetPoints({1, 2, 3});
  CloudFacts shaped = samples(10);
  shaped.shaped = true;
  CHECK(offer_of("naive", points, samples(10)).serves());
  CHECK(offer_of("naive", points, shaped).serves());
  CHECK(offer_of("ranges", points, samples(10)).serves());
  CHECK(offer_of("ranges", points, shaped).serves());
  CHECK_FALSE(offer_of("ranges", problem_of(3, 8), samples(10)).serves());
  CHECK_FALSE(offer_of("openmp", points, samples(10)).serves());
  CHECK(offer_of("openmp", problem_of(3, 8), shaped).serves());
  CHECK_FALSE(offer_of("tile", points, samples(10)).serves());
  CHECK(offer_of("tile", problem_of(3, 8), shaped).serves());
  CHECK_FALSE(offer_of("span", points, samples(10)).serves());
  CHECK_FALSE(offer_of("span", problem_of(3, 8), shaped).serves());
  const Error error = thrown_error([&] { make_engine("span", {})->begin(points); });
  CHECK(error.kind() == ErrorKind::unsupported);
  CHECK(error.parameter() == "engine");
  CHECK(error.problem().find(offer_of("span", points, samples(10)).refusal) != std::string::npos);
}

TEST_CASE("Every engine has an offer, and those that are not here refuse with the reason",
          "[offer]") {
  const auto offers = engine_offers(problem_of(8, 32), samples(100), {});
  REQUIRE(offers.size() == engine_table().size());
  for (const EngineOffer& row : offers) {
    INFO(row.entry->traits.name);
    const EngineTraits& traits = row.entry->traits;
    if (!traits.approximates && traits.serves_grids)
      CHECK(row.offer.refusal == row.entry->unavailable());
    if (!row.offer.serves()) continue;
    CHECK(row.offer.seconds.run > 0);
    CHECK(row.offer.error == row.entry->traits.error_f32);
    CHECK(row.offer.host.bytes(100, 100, 32768) >= 0);
  }
}

TEST_CASE("Memory of a span engine follows rows and threads, not what the grid is called",
          "[offer]") {
  Problem flat = problem_of(3, 64);
  flat.target = Grid{{}, {1, 1, 1}, {3000, 3000, 2}};
  EngineOptions many;
  many.threads = 64;
  const double of_two_slices = offer_of("span", flat, samples(10), many).host.fixed;
  CHECK(of_two_slices < 3 * 3000.0 * 3000 * 12);  // at most one thread works per slice
  flat.target = Grid{{}, {1, 1, 1}, {2, 20000000, 1}};
  CHECK(offer_of("span", flat, samples(10), many).host.fixed > 20000000.0 * (4 * 17 + 8));
}

TEST_CASE("A grid of rows of one cell costs a span engine what one long row does", "[offer]") {
  const auto offer = [](std::array<std::int64_t, 3> dims) {
    Problem problem = problem_of(3, 64);
    problem.kernel.H = Symmetric3::diagonal(1e10, 1e10, 1e10);
    problem.target = Grid{{}, {1, 1, 1}, dims};
    return offer_of("span", problem, samples(1000));
  };
  const Offer row = offer({20000000, 1, 1});
  for (const auto& dims : {std::array<std::int64_t, 3>{1, 20000000, 1}, {1, 1, 20000000}}) {
    CHECK(offer(dims).seconds.run == row.seconds.run);
    CHECK(offer(dims).host.fixed == row.host.fixed);
  }
  CHECK(offer({1, 3000, 4000}).seconds.run == offer({3000, 1, 4000}).seconds.run);
}

TEST_CASE("Offers are ranked by what they take, those that keep the tolerance alone", "[offer]") {
  std::vector<EngineOffer> offers = made_up(1e-9);
  const auto ranked = ranked_offers(offers, 0, {});
  const auto serve = static_cast<std::size_t>(
      std::ranges::count_if(offers, [](const EngineOffer& row) { return row.offer.serves(); }));
  REQUIRE(ranked.size() == serve);
  const auto counted = [](const EngineOffer* row) {
    return row->offer.seconds.total() * (row->offer.repeats ? 1 : 8);
  };
  CHECK(std::ranges::is_sorted(ranked, {}, counted));
  offers.front().offer.error = 2e-4;
  CHECK(ranked_offers(offers, 0, {}).size() == serve - 1);
  for (EngineOffer& row : offers)
    row.offer.error = row.entry->traits.name == "openmp" ? 1e-9 : 1e-3;
  CHECK(ranked_offers(offers, 1e-6, {}).size() == 1);
  CHECK(ranked_offers(offers, 1e-12, {}).size() == serve);
}

TEST_CASE("The choice is the offer of the least time that counts", "[offer]") {
  const auto name = [](const std::vector<EngineOffer>& offers, const EngineWish& wish) {
    return ranked_offers(offers, 0, wish).front()->entry->traits.name;
  };
  EngineWish anywhere, resident, cpu, cuda;
  resident.resident = true;
  cpu.device = Device::cpu;
  cuda.device = Device::cuda;
  const auto fast = made_up(1e-9), slow = made_up(100);
  CHECK(name(fast, anywhere) == "span");  // a GPU starts too slowly for so little work
  CHECK(engine_entry(name(fast, resident)).traits.device == Device::cuda);
  CHECK(name(slow, resident) == "span");
  CHECK(name(fast, cpu) == "span");
  CHECK(engine_entry(name(slow, cuda)).traits.device == Device::cuda);
  // If a tolerance is requested, engines that keep it come first.
  std::vector<EngineOffer> rough = made_up(1e-9);
  for (EngineOffer& row : rough) row.offer.error = row.entry->traits.name == "openmp" ? 1e-9 : 1e-3;
  CHECK(ranked_offers(rough, 1e-6, anywhere).front()->entry->traits.name == "openmp");
}

TEST_CASE("Where every engine refuses, the error tells each reason", "[offer]") {
  std::vector<EngineOffer> offers = made_up(1);
  for (EngineOffer& row : offers) row.offer = Offer::refused("it is tired");
  const Error none = thrown_error([&] { ranked_offers(offers, 0, {}); });
  CHECK(none.kind() == ErrorKind::unsupported);
  CHECK(none.problem().find("span: it is tired") != std::string::npos);
  const bool gpu_is_here = std::ranges::any_of(engine_table(), [](const EngineEntry& entry) {
    return entry.traits.device == Device::cuda && entry.unavailable().empty();
  });
  if (gpu_is_here) return;
  EngineWish cuda;
  cuda.device = Device::cuda;
  const auto here = engine_offers(problem_of(8, 64), samples(1000), {});
  CHECK(thrown_error([&] { ranked_offers(here, 0, cuda); }).kind() == ErrorKind::resources);
}

TEST_CASE("Scratch memory of span is offered for every thread, in slices and in buckets",
          "[offer]") {
  const auto fixed = [](std::array<std::int64_t, 3> dims, int threads) {
    Problem problem = problem_of(3, 64);
    problem.target = Grid{{}, {1, 1, 1}, dims};
    EngineOptions options;
    options.threads = threads;
    return offer_of("span", problem, samples(10), options).host.fixed;
  };
  // Bucket offsets for every slice, and the counts of each thread.
  CHECK(fixed({2, 1, 1000000}, 16) > 16 * 8e6);
  CHECK(fixed({2, 1, 1000000}, 16) > 4 * fixed({2, 1, 1000000}, 1));
  CHECK(fixed({500, 500, 100}, 16) > 16 * 500.0 * 500 * 4);
}

TEST_CASE("Memory of tiles is offered for every thread, for bins and for shapes", "[offer]") {
  const auto need = [](std::array<std::int64_t, 3> dims, int threads, bool shaped) {
    Problem problem = problem_of(3, 64);
    problem.target = Grid{{}, {1, 1, 1}, dims};
    EngineOptions options;
    options.threads = threads;
    CloudFacts cloud = samples(10);
    cloud.shaped = shaped;
    return offer_of("tile", problem, cloud, options).host;
  };
  const double of_a_thread = 144.0 * 16 * 8 * (sizeof(float) + sizeof(double));
  CHECK(need({100, 100, 100}, 16, false).fixed > 16 * of_a_thread);
  // Tiles of 8 cells each, and each thread's counts of bins of at least 16 cells.
  CHECK(need({1, 1, 100000}, 1, false).fixed > 100000.0 / 8 * 32);
  CHECK(need({1, 1, 100000}, 16, false).fixed - need({1, 1, 100000}, 1, false).fixed >
        15 * (of_a_thread + 100000.0 / 16 * 8));
  CHECK(need({64, 64, 64}, 1, true).sample - need({64, 64, 64}, 1, false).sample ==
        sizeof(Ellipsoid<float>));
}

TEST_CASE("Memory of naive is offered for every sample, and of spectral for its grids", "[offer]") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Problem problem = problem_of(4, 64, KernelFunction::gaussian);
    problem.precision = precision;
    // Coordinates and a weight.
    const auto bytes = static_cast<double>(value_bytes(precision));
    CHECK(offer_of("naive", problem, samples(10)).host.sample >= 4 * bytes);
  }
  Problem wide = problem_of(4, 64, KernelFunction::gaussian);
  wide.tolerance = 1e-4;
  if (!offer_of("spectral", wide, samples(10)).serves()) return;  // built without FFTW
  const auto fixed = [&](std::int64_t cells, int threads) {
    wide.target = Grid{{}, {1, 1, 1}, {cells, cells, cells}};
    EngineOptions options;
    options.threads = threads;
    return offer_of("spectral", wide, samples(10), options).host.fixed;
  };
  // Sums at half a node per cell or more, and values interpolated along z.
  CHECK(fixed(256, 1) >
        128.0 * 128 * 128 * sizeof(std::int64_t) + 128.0 * 256 * 256 * sizeof(float));
  CHECK(fixed(256, 16) > fixed(256, 1));
}

TEST_CASE("Kernels without an end, and samples with shapes of their own, are tiles' to choose",
          "[offer]") {
  const auto chosen = [](const Problem& problem, bool shaped) {
    CloudFacts cloud = samples(100000);
    cloud.shaped = shaped;
    EngineWish cpu;
    cpu.device = Device::cpu;
    return ranked_offers(engine_offers(problem, cloud, {}), 0, cpu).front()->entry->traits.name;
  };
  CHECK(chosen(problem_of(2, 100, KernelFunction::gaussian), true) == "tile");
  CHECK(chosen(problem_of(6, 100), true) == "tile");
  CHECK(chosen(problem_of(6, 100), false) == "span");
}

namespace {

/// Checks that making this engine throws an Error of this kind, and returns its message.
std::string refusal(std::string_view name, ErrorKind kind) {
  const Error error = test::thrown_error([&] { make_engine(name, {}); });
  CHECK(error.kind() == kind);
  CHECK(error.parameter() == "engine");
  return error.what();
}

}  // namespace

TEST_CASE("an unknown engine is refused with the nearest name", "[registry]") {
  const std::string message = refusal("openpm", ErrorKind::usage);
  CHECK(message.find("unknown engine 'openpm'; did you mean 'openmp'?") != std::string::npos);
  for (const EngineEntry& entry : engine_table())
    CHECK(message.find(entry.traits.name) != std::string::npos);
}

TEST_CASE("an unavailable engine says why", "[registry]") {
  for (const EngineEntry& entry : engine_table()) {
    const std::string reason = entry.unavailable();
    if (entry.traits.device == Device::cpu && entry.traits.name != "spectral")
      CHECK(reason.empty());  // spectral is a build option
    if (reason.empty()) continue;
    const std::string message = refusal(entry.traits.name, ErrorKind::resources);
    CHECK(message.find(reason) != std::string::npos);
    CHECK(message.find(entry.traits.name) != std::string::npos);
  }
}

TEST_CASE("the names of the engines differ and their promises are positive", "[registry]") {
  std::vector<std::string_view> names;
  for (const EngineEntry& entry : engine_table()) {
    names.push_back(entry.traits.name);
    CHECK(entry.traits.error_f32 > 0);
    CHECK(entry.traits.error_f64 < entry.traits.error_f32);
    CHECK_FALSE(entry.traits.summary.empty());
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
