#include <catch2/catch.hpp>

#include "skde/program_run.hpp"

using namespace skde::test;

TEST_CASE("A mistyped command names the nearest one") {
  check_failure(run_skde({"densty"}), 2, {"'densty'", "did you mean 'density'?"});
  check_failure(run_skde({}), 2, {"--help"});
}

TEST_CASE("A mistyped flag names the nearest one") {
  check_failure(run_skde({"density", "a.xyz", "-o", "b.vti", "--bandwith", "1"}), 2,
                {"'--bandwith'", "did you mean '--bandwidth'?"});
  check_failure(run_skde({"info", "a.xyz", "--jsn"}), 2, {"did you mean '--json'?"});
}

TEST_CASE("A density without an input or without anything to write is refused") {
  check_failure(run_skde({"density", "-o", "b.vti"}), 2, {"no input"});
  check_failure(run_skde({"density", "a.xyz"}), 2, {"nothing to write", "-o", "--picture"});
}

TEST_CASE("Flags that contradict each other or would be ignored are refused") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  const auto refused = [&](std::vector<std::string> flags,
                           std::initializer_list<std::string_view> fragments) {
    std::vector<std::string> arguments{"density", input};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    check_failure(run_skde(arguments), 2, fragments);
  };
  const std::string output = folder.path("out.vti");
  refused({"-o", output, "--like", "v.vti", "--dims", "5"}, {"--dims", "--like"});
  refused({"-o", output, "--bandwidth", "1,1,1", "--covariance", "iso"}, {"--covariance"});
  refused({"-o", output, "--engine", "naive", "--device", "1"}, {"--device"});
  refused({"-o", output, "--engine", "nave"}, {"'nave'", "naive"});
  refused({"--picture", folder.path("p.png"), "--format", "vti"}, {"--format"});
  refused({"-o", output, "--bounds", "0,0,0:1,1,1", "--dims", "5", "--spacing", "1"},
          {"--dims", "--spacing"});
  refused({"-o", output, "-o", output}, {"--output", "2 times"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("Every command has a help page with a usage line") {
  for (const char* command : {"density", "info", "generate", "formats", "engines"}) {
    const RunResult asked = run_skde({command, "--help"});
    check_success(asked);
    CHECK(asked.out.find(std::string("Usage: skde ") + command) != std::string::npos);
    CHECK(run_skde({"help", command}).out == asked.out);
  }
  const RunResult all = run_skde({"--help"});
  check_success(all);
  for (const char* command : {"density", "info", "generate", "formats", "engines"})
    CHECK(all.out.find(std::string("\n  ") + command) != std::string::npos);
}

TEST_CASE("The version names the compiler and the optional parts, with the licence of FFTW") {
  const RunResult result = run_skde({"--version"});
  check_success(result);
  CHECK(result.out.starts_with("skde "));
  const auto with = result.out.find("\nwith "), without = result.out.find("; without ");
  REQUIRE(with != std::string::npos);
  REQUIRE(without != std::string::npos);
  CHECK((result.out.find("FFTW (GPL)") < without) == bool{SKDE_HAS_FFTW});
  CHECK((result.out.find("CUDA") < without) == bool{SKDE_HAS_CUDA});
  CHECK((result.out.find("OpenVDB") < without) == bool{SKDE_HAS_OPENVDB});
}
