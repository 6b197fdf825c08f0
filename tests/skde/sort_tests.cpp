#include <catch2/catch.hpp>

#include "skde/program_run.hpp"

using namespace skde::test;

TEST_CASE("skde sort writes the same rows along a curve, with their index") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.npy"), output = folder.path("o.npy");
  check_success(run_skde({"generate", "forest", "--samples", "70000", "-o", input, "--quiet"}));
  const Arguments sort{"sort", input, "--by", "hilbert", "-o", output};
  const nlohmann::json run = run_json(sort + Arguments{"--index", "--engine", "cpu"});
  CHECK(run["kind"] == "sorted");
  CHECK(run["rows"] == 70000);
  CHECK(run["runs"] == 1);
  CHECK(run["index_blocks"] == 2);
  CHECK(run["written"].size() == 2);
  CHECK(content_of(output + ".json").find("row_index") != std::string::npos);
  const std::string sorted = content_of(output);
  CHECK(sorted.size() == content_of(input).size());
  CHECK(run_json(sort + Arguments{"--memory-limit", "1M"})["runs"] > 1);
  CHECK(content_of(output) == sorted);
  const std::string again = folder.path("again.npy");
  check_success(run_skde({"sort", output, "--by", "hilbert", "-o", again, "--quiet"}));
  CHECK(content_of(again) == sorted);
}

TEST_CASE("skde sort refuses what it cannot put in order in one line") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", "x,y,z\n1,2,3\n4,inf,6\n");
  const std::string output = folder.path("o.csv");
  check_failure(run_skde({"sort", input, "--by", "morton", "-o", output}), 3,
                {"row 2: a coordinate is not finite"});
  check_failure(run_skde({"sort", input, "-o", output}), 2, {"no order is given", "--by"});
  check_failure(run_skde({"sort", input, "--by", "w", "-o", output}), 2, {"--by", "'w'"});
  check_failure(run_skde({"sort", input, "--by", "x"}), 2, {"no output is given"});
  check_failure(run_skde({"sort", input, "--by", "x", "-o", input}), 2, {"input"});
  check_failure(run_skde({"sort", input, "--by", "x", "--index", "-o", output}), 2,
                {"--index", "only an NPY file"});
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}

TEST_CASE("An interrupt ends a sort and leaves nothing") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.npy");
  check_success(run_skde({"generate", "uniform", "--samples", "3e6", "-o", input, "--quiet"}));
  const RunResult run = run_skde(
      {"sort", input, "--by", "hilbert", "--memory-limit", "8M", "-o", folder.path("o.npy")},
      {.interrupt_after = 0.1});
  if (run.was_interrupted) CHECK(run.exit_code == 130);
  if (run.exit_code != 0) CHECK(folder.names() == std::vector<std::string>{"a.npy"});
}
