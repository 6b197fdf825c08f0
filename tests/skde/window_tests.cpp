#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;

namespace {

const Arguments kGiven{"--bounds", "-3,-3,-3:3,3,3", "--dims", "14", "--bandwidth", "0.8,0.6,1"};

/// Returns rows [begin, end) of a stream, with an unusable row after every tenth.
std::string stream_rows(int begin, int end) {
  std::string rows;
  for (int i = begin; i < end; ++i) {
    const double t = 0.31 * i;
    rows += fmt::format("{} {} {} {}\n", 2 * std::sin(t), std::cos(1.7 * t) * std::sin(0.01 * i),
                        std::sin(0.6 * t) * std::cos(t), 0.25 + i % 4);
    if (i % 10 == 9) rows += "nan 1 1 1\n";
  }
  return rows;
}

/// Returns the volume of partial sums over these rows alone.
std::string fresh(const TemporaryFolder& folder, const std::string& rows, const Arguments& more) {
  const std::string cloud = folder.file("fresh.xyz", rows), part = folder.path("fresh.skp");
  Arguments arguments = Arguments{"density", cloud, "-o", part, "--quiet"} + more;
  check_success(run_skde(arguments));
  check_success(run_skde({"merge", part, "-o", folder.path("fresh.npy"), "--quiet"}));
  return content_of(folder.path("fresh.npy"));
}

RunResult follow(const TemporaryFolder& folder, const std::string& rows, int window, int every,
                 const Arguments& more) {
  Arguments arguments = Arguments{"density",  "-",
                                  "--window", std::to_string(window),
                                  "--every",  std::to_string(every),
                                  "-o",       folder.path("live_%03d.npy")} +
                        more;
  RunSettings settings;
  settings.input = rows;
  return run_skde(arguments, settings);
}

}  // namespace

TEST_CASE("each volume of a stream has the bits of its window alone", "[window]") {
  const TemporaryFolder folder;
  constexpr int kRows = 1130, kWindow = 300, kEvery = 100;
  const RunResult run = follow(folder, stream_rows(0, kRows), kWindow, kEvery, kGiven);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("live_012.npy: 300 samples") != std::string::npos);
  CHECK(run.out.find("live_001.npy: 100 samples") != std::string::npos);
  for (int number = 1; number <= 12; ++number) {
    INFO(number);
    const int end = std::min(number * kEvery, kRows);
    CHECK(content_of(folder.path(fmt::format("live_{:03}.npy", number))) ==
          fresh(folder, stream_rows(std::max(0, end - kWindow), end), kGiven));
  }
  CHECK(!std::filesystem::exists(folder.path("live_013.npy")));
}

TEST_CASE("a window smaller than what comes at a time holds the last samples", "[window]") {
  const TemporaryFolder folder;
  CHECK(follow(folder, stream_rows(0, 400), 70, 200, kGiven).exit_code == 0);
  CHECK(content_of(folder.path("live_002.npy")) == fresh(folder, stream_rows(330, 400), kGiven));
}

TEST_CASE("a window of samples that no cell sees is a volume of zeros", "[window]") {
  const TemporaryFolder folder;
  std::string away;
  for (int i = 0; i < 20; ++i) away += fmt::format("{} 50 50 1\n", 50 + 0.1 * i);
  const RunResult run =
      follow(folder, stream_rows(0, 20) + away + stream_rows(20, 40), 10, 10, kGiven);
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("no kernel covers a cell centre") != std::string::npos);
  for (const int number : {3, 4}) {
    const auto read = skde::io::read_volume(folder.path(fmt::format("live_{:03}.npy", number)));
    CHECK(read.volume.maximum() == 0);
    CHECK(read.metadata.mass_in_box == 0);
    CHECK(read.metadata.samples == 10);
  }
  CHECK(content_of(folder.path("live_006.npy")) == fresh(folder, stream_rows(30, 40), kGiven));
  const RunResult box = follow(folder, away, 10, 10, kGiven + Arguments{"--normalize", "box"});
  check_failure(box, 3, {"no kernel"});
}

TEST_CASE("samples of a stream have weights where moments give their scale", "[window]") {
  const TemporaryFolder folder;
  const std::string moments = folder.path("m.json");
  check_success(run_skde({"moments", folder.file("all.xyz", stream_rows(0, 500)), "--weights", "4",
                          "-o", moments, "--quiet"}));
  Arguments more = in(folder, "--weights 4 --moments @m.json --precision f64") + kGiven;
  CHECK(follow(folder, stream_rows(0, 500), 120, 250, more).exit_code == 0);
  CHECK(content_of(folder.path("live_002.npy")) == fresh(folder, stream_rows(380, 500), more));
  check_failure(follow(folder, stream_rows(0, 9) + "1 1 1 99\n", 20, 20, more), 3,
                {"has a larger weight"});
}

TEST_CASE("the plan of a window reads nothing of the stream, and writes nothing", "[window]") {
  const TemporaryFolder folder;
  const RunResult text = follow(folder, "", 9, 3, kGiven + Arguments{"--plan"});
  check_success(text);
  CHECK(text.out.find("the last 9 samples") != std::string::npos);
  const RunResult object = follow(folder, "", 9, 3, kGiven + Arguments{"--plan", "--json"});
  check_success(object);
  CHECK(object.out.find("\"window\": 9") != std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("what does not go with a stream is told", "[window]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", stream_rows(0, 50));
  const auto fails = [&](const Arguments& more, std::initializer_list<std::string_view> texts) {
    check_failure(run_skde(Arguments{"density", cloud} + more), 2, texts);
  };
  const std::string output = folder.path("live_%d.vti");
  fails({"--window", "9", "-o", folder.path("live.vti")}, {"%06d"});
  fails({"--window", "9", "-o", folder.path("%d_%d.vti")}, {"%06d"});
  fails({"--window", "9", "-o", output}, {"bandwidth is derived", "--bandwidth"});
  fails({"--every", "9", "-o", output}, {"--every has no effect"});
  fails({"--window", "9", "--picture", "a.png", "-o", output}, {"--picture"});
  fails({"--window", "9"}, {"no output is given"});
  RunSettings empty;
  Arguments none = in(folder, "density - --window 9 -o @live_%d.vti") + kGiven;
  empty.input = "nan 1 1\n";
  check_failure(run_skde(none, empty), 3, {"standard input", "no samples"});
}

TEST_CASE("a stream that is waited for is left by a signal at once", "[window]") {
  const TemporaryFolder folder;
  Arguments arguments = in(folder, "density - --window 9 -o @live_%d.vti") + kGiven;
  RunSettings settings;
  settings.keep_input_open = true;
  settings.interrupt_after = 0.5;
  CHECK(run_skde(arguments, settings).exit_code == 130);
  CHECK(folder.names().empty());
}
