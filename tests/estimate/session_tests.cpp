#include "engines/registry/registry.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_setup.hpp"

#include <cmath>
#include <limits>

#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/slice_sink.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using test::cube_request;
using test::gaussian_cloud;
using test::says;
using test::silent;
using test::thrown_error;

/// Computes the density step by step: moments, bandwidth, grid, engine, normalisation.
Volume by_hand(const Samples& cloud, const DensityRequest& request, const std::string& engine) {
  const Moments moments = compute_moments(cloud.view());
  Problem problem;
  problem.kernel = {request.kernel, select_bandwidth(moments, request.bandwidth, request.kernel).H};
  problem.target = make_grid(request.grid, moments.bounds(), problem.kernel.half_extents());
  problem.total_weight = moments.total_weight();
  problem.precision = request.precision;
  const auto maker = make_engine(engine, request.options);
  const auto samples = maker->load(cloud.view());
  const auto run = maker->begin(problem);
  run->add(*samples, silent);
  run->finish(silent);
  Volume volume = run->take_values()->take_volume();
  if (request.normalization == Normalization::box)
    volume.scale(1 / (mass_in_box(problem.kernel, problem.grid().bounds(), cloud.view()).weight /
                      problem.total_weight));
  if (request.normalization == Normalization::count) volume.scale(moments.total_weight());
  return volume;
}

/// Checks that the density of the session equals the one of by_hand() in every bit.
void check_same(Session& session, const Samples& cloud, const DensityRequest& request) {
  Density density = session.compute(request);
  CHECK(density.facts().engine == (request.engine.empty() ? "span" : request.engine));
  CHECK(density.facts().device == Device::cpu);
  CHECK(density.facts().moments.count() == cloud.size());
  CHECK(density.metadata.H == density.facts().kernel.H);
  CHECK(density.metadata.engine == density.facts().engine);
  CHECK(density.metadata.mass_in_box == density.facts().mass_in_box);
  CHECK_FALSE(density.facts().launch_policy.empty());
  const Volume values = density.take_volume();
  const Volume expected = by_hand(cloud, request, density.facts().engine);
  CHECK(values.grid() == expected.grid());
  CHECK(test::same_bits(values, expected));
  CHECK(density.facts().peak == Approx(values.maximum()).epsilon(1e-6));
}

/// Records the stages in order, and whether progress ever went back.
class NotedStages final : public Progress {
 public:
  void begin(std::string_view stage, std::uint64_t, std::string_view) override {
    names.emplace_back(stage);
    done_ = 0;
  }
  void update(std::uint64_t done) override {
    went_back = went_back || done < done_;
    done_ = done;
  }
  bool cancelled() const override { return false; }

  std::vector<std::string> names{};
  bool went_back = false;

 private:
  std::uint64_t done_ = 0;
};

/// Keeps all slices.
class KeptSlices final : public SliceSink {
 public:
  void begin(const DensityFacts& facts) override {
    volume = Volume(facts.grid, facts.precision);
    ++begun;
  }
  void expect(const Grid& grid, Precision) override {
    CHECK(begun == 0);
    expected = grid.cells();
  }
  void take(std::int64_t z, const Volume& slices, Progress& progress) override {
    CHECK(z == next);
    progress.begin("taking", 1, "slabs");
    progress.update(1);
    for (std::int64_t k = 0; k < slices.grid().dims[2]; ++k, ++next) {
      const auto slice = slices.grid().dims[0] * slices.grid().dims[1];
      if (slices.precision() == Precision::f32)
        std::ranges::copy(slices.values<float>().subspan(k * slice, slice),
                          volume.values<float>().begin() + next * slice);
      else
        std::ranges::copy(slices.values<double>().subspan(k * slice, slice),
                          volume.values<double>().begin() + next * slice);
    }
    ++slabs;
  }
  void finish(const DensityFacts& facts, Progress&) override { last = facts.mass_in_box; }

  Volume volume;
  std::int64_t next = 0, expected = 0;
  int begun = 0, slabs = 0;
  double last = 0;
};

}  // namespace

