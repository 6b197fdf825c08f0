#include <sys/stat.h>

#include <filesystem>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;

namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

}  // namespace

TEST_CASE("An error is told by its code where standard error is closed or full") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  for (const RunSettings& settings :
       {RunSettings{.error_closed = true}, RunSettings{.error_file = "/dev/full"}}) {
    CHECK(run_skde(folder, "density @none.xyz -o @a.vti", settings).exit_code == 3);
    CHECK(run_skde({"densty"}, settings).exit_code == 2);
    CHECK(run_skde(folder, "density @a.xyz -o @a.vti --dims 8,8,8", settings).exit_code == 0);
  }
}

TEST_CASE("No message ends in a file that is open in the place of standard error") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
  const auto make = [&](const char* name, const RunSettings& settings) {
    const std::string output = folder.path(name);
    // There is a warning because the kernels are smaller than a cell.
    CHECK(run_skde({"density", input, "-o", output, "--dims", "8", "--bandwidth", "0.05,0.05,0.05"},
                   settings)
              .exit_code == 0);
    return std::filesystem::file_size(output);
  };
  CHECK(make("a.npy", {}) == make("b.npy", {.error_closed = true}));
}

TEST_CASE("Values and paths of any length and any bytes are refused in one short line") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  const std::string longest(100000, 'a');
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--normalize", longest},
                                                {"--bandwidth", longest},
                                                {"--normalize=" + longest},
                                                {"--" + longest},
                                                {"--dims", std::string(100000, '1')}}) {
    const RunResult result = run_skde(in(folder, "density @a.xyz -o @a.vti") + flags);
    check_failure(result, 2, {});
    CHECK(result.err.size() < 10000);
  }
  check_failure(run_skde({"info", folder.path("\x1b[2Jnone\n.xyz")}), 3, {"\\x1b[2Jnone\\n.xyz"});
}

TEST_CASE("A path that is not UTF-8 is no obstacle to a summary as JSON") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a\xff.xyz", spread_rows(100));
  const std::string output = folder.path("b\xfe.vti");
  const auto summary = run_json({"density", input, "-o", output, "--dims", "32"});
  CHECK(summary["written"].size() == 1);
  CHECK(std::filesystem::exists(output));
  run_json({"info", input});
  run_json({"info", output});
  const RunResult failed = run_skde({"info", folder.path("c\xfd.xyz"), "--json"});
  CHECK(failed.exit_code == 3);
  CHECK(nlohmann::json::parse(failed.out)["kind"] == "error");
}

TEST_CASE("More threads than the system starts are an error of resources") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
#ifndef SKDE_SANITIZED  // sanitizers take terabytes of addresses
  check_failure(
      run_skde(folder, "density @a.xyz -o @a.vti --threads 1000", {.address_space = 1500 * kMega}),
      5, {"threads, not 1000", "--threads"});
#endif
}

TEST_CASE("A limit of the address space ends in a density or in an error, never in a crash") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(2000));
#ifndef SKDE_SANITIZED
  int refused = 0;
  for (std::size_t megabytes = 200; megabytes <= 900; megabytes += 100) {
    // The scratch memory of threads exceeds the address space although the plan has ample memory.
    const RunResult result = run_skde(folder,
                                      "density @a.xyz -o @a.vti --dims 2000,2000,4 --memory-limit "
                                      "8G --engine span --threads 4 --quiet",
                                      {.address_space = megabytes * kMega});
    INFO(megabytes << " MiB: " << result.err);
    CHECK((result.exit_code == 0 || result.exit_code == 5));
    refused += result.exit_code == 5;
  }
  CHECK(refused > 0);
  // Without --memory-limit the limit is the available memory, and the work is divided to fit.
  check_success(run_skde(folder,
                         "density @a.xyz -o @b.vti --dims 300,300,800 --engine openmp --threads 2 "
                         "--bandwidth 0.1 --quiet",
                         {.address_space = 600 * kMega}));
#endif
}

TEST_CASE("Too few addresses for the libraries' own start are an error of resources") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
#ifndef SKDE_SANITIZED
  constexpr std::size_t kLargest = 200000;
  int refused = 0;
  for (const char* name : {"a.vti", "a.nc"}) {  // the library for the second is loaded at run time
    for (std::size_t kilobytes = kLargest; kilobytes >= 20000; kilobytes -= kilobytes / 10) {
      const RunSettings limited{.address_space = kilobytes * 1024};
      const bool starts = run_skde({"--version"}, limited).exit_code == 0;
      INFO(name << ", " << kilobytes << " kB");
      CHECK((starts || kilobytes < kLargest / 2));
      if (!starts) break;  // with less, the loader itself fails
      const RunResult result =
          run_skde({"density", input, "-o", folder.path(name), "--dims", "8"}, limited);
      if (result.exit_code == 0) continue;
      INFO(result.err);
      CHECK(result.exit_code == 5);
      CHECK(result.err.starts_with("skde: "));
      refused += result.err.find("ulimit -v") != std::string::npos ? 1 : 0;
    }
  }
  CHECK(refused > 0);
