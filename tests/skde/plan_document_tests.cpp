#include <algorithm>
#include <cmath>

#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"
#include "estimate/session.hpp"
#include "support/cases/random_request.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"

using namespace skde;
using cli::document_json;
using cli::PlanShown;
using Json = nlohmann::ordered_json;

namespace {

PlanShown read_back(const Json& document) {
  return cli::read_as<PlanShown>(Json::parse(document.dump()));
}

}  // namespace

TEST_CASE("a plan comes back from its document", "[plan]") {
  std::mt19937 random(29);
  test::Choice choose(random);
  Session session = test::session_with(test::gaussian_cloud(500));
  int planned = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    DensityRequest request = test::random_request(choose);
    if (request.has_pilot())  // which linear faces do not go with
      std::ranges::replace(request.boundaries, Boundary::linear, Boundary::reflect);
    request.engine.clear();
    request.options = {.threads = 1};
    request.min_width = 0;
    request.keep_negatives = false;
    if (request.grid.dims || request.like) request.grid.spacing.reset();
    if (request.like) request.grid = {};
    DensityPlan plan;
    try {
      plan = session.plan(request, test::silent);
    } catch (const Error&) {
      continue;
    }
    ++planned;
    refused += plan.obstacle ? 1 : 0;
    const Json document = document_json(PlanShown{plan, {"a.csv", "b.csv"}});
    const PlanShown back = read_back(document);
    CHECK(document_json(back).dump() == document.dump());
    CHECK(back.inputs == std::vector<std::string>{"a.csv", "b.csv"});
    CHECK(back.counts == plan.counts);
    CHECK(back.columns == plan.columns);
    CHECK(back.kernel == plan.kernel);
    CHECK(back.bandwidth.H == plan.bandwidth.H);
    CHECK(back.grid == plan.grid);
    CHECK(back.precision == plan.precision);
    CHECK(back.boundaries == plan.boundaries);
    CHECK(back.engine == plan.engine);
    CHECK(back.error_bound == plan.error_bound);
    CHECK(back.rejected == plan.rejected);
    CHECK(back.memory.host_bytes == plan.memory.host_bytes);
    CHECK(back.forecast == plan.forecast);
    CHECK(back.obstacle.has_value() == plan.obstacle.has_value());
    REQUIRE(back.offers.size() == plan.offers.size());
    for (std::size_t k = 0; k < plan.offers.size(); ++k) {
      CHECK(back.offers[k].entry == plan.offers[k].entry);
      CHECK(back.offers[k].offer.serves() == plan.offers[k].offer.serves());
      const OfferTimes &read = back.offers[k].offer.seconds, &told = plan.offers[k].offer.seconds;
      if (!plan.offers[k].offer.serves()) continue;
      CHECK(read.start == told.start);
      CHECK(read.upload == told.upload);
      CHECK((read.run == told.run || std::isnan(told.run)));  // of which JSON has none
      CHECK(read.download == told.download);
    }
  }
  CHECK(planned > 80);
  CHECK(refused > 0);
}

TEST_CASE("JSON that is no plan is refused", "[plan]") {
  Session session = test::session_with(test::gaussian_cloud(50));
  const Json document =
      document_json(PlanShown{session.plan(test::cube_request(8, 0.5, ""), test::silent), {"a"}});
  for (const char* const name : {"grid", "forecast", "offers", "boundary", "kernel"}) {
    Json without = document, other = document;
    without.erase(name);
    other[name] = "other";
    CHECK_THROWS_AS(read_back(without), std::exception);
    CHECK_THROWS_AS(read_back(other), std::exception);
  }
}