TEST_CASE("a session computes what its steps by hand compute", "[session]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = gaussian_cloud(3000, weighted);
    Session session = test::session_with(cloud);
    for (const char* engine : {"span", "naive", ""}) {
      CAPTURE(weighted, engine);
      check_same(session, cloud, cube_request(20, 0.5, engine));
    }
    for (const Normalization normalization :
         {Normalization::density, Normalization::box, Normalization::count}) {
      DensityRequest request = cube_request(24, 0.8);
      request.normalization = normalization;
      request.precision = Precision::f64;
      request.kernel = KernelFunction::triweight;
      check_same(session, cloud, request);
    }
    DensityRequest automatic{.bandwidth = {.bandwidth = BandwidthRule::silverman},
                             .grid = {.dims = {{32, 0, 0}}},
                             .device = Device::cpu};
    check_same(session, cloud, automatic);
  }
}

TEST_CASE("what streams slab by slab is what is computed as a whole", "[session]") {
  const Samples cloud = gaussian_cloud(3000, true);
  DensityRequest request = cube_request(64, 0.4);
  request.grid.dims = {512, 512, 64};  // 64 MiB
  for (const Normalization normalization :
       {Normalization::density, Normalization::box, Normalization::count}) {
    request.normalization = normalization;
    Session roomy = test::session_with(cloud);
    Density whole = roomy.compute(request);
    KeptSlices one, many;
    roomy.stream(request, one, silent);
    CHECK(one.slabs == 1);
    SessionOptions tight;
    tight.memory_limit = kProgramBytes + (std::int64_t{40} << 20);
    Session session(tight);
    session.open(cloud);
    NotedStages stages;
    const DensityFacts facts = session.stream(request, many, stages);
    CHECK(one.expected == many.expected);
    CHECK(many.expected == 512 * 512 * 64);
    CHECK_FALSE(stages.went_back);
    CHECK(std::ranges::count(stages.names, "taking") == 0);  // it is part of the stage of the sums
    CHECK(many.slabs > 1);
    CHECK(many.slabs == facts.memory.slabs);
    CHECK(many.begun == 1);
    CHECK(many.next == 64);
    CHECK(many.last == Approx(whole.facts().mass_in_box).epsilon(1e-9));
    CHECK(facts.peak == Approx(whole.facts().peak).epsilon(1e-6));
    const Volume values = whole.take_volume();
    CHECK(test::same_bits(one.volume, values));
    CHECK(test::relative_distance(many.volume, values) < 4e-5);
  }
}

TEST_CASE("a session uses its buffers again, and never one that is held", "[session]") {
  Session session = test::session_with(gaussian_cloud(500));
  Density held = session.compute(cube_request(16, 1));
  std::size_t made = held.facts().buffers_made;
  const double sum = held.values()->totals().sum;
  for (int i = 0; i < 100; ++i) {
    const Density next = session.compute(cube_request(16, 0.2 + 0.005 * i));
    CHECK(next.values()->totals().sum != sum);
    made += next.facts().buffers_made;
  }
  CHECK(made == 2);
  CHECK(held.values()->totals().sum == sum);
  held = session.compute(cube_request(16, 1));  // the same values in the other buffer
  CHECK(held.values()->totals().sum == sum);
  CHECK(held.facts().buffers_made == 0);
  held = session.compute(cube_request(17, 1));
  CHECK(held.facts().buffers_made == 1);
}

TEST_CASE("values outlive their session and their engine", "[session]") {
  Density density;
  {
    Session session = test::session_with(gaussian_cloud(500));
    density = session.compute(cube_request(16, 1));
    session.compute(cube_request(16, 1, "openmp"));
    session.open(gaussian_cloud(600));
    session.compute(cube_request(16, 1));
  }
  CHECK(density.values()->totals().sum * density.grid().cell_volume() ==
        Approx(density.facts().sum_in_box));
}

TEST_CASE("samples of someone else are used where they are", "[session]") {
  const Samples cloud = gaussian_cloud(800);
  Session session = test::session_with(cloud.view());
  CHECK(session.cloud()->points.xyz.data() == cloud.xyz.data());
  check_same(session, cloud, cube_request(20, 0.5));
  auto kept = std::make_shared<const Samples>(gaussian_cloud(300));
  const std::weak_ptr<const Samples> watch = kept;
  session.open(kept->view(), kept);
  kept.reset();
  CHECK(session.compute(cube_request(8, 1)).facts().moments.count() == 300);
  CHECK_FALSE(watch.expired());
  session.open(gaussian_cloud(10));
  CHECK(watch.expired());
}

