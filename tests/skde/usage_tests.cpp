#include "skde/program_run.hpp"

#include "support/catch.hpp"

using namespace skde::test;

TEST_CASE("A mistyped command names the nearest one") {
  check_failure(run_skde({"densty"}), 2, {"'densty'", "did you mean 'density'?"});
  check_failure(run_skde({}), 2, {"--help"});
}

TEST_CASE("A mistyped flag names the nearest one") {
  check_failure(run_skde(words("density a.xyz -o b.vti --bandwith 1")), 2,
                {"'--bandwith'", "did you mean '--bandwidth'?"});
  check_failure(run_skde(words("info a.xyz --jsn")), 2, {"did you mean '--json'?"});
}

TEST_CASE("The flag for a service names the page about services") {
  check_failure(run_skde(words("density a.xyz --server http://127.0.0.1:8080/")), 2,
                {"unknown flag '--server'", "docs/tasks/use_service.md"});
  check_failure(run_skde(words("info a.xyz --server=http://127.0.0.1:8080/")), 2,
                {"unknown flag '--server'", "docs/tasks/use_service.md"});
}

TEST_CASE("A flag before any command is refused with the way to them") {
  for (const char* flag : {"--foo", "--dims"})
    check_failure(run_skde({flag, "64"}), 2,
                  {"expected a command", flag, "'skde --help' lists the commands"});
  check_failure(run_skde(words("density a.xyz -o b.vti --bw 1")), 2,
                {"'--bw'", "did you mean '--bandwidth'?"});
}

TEST_CASE("Words of other programs are taken for what they mean") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(40));
  const auto volume = [&](const std::string& name, std::vector<std::string> flags) {
    check_success(run_skde(Arguments{"density", input, "--dims", "8,8,8", "-o", folder.path(name),
                                     "--threads", "1", "--quiet"} +
                           flags));
    return content_of(folder.path(name));
  };
  const std::string gaussian = volume("a.npy", {"--kernel", "gaussian", "--precision", "f64"});
  CHECK(volume("b.npy", {"--kernel", "gauss", "--precision", "double"}) == gaussian);
  CHECK(volume("c.npy", {"--kernel", "normal", "--precision", "f64", "--engine", "cpu"}) ==
        gaussian);
  CHECK(volume("d.npy", {}) != gaussian);
  if (SKDE_HAS_CUDA) return;
  check_refused(folder, "density @a.xyz -o @e.npy --engine gpu", 5, {"cuda-span"});
  check_refused(folder, "density @a.xyz -o @e.npy --engine gpu --threads 2", 2,
                {"--engine gpu", "--threads", "drop one"});
}

TEST_CASE("A cloud in the place of a volume is refused with the way to its density") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", "x,y,z\n" + std::string("1,2,3\n4,5,7\n"));
  const std::string output = folder.path("out.vti");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"levels", input},
        {"convert", input, "-o", output},
        {"density", input, "--like", input, "-o", output}}) {
    const RunResult result = run_skde(arguments);
    check_failure(result, 3,
                  {"a.csv", "that of a point cloud", "'skde density IN -o density.vti'"});
    CHECK(result.err.find("--format") == std::string::npos);
  }
}

TEST_CASE("The engine spectral without a tolerance is refused with the flag that allows it") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  if (!SKDE_HAS_FFTW) return;
  const RunResult result = run_skde(folder, "density @a.xyz -o @o.vti --engine spectral");
  check_failure(result, 2, {"approximates this kernel;", "--tolerance 1e-5"});
  CHECK(result.err.find('`') == std::string::npos);
}

TEST_CASE("Commands of many flags show ten of them and name the way to the rest") {
  for (const char* command : {"density", "eval", "smooth", "bandwidth", "sample", "engines"}) {
    const std::string brief = run_skde({command, "--help"}).out,
                      whole = run_skde({command, "--help", "all"}).out;
    const auto flags = [](const std::string& page) {
      std::size_t count = 0;
      for (const std::string_view begin : {"\n  -", "\n      --"})
        for (std::size_t at = page.find(begin); at != page.npos; at = page.find(begin, at + 1))
          ++count;
      return count;
    };
    INFO(command);
    CHECK(flags(brief) == 10);
    CHECK(flags(whole) > 15);
    CHECK(brief.find(std::string("more flags: skde ") + command + " --help all") != brief.npos);
    CHECK(run_skde({"help", command, "all"}).out == whole);
  }
}

TEST_CASE("A density without an input or without anything to write is refused") {
  check_failure(run_skde(words("density -o b.vti")), 2, {"no input"});
  check_failure(run_skde({"density", "a.xyz"}), 2, {"no output is given", "-o", "--picture"});
}

TEST_CASE("Flags that contradict each other or would be ignored are refused") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  const auto refused = [&](std::vector<std::string> flags,
                           std::initializer_list<std::string_view> fragments) {
    check_failure(run_skde(Arguments{"density", input} + flags), 2, fragments);
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

TEST_CASE("A warning fails a run with --strict, which keeps its result and its one document") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(40));
  for (const auto& [bandwidth, exit_code] :
       {std::pair("0.2 --dims 8", 1), std::pair("2 --dims 32", 0)}) {
    const RunResult run = run_skde(
        folder, std::string("density @a.xyz -o @a.vti --strict --json --bandwidth ") + bandwidth);
    CAPTURE(bandwidth, run.err);
    CHECK(run.exit_code == exit_code);
    CHECK(nlohmann::json::parse(run.out)["warnings"].empty() == (exit_code == 0));
    CHECK((run.err.find("an error with --strict") != std::string::npos) == (exit_code == 1));
    check_success(run_skde(folder, "levels @a.vti --quiet"));
  }
}
