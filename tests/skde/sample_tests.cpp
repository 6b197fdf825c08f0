#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;
using nlohmann::json;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("sample draws what the cloud and its kernels are spread over") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(400));
  const json draws = run_json(folder, "sample @a.xyz -n 1e5 --seed 3 -o @b.npy");
  CHECK(draws["kind"] == "draws");
  CHECK(draws["drawn"] == 100000);
  CHECK(draws["seed"] == 3);
  CHECK(draws["left_out"] == 0);
  const json before = run_json(folder, "info @a.xyz"), after = run_json(folder, "info @b.npy");
  CHECK(after["samples"]["used"] == 100000);
  for (int i = 0; i < 3; ++i) {
    // The covariance of Epanechnikov's kernel is H / 7.
    const double expected = before["cloud"]["covariance"][i][i].get<double>() +
                            draws["bandwidth"]["H"][i][i].get<double>() / 7;
    CHECK(after["cloud"]["covariance"][i][i].get<double>() == Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("sample writes the same for a seed, on any number of threads, in every format") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(100));
  for (const char* const extension : {".ply", ".npy", ".csv", ".xyz"}) {
    const std::string first = folder.path(std::string("b") + extension),
                      second = folder.path(std::string("c") + extension),
                      other = folder.path(std::string("d") + extension);
    setenv("OMP_NUM_THREADS", "1", 1);
    check_success(run_skde({"sample", cloud, "-n", "1000", "-o", first, "--quiet"}));
    setenv("OMP_NUM_THREADS", "5", 1);
    check_success(run_skde({"sample", cloud, "-n", "1000", "-o", second, "--quiet"}));
    unsetenv("OMP_NUM_THREADS");
    check_success(run_skde({"sample", cloud, "-n", "1000", "--seed", "2", "-o", other, "--quiet"}));
    CHECK(bytes_of(first) == bytes_of(second));
    CHECK(bytes_of(first) != bytes_of(other));
    CHECK(run_json({"info", first})["samples"]["used"] == 1000);
  }
}

TEST_CASE("sample honours kernels, widths and boundaries") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(200));
  const RunResult run = run_skde(folder,
                                 "sample @a.xyz -n 2000 -o @b.csv --kernel gaussian --boundary "
                                 "reflect --bounds -1,-2,-3:1,2,1 --json");
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("left out") != std::string::npos);
  const json folded = json::parse(run.out);
  CHECK(folded["kernel"] == "gaussian");
  CHECK(folded["left_out"] > 0);
  const json bounds = run_json(folder, "info @b.csv")["cloud"]["bounds"];
  CHECK(bounds["lower"][2] >= -3);
  CHECK(bounds["upper"][2] <= 1);
  check_success(run_skde(folder, "sample @a.xyz -n 10 -o @b.csv --adaptive"));
}

TEST_CASE("sample refuses what it cannot do, and leaves no file") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string output = folder.path("b.ply");
  check_refused(folder, "sample -o @b.ply", 2, {"no input"});
  check_refused(folder, "sample @a.xyz", 2, {"-o"});
  check_refused(folder, "sample @a.xyz -o @b.vti", 2, {"b.vti", ".ply"});
  check_refused(folder, "sample @a.xyz -o @b.ply -n 0", 2, {"--samples"});
  check_refused(folder, "sample @a.xyz -o @b.ply --seed -1", 2, {"--seed"});
  check_refused(folder, "sample @a.xyz -o @b.ply --bounds 0,0,0:1,1,1", 2,
                {"--bounds", "--boundary"});
  check_refused(folder, "sample @a.xyz -o @b.ply --bandwidth -1", 2, {"--bandwidth"});
  check_refused(folder, "sample @a.xyz -o @a.xyz", 2, {"a.xyz"});
  check_refused(folder, "sample @none.ply -o @b.ply", 3, {"none.ply"});
  check_failure(
      run_skde({"sample", folder.file("flat.xyz", "0 0 5\n1 0 5\n0 1 5\n1 1 5\n"), "-o", output}),
      3, {"flat.xyz"});
  const std::string volume = folder.path("v.vti");
  check_success(run_skde(folder, "density @a.xyz -o @v.vti --dims 8,8,8 --quiet"));
  check_refused(folder, "sample @v.vti -o @b.ply", 3, {"v.vti", "volume"});
  CHECK(!std::filesystem::exists(output));
}