TEST_CASE("arrays in, values out", "[session]") {
  const Samples cloud = gaussian_cloud(200, true);
  Session session = test::session_with(cloud.xyz, cloud.weights);
  Density density =
      session.compute({.bandwidth = {.bandwidth = 0.7}, .grid = {.dims = {{16, 16, 16}}}});
  const Volume& volume = density.volume();
  CHECK(&density.volume() == &volume);
  CHECK(density.grid().dims == std::array<std::int64_t, 3>{16, 16, 16});
  CHECK(density.at(density.grid().centre(7, 8, 9)) == volume.at(7, 8, 9));
  CHECK(volume.maximum() > 0);
  const double total = volume.sum();
  CHECK(density.take_volume().sum() == total);
  session.open(cloud.xyz);
  CHECK(session.cloud()->moments.total_weight() == 200);
}

TEST_CASE("arrays that are no samples are refused", "[session]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> two{0, 0, 0, 1, 2, 3};
  Session session = test::session_with(two);
  const auto refusal = [&](const Samples& cloud) {
    return thrown_error([&] { session.open(cloud); });
  };
  CHECK(refusal({{1, 2, 3, 4}}).parameter() == "xyz");
  CHECK(says(refusal({{1, 2, 3, 4, nan, 6}}),
             "sample 1 (from 0) must have finite coordinates; got y = nan"));
  CHECK(says(refusal({{infinity, 2, 3}}),
             "sample 0 (from 0) must have finite coordinates; got x = inf"));
  CHECK(refusal({two, {1}}).parameter() == "weights");
  CHECK(says(refusal({two, {1, -1}}),
             "must be finite and at least 0 without `signed_weights`; got -1"));
  CHECK(says(refusal({two, {1, nan}}),
             "must be finite and at least 0 without `signed_weights`; got nan"));
  CHECK(says(refusal({two, {}, {1, 0}}), "must be finite and above 0; got 0"));
  const std::vector<double> round{1, 0, 0, 1, 0, 1, 2, 0, 0, 2, 0, 2};
  CHECK(says(refusal({two, {}, {1, 1}, round}), "widths and shapes"));
  CHECK(says(refusal({two, {}, {}, {1, 0, 0, 1, 0, 1}}), "expected 6 values"));
  CHECK(says(refusal({two, {}, {}, {1, 0, 0, 1, 0, 1, 1, 2, 0, 1, 0, 1}}),
             "the shape of sample 1 (from 0) is not a covariance"));
  CHECK(session.cloud()->points.size() == 2);
}

TEST_CASE("widths of samples go to an engine that serves them", "[session]") {
  Samples cloud = gaussian_cloud(400);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.bandwidth_factors.push_back(0.5 + 0.001 * static_cast<double>(i));
  Session session = test::session_with(cloud);
  DensityRequest request = cube_request(24, 1, "");
  request.min_width = 0;  // as in by_hand()
  Density shaped = session.compute(request);
  CHECK(shaped.facts().engine != "span");
  CHECK(test::relative_distance(shaped.take_volume(),
                                by_hand(cloud, cube_request(24, 1), "naive")) < 4e-5);
  CHECK(thrown_error([&] { session.compute(cube_request(24, 1)); }).kind() ==
        ErrorKind::unsupported);
}

TEST_CASE("a volume is a density already", "[session]") {
  const test::TemporaryFolder folder;
  Density density = test::session_with(gaussian_cloud(400)).compute(cube_request(12, 1));
  DensityMetadata metadata = density.metadata;
  metadata.units = std::string(1, 'm');  // g++ 12 warns about a literal
  const Volume volume = density.take_volume();
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    CAPTURE(format.name);
    const std::string path = folder.path(std::string("density").append(format.extension));
    format.write(path, volume, metadata);
    Session session;
    session.open({{path}, {}, io::NonFinite::drop}, silent);
    CHECK(!session.cloud());
    for (int again = 0; again < 2; ++again) {
      Density viewed = session.compute({});
      CHECK(viewed.facts().peak == volume.maximum());
      CHECK(test::same_bits(viewed.take_volume(), volume));
      CHECK(viewed.metadata.units == "m");
      CHECK(viewed.kernel().H == metadata.H);
    }
    const CloudFiles two{{path, path}, {}, io::NonFinite::drop};
    CHECK(says(thrown_error([&] { session.open(two, silent); }), "open it alone"));
    KeptSlices sink;
    CHECK(
        says(thrown_error([&] { session.stream(DensityRequest{}, sink, silent); }), "is a volume"));
  }
}

