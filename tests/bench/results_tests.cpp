#include "bench/results/results.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure/engine_measurement.hpp"
#include "bench/results/json_records.hpp"
#include "engines/registry/registry.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;
using test::says;
using test::thrown_error;

namespace {

Result measured() {
  Result r;
  r.experiment = "paper";
  r.method = "span";
  r.device = "cpu";
  r.cloud = "five-gaussians";
  r.samples = 100000;
  r.cells = 50;
  r.h = 1;
  r.kernel = "epanechnikov";
  r.precision = "f32";
  r.half_extents = {5.25, 4.5, 3.125};
  r.updates = 3.1e7;
  r.evaluated = 4.6e7;
  r.automatic = true;
  r.warmups = 3;
  r.inputs = 3;
  r.seconds = {0.25, 0.125, 0.1};
  r.stages = {{"sort", 0.025, 1.2e6, {}, ""}, {"accumulate", 0.075, 5e5, 3.1e7, "fma"}};
  r.policy = "2 threads, \"slices\"";
  r.error = 3e-7;
  return r;
}

RunRecord example() {
  RunRecord run;
  run.machine = {"A CPU", 2, 1.6e10, "none", "none", "none", 0, "g++ 12", "-O3", "0.1.0", "abc"};
  run.date = "2026-01-31T12:00:00Z";
  run.command_line = "skde-bench paper";
  run.ceilings = {{"cpu", "copy", 1e10, "B"}};
  run.overheads = {{"span", 2e-5}};
  Result skipped = measured();
  skipped.method = "naive";
  skipped.status = Status::skipped;
  skipped.reason = "predicted 400 s, more than --max-seconds 60";
  skipped.seconds.clear();
  skipped.stages.clear();
  skipped.error.reset();
  run.results = {measured(), skipped};
  return run;
}

/// Returns the error from parsing the example's JSON after one change.
template <class Change>
Error message_after(Change change) {
  auto json = nlohmann::json::parse(results_json(example()));
  change(json);
  return thrown_error([&] { parse_results(json.dump(), "old.json"); });
}

}  // namespace

TEST_CASE("results come back from JSON as they were") {
  const RunRecord run = example();
  const RunRecord back = parse_results(results_json(run), "run.json");
  CHECK(results_json(back) == results_json(run));
  CHECK(back.machine.cores == 2);
  CHECK(back.results[0].samples == 100000);
  CHECK(back.results[0].half_extents == run.results[0].half_extents);
  CHECK(back.results[0].seconds == run.results[0].seconds);
  CHECK(back.results[0].stages[1].operations == 3.1e7);
  CHECK(back.results[0].error == 3e-7);
  CHECK(back.results[1].status == Status::skipped);
  CHECK_FALSE(back.results[1].error);
}

