#include "bench/measure/stage_records.hpp"
#include "bench/results/result_rows.hpp"

#include "engines/registry/registry.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::bench;

namespace {

BenchmarkInput input_of_1000_on_20() {
  BenchmarkCase wanted;
  wanted.samples = 1000;
  wanted.cells = 20;
  return make_input(wanted);
}

StageRecord accumulate_of(const char* engine, const BenchmarkInput& input) {
  return stage_records(1, {{"accumulate", 1}}, *engine_entry(engine).create({}), input,
                       Precision::f32)
      .front();
}

}  // namespace

TEST_CASE("what a run takes besides its stages is the rest and zeroes the volume") {
  const BenchmarkInput input = input_of_1000_on_20();
  const auto stages = stage_records(2, {{"sort", 0.5}, {"accumulate", 1}}, *make_engine("span", {}),
                                    input, Precision::f64);
  REQUIRE(stages.size() == 3);
  CHECK(stages[0].stage == "sort");
  CHECK(stages[0].seconds == 0.5);
  CHECK(stages[2].stage == kRestStage);
  CHECK(stages[2].seconds == Approx(0.5));
  CHECK(stages[2].bytes == 8.0 * 20 * 20 * 20);
  CHECK_FALSE(stages[2].operations);
}

TEST_CASE("operations are counted from the work of the case") {
  const BenchmarkInput input = input_of_1000_on_20();
  CHECK(accumulate_of("naive", input).operations == 8.0 * 1000 * 8000);
  CHECK(accumulate_of("naive", input).bytes == 24.0 * 1000 + 2 * 4 * 8000);
  CHECK(accumulate_of("span", input).operations == 3 * input.work.updates);
  CHECK(accumulate_of("openmp", input).operations == 8 * input.work.evaluated);
  if (engine_entry("cuda-span").create({})) {  // this build has the CUDA engines
    const StageRecord atomics = accumulate_of("cuda-chop-crop", input);
    CHECK(atomics.operations == input.work.updates);
    CHECK(atomics.ceiling == kAtomicsCeiling);
    CHECK(accumulate_of("cuda-span", input).operations == 45 * input.work.rows);
  }
  CHECK(input.work.rows > input.work.slices);
  CHECK(input.work.updates > input.work.rows);
}

TEST_CASE("a stage that the model does not know has times alone") {
  const BenchmarkInput input = input_of_1000_on_20();
  const auto stages =
      stage_records(1, {{"ponder", 0.25}}, *make_engine("span", {}), input, Precision::f32);
  CHECK(stages[0].seconds == 0.25);
  CHECK_FALSE(stages[0].bytes);
  CHECK_FALSE(stages[0].operations);
}

TEST_CASE("shares of ceilings are of the nearest one that the device has") {
  const StageRecord stage{"accumulate", 2, 4e9, 3e10, "fma"};
  const std::vector<Ceiling> ceilings{
      {"cpu", "copy", 1e10, "B"}, {"cpu", "fma", 3e10, "operations"}, {"cuda", "copy", 1e9, "B"}};
  const CeilingShare cpu = ceiling_share(stage, "cpu", ceilings);
  CHECK(cpu.ceiling == "fma");
  CHECK(cpu.share == Approx(0.5));
  const CeilingShare gpu = ceiling_share(stage, "cuda", ceilings);
  CHECK(gpu.ceiling == "copy");
  CHECK(gpu.share == Approx(2));
  CHECK(ceiling_share({"rest", 1, {}, {}, ""}, "cpu", ceilings).share == 0);
}
