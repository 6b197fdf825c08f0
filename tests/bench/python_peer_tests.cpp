#include <filesystem>
#include <string>

#include "bench/peers/peers.hpp"
#include "estimate/session.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "system/stop_watch.hpp"

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

namespace {

Peer found(const std::string& name, const std::string& python) {
  return find_peers({name}, python, "", NoProgress()).at(0);
}

/// Writes a shell program that stands in for the Python interpreter, and returns its path.
std::string shell_program(const TemporaryFolder& folder, const std::string& commands) {
  std::string path = folder.file("python", "#!/bin/sh\n" + commands);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

/// Returns a case of 500 samples on 12^3 cells.
BenchmarkCase peer_case() {
  BenchmarkCase wanted;
  wanted.samples = 500;
  wanted.cells = 12;
  return wanted;
}

/// Returns settings of one warm-up and two repetitions, with short time limits.
MeasurementSettings quick_settings() {
  MeasurementSettings settings;
  settings.repetitions = 2;
  settings.max_seconds = 5;
  settings.start_seconds = 20;
  return settings;
}

Result measured_peer(const Peer& peer, const BenchmarkCase& wanted = peer_case(),
                     const MeasurementSettings& settings = quick_settings()) {
  const BenchmarkInput input = make_input(wanted);
  CaseCheck check(input, 50);
  NoProgress progress;
  return measure_peer(peer, input, "test", settings, check, progress);
}

bool has(const Result& row, const std::string& part) {
  INFO(row.reason);
  return row.reason.find(part) != std::string::npos;
}

/// Returns the row of a peer when its Python interpreter is a shell program with these commands.
Result row_of(const std::string& commands, const MeasurementSettings& settings = quick_settings(),
              const std::string& peer = "sklearn") {
  const TemporaryFolder folder;
  return measured_peer({peer, shell_program(folder, commands)}, peer_case(), settings);
}

/// Returns commands that report this file as the values, and two times.
std::string hand_over(const std::string& values) {
  return "echo '{\"made_by\": \"a fake\"}'\necho '{\"predicted\": 0.1}'\n"
         "echo '{\"values\": \"" +
         values + "\"}'\necho '{\"seconds\": 0.25}'\necho '{\"seconds\": 0.5}'\n";
}

/// Returns the row of a fake peer: the true density, each value times `factor`, or a grid of
/// `cells`^3 zeros if `cells` differs from the case's.
Result row_of_values(double factor, std::int64_t cells = 12, const std::string& peer = "sklearn") {
  const TemporaryFolder folder;
  const BenchmarkInput input = make_input(peer_case());
  Session session;
  session.open(input.clouds.front().view());
  DensityRequest request = input.request();
  request.precision = Precision::f64;
  Volume values = session.compute(request).take_volume();
  values.scale(factor);
  if (cells != 12) values = Volume({{0, 0, 0}, {1, 1, 1}, {cells, cells, cells}}, Precision::f64);
  const std::string path = folder.path("values.npy");
  io::volume_format_for(path).write(path, values, {});
  return row_of(hand_over(path), quick_settings(), peer);
}

class StoppedSoon final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return running_.seconds() > 0.3; }

 private:
  StopWatch running_;
};

}  // namespace

TEST_CASE("scikit-learn gives the density") {
  const Peer peer = found("sklearn", "");
  if (skipped(peer.unavailable)) return;
  for (const bool weighted : {false, true}) {
    BenchmarkCase wanted = peer_case();
    wanted.weighted = weighted;
    wanted.h = 0.7;
    const Result row = measured_peer(peer, wanted);
    INFO(row.reason);
    REQUIRE(row.status == Status::ok);
    REQUIRE(row.error);
    CHECK(*row.error < 1e-12);
    CHECK(row.seconds.size() == 2);
    CHECK(row.updates > 0);
    CHECK(row.precision == "f64");
    CHECK(row.policy.find("scikit-learn") == 0);
  }
}

TEST_CASE("scipy is compared by its time alone") {
  const Peer peer = found("scipy", "");
  if (skipped(peer.unavailable)) return;
  const Result row = measured_peer(peer);
  INFO(row.reason);
  REQUIRE(row.status == Status::ok);
  CHECK(row.seconds.size() == 2);
  CHECK(row.kernel == "gaussian");
  CHECK(row.updates == 0);
  CHECK_FALSE(row.error);
  CHECK(row.policy.find("another density") != std::string::npos);
}

TEST_CASE("an interpreter that is missing or lacks the module is a reason") {
  CHECK(found("sklearn", "/no/such/python").unavailable.find("/no/such/python: cannot be run") ==
        0);
  const TemporaryFolder folder;
  const std::string bare =
      shell_program(folder, "echo Traceback >&2\necho \"No module named 'sklearn'\" >&2\nexit 1\n");
  const Peer peer = found("sklearn", bare);
  CHECK(peer.unavailable.find(bare + ": No module named 'sklearn' (--python") == 0);
  const Result row = measured_peer(peer);
  CHECK(row.status == Status::skipped);
  CHECK(row.reason == peer.unavailable);
}

