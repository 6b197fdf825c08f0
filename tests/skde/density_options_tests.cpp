#include "cli/options/density_options.hpp"

#include "cli/exit_code.hpp"
#include "estimate/read/covariance_file.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

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

TEST_CASE("Density flags arrive in the request") {
  const DensityOptions options =
      parse({"--columns",    "a,2,c",    "--weights",    "w",
             "--nan",        "error",    "--kernel",     "biweight",
             "--bandwidth",  "0.5",      "--covariance", "diag",
             "--regularize", "0.1",      "--bounds",     "-1,-2,-3:1,2,3",
             "--dims",       "10,20,30", "--engine",     "openmp",
             "--threads",    "3",        "--precision",  "f64",
             "--normalize",  "count",    "--units",      "km"});
  CHECK(options.files.columns.coordinates == std::vector<std::string>{"a", "2", "c"});
  CHECK(options.files.columns.weight == "w");
  CHECK(options.files.non_finite == io::NonFinite::error);
  const DensityRequest& request = options.request;
  CHECK(request.kernel == KernelFunction::biweight);
  CHECK(std::get<double>(request.bandwidth.bandwidth) == 0.5);
  CHECK(request.bandwidth.form == CovarianceForm::diag);
  CHECK(request.bandwidth.regularize == 0.1);
  CHECK(request.grid.bounds->lower == Vec3{-1, -2, -3});
  CHECK(*request.grid.dims == std::array<std::int64_t, 3>{10, 20, 30});
  CHECK(request.engine == "openmp");
  CHECK(request.options.threads == 3);
  CHECK(request.precision == Precision::f64);
  CHECK(request.normalization == Normalization::count);
  CHECK(options.units == "km");
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
