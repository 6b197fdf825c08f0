#include "cli/options/density_options.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/exit_code.hpp"
#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"
#include "estimate/read/covariance_file.hpp"
#include "estimate/session.hpp"
#include "support/cases/random_request.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::cli;
using Catch::Matchers::ContainsSubstring;
using cli::document_json;
using cli::PlanShown;

namespace {

/// What commands compute, each with flags of its own.
constexpr unsigned kTargets[]{target::kGrid,   target::kPoints, target::kMeans, target::kDraws,
                              target::kSearch, target::kCloud,  target::kErrors};

DensityOptions parse(std::vector<std::string> arguments) {
  DensityOptions options;
  OptionTable table("skde density", "", "");
  add_density_fields(table, options, target::kGrid);
  complete_density_options(table.parse(arguments), options);
  return options;
}

std::string failure(const std::vector<std::string>& arguments) {
  return error_text(test::thrown_error([&] { parse(arguments); }));
}

}  // namespace

TEST_CASE("Each field of a request arrives by its flag, whatever is computed") {
  std::mt19937 random(18);
  test::Choice choose(random);
  for (const unsigned targets : kTargets)
    for (int i = 0; i < 100; ++i) {
      DensityOptions given, found;
      given.request = test::random_request(choose);
      given.request.device.reset();                // set by `engine`
      given.request.bandwidth.covariance.reset();  // read from a file
      given.request.like.reset();                  // read from a file
      if (targets != target::kGrid) given.request.normalization = Normalization::count;
      given.files.columns.coordinates = {"a", "2", "c"};
      given.files.columns.weight = "w";
      given.files.non_finite = io::NonFinite::error;
      given.units = "km";
      OptionTable table("skde", "", "");
      add_density_fields(table, found, targets);
      std::vector<std::string> arguments;
      std::vector<const DensityField*> fields;
      for (const DensityField& field : density_fields())
        if ((field.targets & targets) != 0 && field.set) fields.push_back(&field);
      for (const DensityField* field : fields)
        if (const std::string text = field->print(given); !text.empty())
          arguments.push_back("--" + std::string(field->text.name) +
                              (field->text.value.empty() ? "" : "=" + text));
      table.parse(arguments);
      for (const DensityField* field : fields) {
        INFO(field->text.name);
        CHECK(field->print(found) == field->print(given));
      }
      if (targets == target::kGrid) CHECK(found.request == given.request);
    }
}

TEST_CASE("A wrong value of any field is refused by its flag") {
  std::set<std::string> refused;
  for (const unsigned targets : kTargets)
    for (const DensityField& field : density_fields()) {
      if ((field.targets & targets) == 0 || field.text.value.empty()) continue;
      DensityOptions options;
      OptionTable table("skde", "", "");
      add_density_fields(table, options, targets);
      const std::string flag = "--" + std::string(field.text.name);
      try {
        table.parse(std::vector<std::string>{flag + "=?,;"});
      } catch (const Error& error) {
        INFO(flag);
        CHECK(error.kind() == ErrorKind::usage);
        CHECK_THAT(error_text(error), ContainsSubstring(flag));
        refused.insert(flag);
      }
    }
  CHECK(refused.size() > 20);  // all but names and texts
}

TEST_CASE("One GPU is named, or several that share the work") {
  const auto options_of = [](const char* device) {
    return parse({"--device", device}).request.options;
  };
  CHECK(options_of("3").device == 3);
  CHECK(options_of("3").devices.empty());
  CHECK(options_of("2,0").device == 2);
  CHECK(options_of("2,0").devices == std::vector<int>{2, 0});
  for (const char* const wrong : {"", "-1", "0,", "0,0", "one", "0 1"})
    CHECK_THAT(failure({"--device", wrong}), ContainsSubstring("--device"));
}

TEST_CASE("A flag that would be ignored is an error") {
  for (const char* grid_flag : {"--dims=5", "--spacing=1"})
    CHECK_THAT(failure({"--like", "a.vti", grid_flag}), ContainsSubstring("contradicts --like"));
  for (const char* flag : {"--covariance=diag", "--regularize=0.1"}) {
    CHECK_THAT(failure({"--bandwidth", "1,2,3", flag}), ContainsSubstring("three lengths"));
    CHECK_THAT(failure({"--bandwidth", "1,0,0,1,0,1", flag}), ContainsSubstring("a matrix"));
  }
  CHECK_THAT(failure({"--bandwidth", "2", "--covariance", "iso", "--regularize", "0.1"}),
             ContainsSubstring("--regularize has no effect"));
  CHECK_THAT(failure({"--engine", "naive", "--device", "0"}),
             ContainsSubstring("--device has no effect"));
}

TEST_CASE("Flags of no meaning are errors") {
  CHECK_THAT(failure({"--columns", "a,b"}), ContainsSubstring("three names"));
  CHECK_THAT(failure({"--columns", "a,,b"}), ContainsSubstring("three names"));
  CHECK_THAT(failure({"--covariance", "digg"}), ContainsSubstring("did you mean 'diag'?"));
  CHECK_THAT(failure({"--kernel", "epanechnikow"}), ContainsSubstring("epanechnikov"));
  CHECK_THAT(failure({"--engine", "opnmp"}), ContainsSubstring("openmp"));
  CHECK_THAT(failure({"--threads", "0"}), ContainsSubstring("--threads"));
  CHECK_THAT(failure({"--normalize", "boxes"}), ContainsSubstring("did you mean 'box'?"));
  CHECK_THAT(failure({"--units", "k\nfoo: bar"}),
             ContainsSubstring("--units") && ContainsSubstring("line break"));
}

TEST_CASE("A covariance is read from a text file") {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.file("s.txt", "# metres\n4, 1, 0.5\n\n1 9 0.25 # second\n0.5;0.25;16\n");
  CHECK(read_covariance(path) == Symmetric3{4, 1, 0.5, 9, 0.25, 16});
  const DensityOptions options = parse({"--covariance", path});
  CHECK(options.request.bandwidth.covariance == Symmetric3{4, 1, 0.5, 9, 0.25, 16});
  CHECK(options.request.bandwidth.form == CovarianceForm::data);
}

TEST_CASE("A broken covariance file is an input error that names file and line") {
  const test::TemporaryFolder folder;
  const auto why = [&](std::string_view content) {
    const std::string path = folder.file("s.txt", content);
    const Error error = test::thrown_error([&] { read_covariance(path); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK_THAT(error.what(), ContainsSubstring(path));
    return std::string(error.what());
  };
  CHECK_THAT(why("1 0 0\n0 1\n0 0 1\n"), ContainsSubstring("line 2 must have 3 numbers; got 2"));
  CHECK_THAT(why("1 0 0\n0 x 0\n0 0 1\n"), ContainsSubstring("line 2: 'x'"));
  CHECK_THAT(why("1 0 0\n0 nan 0\n0 0 1\n"), ContainsSubstring("line 2: 'nan'"));
  CHECK_THAT(why("1 0 0\n0 1 0\n"), ContainsSubstring("must have 3 rows; got 2"));
  CHECK_THAT(why("1 0 0\n0 1 0\n0 0 1\n1 1 1\n"), ContainsSubstring("line 4"));
  CHECK_THAT(why("1 0 0\n0.5 1 0\n0 0 1\n"), ContainsSubstring("must be symmetric"));
  CHECK_THAT(why("1 0 0\n0 -1 0\n0 0 1\n"), ContainsSubstring("diagonal"));
}

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
  CHECK(planned > 60);
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
