#include <filesystem>

#include "support/catch.hpp"
#include "view_program/view_run.hpp"

using namespace skde::test;

namespace {

constexpr double kSoon = 5;  // seconds; without an interrupt the runs take minutes

/// Takes a screenshot of a file with this content. Checks how that fails, and that the folder has
/// no new files.
void check_refused(std::string_view name, std::string_view content,
                   const std::vector<std::string>& flags, int exit_code,
                   std::initializer_list<std::string_view> fragments) {
  const TemporaryFolder folder;
  const std::string input = folder.file(name, content);
  check_failure(run_view(Arguments{input, "--screenshot", folder.path("a.png")} + flags), exit_code,
                fragments);
  CHECK(folder.names() == std::vector<std::string>{std::string(name)});
}

}  // namespace

TEST_CASE("Without a display the window's error names the way without one") {
  const TemporaryFolder folder;
  check_failure(run_view({folder.file("a.xyz", spread_rows(20))}), 5, {"DISPLAY", "--screenshot"});
}

TEST_CASE("Ellipsoids are refused where there are none, or where none is seen") {
  check_refused("a.xyz", spread_rows(20), {"--ellipsoids", "alone"}, 2,
                {"--ellipsoids", "mixture"});
  check_refused("a.xyz", spread_rows(20), {"--pick", "1,2"}, 2, {"--pick", "--ellipsoids"});
  const std::string mixture = "mass,x,y,z,xx,xy,xz,yy,yz,zz\n1,0,0,0,1,0,0,1,0,1\n";
  const auto refused = [&](const std::vector<std::string>& flags,
                           std::initializer_list<std::string_view> words) {
    check_refused("a.csv", mixture, flags, 2, words);
  };
  refused({"--ellipsoids", "over"}, {"--ellipsoids", "under"});
  refused({"--ellipsoids", "alone", "--view", "method"}, {"--ellipsoids", "--view method"});
  refused({"--ellipsoids", "alone", "--pick", "1"}, {"--pick", "X,Y"});
  refused({"--ellipsoids", "alone", "--view", "volume", "--dims", "16", "--size", "96x64", "--pick",
           "1,1"},
          {"--pick 1,1", "no ellipsoid"});
}

TEST_CASE("Inputs that are missing, empty or no cloud are refused") {
  const TemporaryFolder folder;
  check_failure(run_view(folder, "@no.ply --screenshot @a.png"), 3, {"no.ply"});
  CHECK(folder.names().empty());
  check_refused("a.ply", "", {}, 3, {"a.ply", "empty"});
  check_refused("a.vti", "not a volume", {}, 3, {"a.vti"});
  check_refused("a.xyz", "nan nan nan\n1 nan 3\n", {}, 3, {"a.xyz", "no samples"});
}

TEST_CASE("A flat cloud is refused with the flags that mend it which do so") {
  const std::string rows = "0 0 5\n1 0 5\n0 1 5\n1 1 5\n";
  check_refused("a.xyz", rows, {}, 3, {"a.xyz", "plane", "--regularize", "--covariance iso"});
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", rows), picture = folder.path("a.png");
  check_success(run_view(
      {input, "--regularize", "0.01", "--dims", "12", "--size", "64x64", "--screenshot", picture}));
  check_success(run_view(
      {input, "--covariance", "iso", "--dims", "12", "--size", "64x64", "--screenshot", picture}));
}

TEST_CASE("A cloud of one sample is refused without a bandwidth and shown with one") {
  check_refused("a.xyz", "1 2 3\n", {}, 3, {"a.xyz", "distinct", "--bandwidth"});
  const TemporaryFolder folder;
  check_success(run_view({folder.file("a.xyz", "1 2 3\n"), "--bandwidth", "1,1,2", "--dims", "12",
                          "--size", "64x64", "--screenshot", folder.path("a.png")}));
}

TEST_CASE("A mistyped flag of the viewer names the nearest") {
  check_refused("a.xyz", spread_rows(20), {"--camra", "0,0,1"}, 2, {"did you mean '--camera'"});
}

TEST_CASE("A sample or a slice that is not there is refused by its range") {
  check_refused("a.xyz", spread_rows(20), {"--view", "both", "--dims", "12", "--sample", "20"}, 2,
                {"--sample 20", "0 to 19"});
  check_refused("a.xyz", spread_rows(20), {"--view", "both", "--dims", "12", "--slice", "500"}, 2,
                {"--slice 500", "0 to "});
  check_refused(
      "a.xyz", spread_rows(200),
      {"--view", "both", "--dims", "40", "--bandwidth", "0.05", "--sample", "0", "--slice", "39"},
      2, {"--slice 39", "kernel of sample 0"});
}

TEST_CASE("Flags of the volume have no effect with the method alone") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  check_failure(run_view(folder, "@a.xyz --view method --camera 0,0,1 --screenshot @a.png"), 2,
                {"--camera", "--view method"});
  check_failure(run_view(folder, "@a.xyz --view method --turntable 2 @a_%d.png"), 2,
                {"--turntable", "--view method"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("Pictures that cannot be written are refused") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  check_failure(run_view(folder, "@a.xyz --screenshot @none/a.png"), 4, {"none/a.png"});
  check_failure(run_view(folder, "@a.xyz --turntable 2 @none/a_%d.png"), 4, {"none/a_0.png"});
  const RunSettings full_disk{.file_size_limit = 2000};
  check_failure(run_view(folder, "@a.xyz --dims 12 --screenshot @a.png", full_disk), 4, {"a.png"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("A broken state is refused by file and key") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  const auto check = [&](std::string_view content, std::string_view fragment) {
    const std::string state = folder.file("view.json", content);
    check_failure(run_view(folder, "@a.xyz --state @view.json --screenshot @a.png"), 3,
                  {"view.json", fragment});
  };
  check("{\"version\": 1,", "JSON");
  check("{\"version\": 1, \"kernl\": \"uniform\"}", "did you mean 'kernel'");
  check("{\"version\": 1, \"bandwidth\": -1}", "bandwidth");
  check_failure(run_view(folder, "@a.xyz --state @none.json --screenshot @a.png"), 3,
                {"none.json"});
}

TEST_CASE("A picture unlike its reference is told by how much") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string reference = folder.path("a.png"), picture = folder.path("b.png");
  const Arguments common = in(folder, "@a.xyz --dims 16 --size 96x64");
  auto with = [&common](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  check_success(run_view(with({"--screenshot", reference})));
  check_success(
      run_view(with({"--screenshot", picture, "--reference", reference, "--threshold", "0"})));
  check_failure(run_view(with({"--screenshot", picture, "--reference", reference, "--camera",
                               "40,25,1", "--threshold", "0.1"})),
                4, {"a.png", "differs", "allowed: 0.1"});
}

TEST_CASE("A long run without a window ends at once when it is interrupted") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(4000));
  const RunSettings settings{.interrupt_after = 0.7};
  const RunResult run =
      run_view(folder, "@a.xyz --engine naive --dims 400 --screenshot @a.png", settings);
  REQUIRE(run.was_interrupted);
  check_failure(run, 130, {"cancelled"});
  CHECK(run.seconds < *settings.interrupt_after + kSoon);
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("Timing of many frames can be interrupted") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  const RunSettings settings{.interrupt_after = 0.7};
  const RunResult run = run_view(
      {input, "--dims", "32", "--size", "320x240", "--benchmark-frames", "100000"}, settings);
  REQUIRE(run.was_interrupted);
  check_failure(run, 130, {"cancelled"});
  CHECK(run.seconds < *settings.interrupt_after + kSoon);
}
