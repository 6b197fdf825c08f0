#include "bench/measure/engine_measurement.hpp"

#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;

namespace {

BenchmarkCase small_case() {
  BenchmarkCase wanted;
  wanted.samples = 2000;
  wanted.cells = 16;
  return wanted;
}

Result measured(const std::string& engine, const MeasurementSettings& settings,
                const BenchmarkCase& wanted = small_case()) {
  const BenchmarkInput input = make_input(wanted);
  CaseCheck check(input, 50);
  return measure_engine(engine, input, "test", settings, check, test::silent);
}

class Stopped final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return true; }
};

}  // namespace

TEST_CASE("a measured engine has a time a repetition, stages that add up, and its error") {
  MeasurementSettings settings;
  settings.repetitions = 4;
  for (const std::string engine : {"openmp", "span"}) {
    INFO(engine);
    const Result r = measured(engine, settings);
    REQUIRE(r.status == Status::ok);
    CHECK(r.reason.empty());
    CHECK(r.method == engine);
    CHECK(r.device == "cpu");
    CHECK(r.seconds.size() == 4);
    CHECK(r.inputs == 3);
    CHECK(r.automatic == (engine == "span"));
    CHECK(r.updates > 0);
    CHECK(r.evaluated > r.updates);
    REQUIRE(r.error);
    CHECK(*r.error < 2e-5);
    double stages = 0, fastest = r.seconds.front();
    for (const StageRecord& stage : r.stages) stages += stage.seconds;
    for (const double seconds : r.seconds) fastest = std::min(fastest, seconds);
    CHECK(stages == Approx(fastest));
    CHECK(r.stages.back().stage == kRestStage);
  }
}

TEST_CASE("what would take too long is skipped with that reason") {
  MeasurementSettings settings;
  settings.max_seconds = 1e-9;
  const Result r = measured("span", settings);
  CHECK(r.status == Status::skipped);
  CHECK(r.reason.find("--max-seconds 1e-09") != std::string::npos);
  CHECK(r.seconds.empty());
  CHECK(r.stages.empty());
  settings.max_seconds = 0.05;
  BenchmarkCase large = small_case();
  large.samples = 20000;
  large.cells = 100;  // 2e10 evaluations
  const Result naive = measured("naive", settings, large);
  CHECK(naive.status == Status::skipped);
  CHECK(naive.reason.find("--max-seconds 0.05") != std::string::npos);
}

TEST_CASE("an engine that is not there is a row with its reason") {
  const Result r = measured("spam", {});
  CHECK(r.status == Status::failed);
  CHECK(r.reason.find("did you mean 'span'") != std::string::npos);
}

TEST_CASE("a user who stops ends the measurement") {
  const BenchmarkInput input = make_input(small_case());
  CaseCheck check(input, 10);
  Stopped progress;
  const Error error =
      test::thrown_error([&] { measure_engine("span", input, "test", {}, check, progress); });
  CHECK(error.kind() == ErrorKind::cancelled);
}

TEST_CASE("weighted samples and all kernels are measured as right") {
  for (const KernelFunction kernel : kKernelFunctions) {
    BenchmarkCase wanted = small_case();
    wanted.weighted = true;
    wanted.kernel = kernel;
    INFO(kernel->name);
    const BenchmarkInput input = make_input(wanted);
    CaseCheck check(input, 50);
    for (const std::string engine : {"openmp", "span", "naive", "tile"}) {
      if (engine == "span" && !kernel->degree) continue;
      INFO(engine);
      const Result r = measure_engine(engine, input, "test", {}, check, test::silent);
      CHECK(r.status == Status::ok);
      CHECK(r.reason.empty());
      CHECK(r.weighted);
      CHECK(r.kernel == kernel->name);
    }
  }
}

TEST_CASE("kernels of samples' own are measured as right") {
  for (const CaseWidths widths : {CaseWidths::factors, CaseWidths::splats})
    for (const KernelFunction kernel : kKernelFunctions) {
      BenchmarkCase wanted = small_case();
      wanted.weighted = true;
      wanted.widths = widths;
      wanted.kernel = kernel;
      INFO(kernel->name << ", " << widths_name(widths));
      const BenchmarkInput input = make_input(wanted);
      CaseCheck check(input, 50);
      for (const std::string engine : {"openmp", "naive", "tile"}) {
        INFO(engine);
        const Result r = measure_engine(engine, input, "test", {}, check, test::silent);
        CHECK(r.status == Status::ok);
        CHECK(r.reason.empty());
        CHECK(r.widths == widths_name(widths));
        CHECK(r.error.value_or(1) < 1e-4);
      }
      CHECK(measure_engine("span", input, "test", {}, check, test::silent).status ==
            Status::skipped);
    }
}

TEST_CASE("the clouds of a case are other samples of one distribution") {
  const BenchmarkInput input = make_input(small_case());
  REQUIRE(input.clouds.size() == 3);
  CHECK(input.clouds[0].xyz != input.clouds[1].xyz);
  CHECK(input.clouds[1].xyz != input.clouds[2].xyz);
  const Symmetric3 a = compute_moments(input.clouds[0].view()).covariance(),
                   b = compute_moments(input.clouds[1].view()).covariance();
  CHECK(a.trace() == Approx(b.trace()).epsilon(0.1));
  BenchmarkCase large = small_case();
  large.samples = 100'000'000;
  CHECK(inputs_of(large) == 1);
}