TEST_CASE("a broken results file is told by file and field") {
  test::check_thrown(ErrorKind::input, {"old.json: is not valid JSON"},
                     [] { parse_results("{\"format\": ", "old.json"); });
  CHECK(says(thrown_error([] { parse_results("[]", "old.json"); }),
             "old.json: must be a JSON object"));
  CHECK(says(thrown_error([] { read_results("/no/such.json"); }), "/no/such.json: cannot be read"));
  CHECK(says(message_after([](auto& j) { j["format"] = "skde-bench 9"; }), "'format' must be"));
  CHECK(
      says(message_after([](auto& j) { j["machine"].erase("cpu"); }), "'machine.cpu' is missing"));
  CHECK(says(message_after([](auto& j) { j["results"][1]["sampels"] = 1; }),
             "'results[1].sampels' is not a known key"));
  CHECK(says(message_after([](auto& j) { j["results"][0]["samples"] = -1; }),
             "'results[0].samples' must be an integer"));
  CHECK(says(message_after([](auto& j) { j["results"][0]["warmups"] = 3'000'000'000; }),
             "'results[0].warmups' must be an integer"));
  CHECK(says(message_after([](auto& j) { j["results"][0]["seconds"][1] = "1"; }),
             "'results[0].seconds' must be a number"));
  CHECK(says(message_after([](auto& j) { j["results"][0]["stages"][1]["seconds"] = nullptr; }),
             "'results[0].stages[1].seconds' must be a number"));
  CHECK(says(message_after([](auto& j) { j["results"][0]["status"] = "fine"; }),
             "'results[0].status' cannot be 'fine'"));
  CHECK(says(message_after([](auto& j) {
               j["results"][0]["half_extents"] = {1, 2};
             }),
             "half_extents' must be an array of 3"));
  CHECK(says(message_after([](auto& j) { j["results"] = 3; }), "'results' must be an array"));
  CHECK(says(message_after([](auto& j) { j["cancelled"] = 0; }),
             "'cancelled' must be true or false"));
}

TEST_CASE("only what went well has times") {
  CHECK(says(message_after([](auto& j) { j["results"][0]["status"] = "wrong"; }),
             "has times although the status is wrong"));
  CHECK(says(message_after([](auto& j) { j["results"][1]["status"] = "ok"; }),
             "is empty although the status is ok"));
}

TEST_CASE("an inexact peer has times and an error") {
  RunRecord run = example();
  run.results[0].status = Status::inexact;
  run.results[0].reason = "off the density by 0.07 of the peak";
  run.results[0].error = 0.07;
  CHECK(results_json(parse_results(results_json(run), "run.json")) == results_json(run));
  CHECK(results_csv(run).find(",inexact,off the density by 0.07 of the peak,0.1,0.1125,0.125,"
                              "0.1875,0.07,0.25;0.125;0.1,") != std::string::npos);
  const std::string row = result_row(run.results[0]);
  CHECK(row.find("100 ms") != row.npos);
  CHECK(row.ends_with("7.0e-02  inexact\n"));
  CHECK(says(message_after([](auto& j) { j["results"][1]["status"] = "inexact"; }),
             "is empty although the status is inexact"));
  CHECK(says(message_after([](auto& j) {
               j["results"][0]["status"] = "inexact";
               j["results"][0].erase("error");
             }),
             "'results[0].error' is missing although the status is inexact"));
}

TEST_CASE("a fit has members, bytes and its own errors, where others have none") {
  RunRecord run = example();
  CHECK(results_json(run).find("members") == std::string::npos);
  Result& fit = run.results[0];
  fit.members = 64;
  fit.bytes = 2560;
  fit.relative_error = 0.018;
  fit.psnr = 61.5;
  fit.steps = 2000;
  const RunRecord back = parse_results(results_json(run), "run.json");
  CHECK(results_json(back) == results_json(run));
  CHECK(back.results[0].relative_error == 0.018);
  CHECK_FALSE(back.results[1].members);
  CHECK(results_csv(run).find(",64,2560,0.018,61.5,2000\n") != std::string::npos);
  const std::string row = result_row(fit);
  CHECK(row.find("span K=64") != std::string::npos);
  CHECK(row.ends_with("L2 1.8 %\n"));
}

TEST_CASE("the CSV has a row a result under as many headings") {
  const std::string csv = results_csv(example());
  CHECK(csv.find("paper,span,cpu,five-gaussians,100000,50,1,epanechnikov,f32,0,,0,5.25,4.5,3.125,"
                 "31000000,46000000,ok,,0.1,0.1125,0.125,0.1875,3e-07,0.25;0.125;0.1,"
                 "sort=0.025;accumulate=0.075,3,3,\"2 threads, \"\"slices\"\"\",,,,,\n") !=
        std::string::npos);
  CHECK(csv.find("skipped,\"predicted 400 s, more than --max-seconds 60\",,,,,,,,3,3,") !=
        std::string::npos);
  const std::string header = csv.substr(0, csv.find('\n'));
  CHECK(std::count(header.begin(), header.end(), ',') == 33);
}

namespace skde::bench {
namespace {

enum class Mood { calm, cross };

struct Leaf {
  std::string name;
  std::optional<double> size;
};

struct Tree {
  std::uint64_t rings = 0;
  int age = 0;
  double height = 0;
  bool green = false;
  Mood mood = Mood::calm;
  std::array<double, 3> place{};
  std::vector<double> widths;
  std::vector<Leaf> leaves;
  Leaf crown;
};

constexpr std::array<std::string_view, 2> kMoods{"calm", "cross"};
[[maybe_unused]] const auto& names_of(Mood) { return kMoods; }

void each_field(auto& visit, SameRecord<Leaf> auto& leaf) {
  visit.may_lack("name", leaf.name);
  visit("size", leaf.size);
}

void each_field(auto& visit, SameRecord<Tree> auto& t) {
  visit("rings", t.rings)("age", t.age)("height", t.height)("green", t.green)("mood", t.mood);
  visit("place", t.place)("widths", t.widths)("leaves", t.leaves)("crown", t.crown);
}

void check_record(const JsonObject& object, const Tree& tree) {
  if (tree.leaves.empty()) object.fail("leaves", "has fallen");
}

const std::string kText =
    R"({"rings":18446744073709551,"age":4,"height":2.5,"green":true,"mood":"cross",)"
    R"("place":[1.0,2.0,3.0],"widths":[0.5],"leaves":[{"name":"a"},{"size":4.0}],"crown":{}})";

Tree tree_of(const std::string& text) {
  const auto json = io::parse_json(text, "tree.json");
  Tree tree;
  RecordReader::read(JsonObject(json, "tree.json"), tree);
  return tree;
}

/// Returns the message for the text with `part` replaced.
std::string message(const std::string& part, const std::string& now) {
  std::string text = kText;
  text.replace(text.find(part), part.size(), now);
  const Error error = test::thrown_error([&] { tree_of(text); });
  CHECK(error.kind() == ErrorKind::input);
  return error.what();
}

}  // namespace

TEST_CASE("a record comes back from JSON as it was") {
  const Tree tree = tree_of(kText);
  CHECK(tree.rings == 18446744073709551);
  CHECK(tree.mood == Mood::cross);
  CHECK(tree.place == std::array<double, 3>{1, 2, 3});
  REQUIRE(tree.leaves.size() == 2);
  CHECK(tree.leaves[0].name == "a");
  CHECK_FALSE(tree.leaves[0].size);
  CHECK(tree.leaves[1].size == 4);
  CHECK(RecordWriter::written(tree).dump() == kText);
}

TEST_CASE("what a record cannot be is told by file and field") {
  CHECK(message("\"height\":2.5,", "") == "tree.json: 'height' is missing");
  CHECK(message("\"age\":4", "\"age\":4,\"agee\":1").find("'agee' is not a known key") !=
        std::string::npos);
  CHECK(message("2.5", "-2.5").find("'height' must be a number of at least 0") !=
        std::string::npos);
  CHECK(message("2.5", "\"2\"").find("'height' must be a number") != std::string::npos);
  CHECK(message("4,", "3000000000,").find("'age' must be an integer") != std::string::npos);
  CHECK(message("18446744073709551", "1.5").find("'rings' must be an integer") !=
        std::string::npos);
  CHECK(message("cross", "crosss").find("'mood' cannot be 'crosss'; did you mean 'cross'") !=
        std::string::npos);
  CHECK(message("[1.0,2.0,3.0]", "[1,2]").find("'place' must be an array of 3") !=
        std::string::npos);
  CHECK(message("[0.5]", "[0.5,-1]").find("'widths' must be numbers of at least 0") !=
        std::string::npos);
  CHECK(message("[0.5]", "0.5").find("'widths' must be an array") != std::string::npos);
  CHECK(message("4.0", "true").find("'leaves[1].size' must be a number") != std::string::npos);
  CHECK(message("{\"name\":\"a\"}", "3").find("'leaves[0]' must be an object") !=
        std::string::npos);
  CHECK(message("{}}", "{\"nam\":\"b\"}}").find("'crown.nam' is not a known key") !=
        std::string::npos);
  CHECK(message("[{\"name\":\"a\"},{\"size\":4.0}]", "[]") == "tree.json: 'leaves' has fallen");
  CHECK(message("true", "1").find("'green' must be true or false") != std::string::npos);
}

}  // namespace skde::bench

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
