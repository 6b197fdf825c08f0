#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "estimate/read/cloud.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "system/stop_watch.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/session/view_session.hpp"

using namespace skde;
using namespace skde::view;

TEST_CASE("Standard input is shown as a file is, and read once") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  const CloudFiles file = test::text_file(folder.path("a.xyz"), test::gaussian_cloud(40).view());
  const int kept = dup(STDIN_FILENO);
  const int input = open(file.paths[0].c_str(), O_RDONLY);
  REQUIRE(dup2(input, STDIN_FILENO) == STDIN_FILENO);
  close(input);
  {
    ViewOptions options;
    options.state.cloud.paths = {"-"};
    options.state.density.grid.dims = {12, 0, 0};
    options.state.density.device = Device::cpu;
    ViewSession session{options};
    session.wait([] { return false; });
    CHECK(session.scene.cloud()->points.size() == 40);
    session.state.density.kernel = KernelFunction::biweight;
    session.wait([] { return false; });  // from the same samples
    CHECK(session.scene.density().metadata.samples == 40);
    CHECK(session.scene.density().metadata.kernel == KernelFunction::biweight);
    // Reading the rest of standard input would give another cloud.
    REQUIRE(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    session.state.cloud.columns.coordinates = {"3", "2", "1"};
    CHECK_THROWS_AS(session.wait([] { return false; }), Error);
    CHECK(session.failures.text().find("save it to a file") != std::string::npos);
    CHECK(session.state.cloud.columns.coordinates.empty());
    CHECK(session.scene.density().metadata.samples == 40);
  }
  dup2(kept, STDIN_FILENO);
  close(kept);
}

TEST_CASE("A stream can be paused, loses nothing meanwhile, and says when it has ended") {
  test::GlFixture context;
  const int kept = dup(STDIN_FILENO);
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  close(ends[0]);
  const auto send = [&](int count, double place) {
    std::string rows;
    for (int i = 0; i < count; ++i)
      rows += fmt::format("{} {} {}\n", place + i % 7 / 7.0, i % 5 / 5.0, i % 3 / 3.0);
    REQUIRE(write(ends[1], rows.data(), rows.size()) == std::ssize(rows));
  };
  {
    ViewOptions options;
    options.state.cloud.paths = {"-"};
    options.state.density.grid.bounds = Box{{-4, -4, -4}, {4, 4, 4}};
    options.state.density.grid.dims = {12, 0, 0};
    options.state.density.bandwidth.bandwidth = Vec3{1, 1, 1};
    options.state.density.device = Device::cpu;
    options.window = WindowSpec{.window = 1000, .every = 100};
    ViewSession session{options};
    const auto samples = [&] { return session.scene.density().metadata.samples; };
    const auto until = [&](auto holds) {
      const StopWatch watch;
      while (!holds() && watch.seconds() < 60) {
        session.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      return holds();
    };
    session.update_request();
    send(100, 0);
    REQUIRE(until([&] { return session.scene.has_density() && samples() == 100; }));
    session.requests.pause(true);
    CHECK(session.requests.paused());
    send(300, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    session.poll();
    const std::uint64_t held = samples();  // what was being read when the pause came is shown
    CHECK(held <= 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    session.poll();
    CHECK(samples() == held);
    // Other requests are served from the samples in the window.
    session.state.density.kernel = KernelFunction::biweight;
    session.update_request();
    REQUIRE(
        until([&] { return session.scene.density().metadata.kernel == KernelFunction::biweight; }));
    CHECK(samples() == held);
    session.requests.pause(false);
    CHECK(until([&] { return samples() == 400; }));
    CHECK_FALSE(session.requests.status().stream_ended);
    close(ends[1]);
    CHECK(until([&] { return session.requests.status().stream_ended; }));
    CHECK(samples() == 400);
  }
  dup2(kept, STDIN_FILENO);
  close(kept);
}