TEST_CASE("a script that fails is a row with its last words") {
  const Result row =
      row_of("echo '{\"predicted\": 0.1}'\necho 'MemoryError: no room' >&2\nexit 3\n");
  CHECK(row.status == Status::failed);
  CHECK(has(row, "ended with 3: MemoryError: no room"));
  CHECK(row.seconds.empty());
  CHECK(has(row_of("kill -9 $$\n"), "ended with 137"));
  CHECK(has(row_of("echo '{hello'\n"), "its output: is not valid JSON"));
  CHECK(has(row_of("echo hello\n"), "gave 0 of 2 times; check the program: hello"));
  CHECK(has(row_of("exit 0\n"), "gave 0 of 2 times"));
}

TEST_CASE("a script that lies is a row that says so") {
  CHECK(has(row_of("echo '{\"seconds\": \"soon\"}'\n"), "'seconds' must be a number"));
  CHECK(has(row_of("echo '{\"made_by\": 3}'\n"), "'made_by' must be a string"));
  CHECK(has(row_of("echo '{\"secnds\": 3}'\n"), "'secnds' is not a known key"));
  const Result row = row_of("echo '{\"values\": \"/no/such/values.npy\"}'\n");
  CHECK(row.status == Status::failed);
  CHECK(has(row, "/no/such/values.npy"));
  const Result told = row_of("echo '{\"failed\": \"because of this\"}'\nsleep 60\n");
  CHECK(told.status == Status::failed);
  CHECK(told.reason == "because of this");
}

TEST_CASE("a script that takes too long is ended, or not even begun") {
  const StopWatch watch;
  MeasurementSettings settings = quick_settings();
  settings.max_seconds = 0.2;
  settings.start_seconds = 0.1;
  const Result late = row_of("sleep 60\n", settings);
  CHECK(late.status == Status::skipped);
  CHECK(has(late, "took longer than --max-seconds 0.2"));
  const Result predicted = row_of("echo '{\"predicted\": 1234.5}'\nsleep 60\n");
  CHECK(predicted.status == Status::skipped);
  CHECK(has(predicted, "would take about 1.23e+03 s"));
  CHECK(has(row_of("echo '{\"seconds\": 7}'\nsleep 60\n"), "took longer than --max-seconds 5"));
  CHECK(watch.seconds() < 20);
}

TEST_CASE("values of a peer are held against the density") {
  const Result right = row_of_values(1);
  REQUIRE(right.status == Status::ok);
  CHECK(right.seconds == std::vector<double>{0.25, 0.5});
  CHECK(right.policy == "a fake");
  const Result wrong = row_of_values(0.9);
  CHECK(wrong.status == Status::wrong);
  CHECK(wrong.seconds.empty());
  const Result small = row_of_values(1, 3);
  CHECK(small.status == Status::failed);
  CHECK(has(small, "must write 1728 values of 8 bytes; wrote 27 of 8"));
}

TEST_CASE("the authors' program keeps its times beside its error, where it can compute the case") {
  CHECK(row_of_values(1, 12, "mpdfestimator").status == Status::ok);
  const Result off = row_of_values(0.9, 12, "mpdfestimator");
  REQUIRE(off.status == Status::inexact);
  CHECK(off.seconds == std::vector<double>{0.25, 0.5});
  CHECK(off.error.value_or(0) == Approx(0.1).epsilon(1e-6));
  CHECK(off.reason == "off the density by 0.1 of the peak");
  BenchmarkCase weighted = peer_case(), uniform = weighted, biweight = weighted;
  weighted.weighted = true;
  uniform.shape = CloudShape::uniform;
  biweight.kernel = KernelFunction::biweight;
  const Peer peer{"mpdfestimator", "/no/such/python"};
  CHECK(has(measured_peer(peer, weighted), "does not support weights"));
  CHECK(has(measured_peer(peer, uniform), "covariance of its samples"));
  const Result row = measured_peer(peer, biweight);
  CHECK(row.status == Status::skipped);
  CHECK(has(row, "Epanechnikov kernel only"));
}

TEST_CASE("a user who stops ends the peer as well") {
  const TemporaryFolder folder;
  const Peer peer{"sklearn", shell_program(folder, "sleep 60\n")};
  const BenchmarkInput input = make_input(peer_case());
  CaseCheck check(input, 50);
  StoppedSoon progress;
  const StopWatch watch;
  const Error error =
      thrown_error([&] { measure_peer(peer, input, "test", quick_settings(), check, progress); });
  CHECK(error.kind() == ErrorKind::cancelled);
  CHECK(watch.seconds() < 20);
}