#endif
}

TEST_CASE("A pipe that holds more than fits is refused, by whatever name it comes") {
  const TemporaryFolder folder;
  const std::string rows = spread_rows(800);
  for (const char* name : {"-", "/dev/stdin"}) {
    const RunResult result = run_skde({"density", name, "-o", folder.path("a.vti"), "--dims", "8",
                                       "--memory-limit", "160.02M", "--quiet"},
                                      {.input = rows});
    check_failure(result, 5, {"only once", "--memory-limit", "skde itself needs 160.00 MiB"});
  }
}

TEST_CASE("A limit of memory that is too small for skde itself is no fault of a pipe") {
  const TemporaryFolder folder;
  for (const char* limit : {"1M", "150M"}) {
    const RunResult result =
        run_skde({"density", "-", "-o", folder.path("a.vti"), "--memory-limit", limit, "--quiet"},
                 {.input = spread_rows(40)});
    check_failure(result, 5,
                  {"skde itself needs 160.00 MiB", "raise --memory-limit to 200.00 MiB"});
    CHECK(result.err.find("standard input") == std::string::npos);
    CHECK(result.err.find("only once") == std::string::npos);
  }
}

TEST_CASE("SIGHUP and SIGTERM leave nothing behind") {
  for (const int signal : {SIGHUP, SIGTERM}) {
    const TemporaryFolder folder;
    folder.file("a.xyz", spread_rows(4000));
    const auto before = folder.names();
    const RunResult result = run_skde(folder,
                                      "density @a.xyz -o @a.vti --dims 400,400,400 --memory-limit "
                                      "200M --bandwidth 3,3,3 --engine openmp",
                                      {.signal = signal, .interrupt_after = 1.0});
    REQUIRE(result.was_interrupted);
    CHECK(result.exit_code == 130);
    CHECK(folder.names() == before);
  }
}

TEST_CASE("A file that is written over keeps its permissions") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
  for (const char* name : {"a.vti", "a.npy", "a.vdb", "a.png"}) {
    const std::string output = folder.file(name, "old");
    REQUIRE(chmod(output.c_str(), 0600) == 0);
    check_success(run_skde({"density", input, "--quiet", "--dims", "32",
                            std::string(name).ends_with("png") ? "--picture" : "-o", output}));
    struct stat status {};
    REQUIRE(stat(output.c_str(), &status) == 0);
    CHECK(status.st_size > 3);
    CHECK((status.st_mode & 07777) == 0600);
  }
}

TEST_CASE("No output is an input or another output, by any name") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
  const std::string matrix = folder.file("s.json", "1 0 0\n0 1 0\n0 0 1\n");
  const std::string grid = folder.path("grid.vti");
  check_success(run_skde(folder, "density @a.xyz -o @grid.vti --dims 32 --quiet"));
  const auto refused = [&](std::vector<std::string> flags) {
    const RunResult result = run_skde(Arguments{"density", input} + flags);
    check_failure(result, 2, {"name another file"});
  };
  std::filesystem::create_hard_link(input, folder.path("hard.vti"));
  refused({"-o", folder.path("hard.vti")});
  refused({"-o", grid, "--like", grid});
  std::filesystem::create_hard_link(grid, folder.path("grid2.vti"));
  refused({"-o", folder.path("grid2.vti"), "--like", grid});
  refused({"-o", matrix, "--format", "vti", "--covariance", matrix});
  refused({"-o", folder.path("out.png"), "--format", "vti", "--picture", folder.path("./out.png")});
  // The description of a NumPy volume is a file beside it.
  const std::string beside = folder.file("in.npy.json", spread_rows(100));
  check_refused(folder, "density @in.npy.json -o @in.npy", 2, {"would overwrite the input"});
  CHECK(content_of(beside) == spread_rows(100));
}

TEST_CASE("Lists of numbers without commas are told the comma") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  check_refused(folder, "density @a.xyz -o @a.vti --dims 128x128x64", 2, {"--dims 128,128,64"});
  check_refused(folder, "density @a.xyz -o @a.vti --dims 128 128 64", 2,
                {"'128' is a number, not a file", "commas"});
}

TEST_CASE("Stage times stand in the summary with --verbose alone") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  Arguments arguments = in(folder, "density @a.xyz -o @a.vti --dims 8");
  CHECK(run_skde(arguments).out.find("accumulate") == std::string::npos);
  arguments.emplace_back("--verbose");
  CHECK(run_skde(arguments).out.find("accumulate") != std::string::npos);
  arguments.emplace_back("--json");
  CHECK(run_skde(arguments).exit_code == 2);
}
