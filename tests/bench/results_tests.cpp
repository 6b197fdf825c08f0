#include "bench/results/results.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/results/result_rows.hpp"
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
  const Error no_json = thrown_error([] { parse_results("{\"format\": ", "old.json"); });
  CHECK(no_json.kind() == ErrorKind::input);
  CHECK(says(no_json, "old.json: is not valid JSON"));
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