TEST_CASE("a density is written as a file that a session opens", "[session]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("density.vti");
  Density density = test::session_with(gaussian_cloud(400)).compute(cube_request(12, 1));
  density.write(path);
  CHECK(thrown_error([&] { density.write(folder.path("density.docx")); }).kind() ==
        ErrorKind::usage);
  Session session;
  session.open({{path}, {}, io::NonFinite::drop}, silent);
  Density again = session.compute();
  CHECK(again.grid() == density.grid());
  CHECK(again.metadata.H == density.metadata.H);
  CHECK(test::same_bits(again.volume(), density.volume()));
}

TEST_CASE("what was open stays open where opening fails", "[session]") {
  const test::TemporaryFolder folder;
  Session session;
  CHECK(says(thrown_error([&] { session.compute({}); }), "no samples"));
  const CloudFiles good = test::text_file(folder.path("good.xyz"), gaussian_cloud(100).view());
  session.open(good, silent);
  CHECK(session.cloud()->counts.samples() == 100);
  const CloudFiles bad{{folder.path("none.xyz")}, {}, io::NonFinite::drop};
  CHECK(thrown_error([&] { session.open(bad, silent); }).kind() == ErrorKind::input);
  CHECK(session.is_open(good));
  CHECK(!session.is_open(bad));
  CHECK(session.compute(cube_request(8, 1)).facts().moments.count() == 100);
}

TEST_CASE("an engine that does not fit into memory leaves the choice to the next", "[session]") {
  DensityRequest request = cube_request(32, 2, "");
  request.grid.dims = {{8, 500000, 8}};
  request.options.threads = 2;
  const auto session = [](std::int64_t limit) {
    Session made({.memory_limit = limit});
    made.open(gaussian_cloud(20));
    return made;
  };
  Session roomy = session(std::int64_t{2} << 30), narrow = session(std::int64_t{300} << 20);
  Density fast = roomy.compute(request);
  CHECK(fast.facts().engine == "span");
  CHECK(fast.facts().rejected.empty());
  Density other = narrow.compute(request);
  CHECK(other.facts().engine != "span");
  REQUIRE(!other.facts().rejected.empty());
  CHECK(other.facts().rejected[0].engine == "span");
  CHECK_THAT(other.facts().rejected[0].why,
             Catch::Matchers::ContainsSubstring("may use only 300.00 MiB"));
  CHECK(test::relative_distance(fast.volume(), other.volume()) < 4e-5);
  CHECK(narrow.plan(request, silent).engine == other.facts().engine);
  // An engine requested by name is not replaced. If no engine fits, the error names the fastest.
  request.engine = "span";
  CHECK(thrown_error([&] { narrow.compute(request); }).parameter() == "memory_limit");
  request.engine = "";
  Session none = session(std::int64_t{180} << 20);
  CHECK(thrown_error([&] { none.compute(request); }).kind() == ErrorKind::resources);
}

TEST_CASE("suggested bandwidths are those of the rules where these can be used") {
  const Moments moments = compute_moments(gaussian_cloud(1000).view());
  BandwidthSpec spec{.bandwidth = 3.0};
  const BandwidthSuggestions found = suggest_bandwidths(moments, spec, KernelFunction::biweight);
  CHECK(*found.scott == Approx(KernelFunction::biweight->scott * std::pow(1000, -1.0 / 7)));
  CHECK(*found.silverman == Approx(*found.scott * std::pow(4.0 / 5, 1.0 / 7)));
  CHECK(*found.normal_scale == Approx(*found.silverman * std::sqrt(1000.0 / 999)).epsilon(1e-12));
  CHECK(*found.normal_scott == Approx(*found.scott * std::sqrt(1000.0 / 999)).epsilon(1e-12));

  Samples flat = gaussian_cloud(100);
  for (std::size_t i = 2; i < flat.xyz.size(); i += 3) flat.xyz[i] = 1;
  const Moments thin = compute_moments(flat.view());
  CHECK(!suggest_bandwidths(thin, spec, KernelFunction::uniform).silverman);
  spec.form = CovarianceForm::iso;
  CHECK(*suggest_bandwidths(thin, spec, KernelFunction::uniform).silverman > 0);
}
