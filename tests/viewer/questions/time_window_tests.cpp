// A window of time, and what the panel does with it.

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "estimate/read/cloud.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_session.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

namespace {

const auto not_ended = [] { return false; };

/// A session with random weighted events in a file with a column "t"; some have none.
class TimedEvents {
 public:
  TimedEvents() {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> any(0, 10);
    std::ofstream file(path);
    file.precision(17);
    file << "x,y,z,w,t\n";
    for (int i = 0; i < 500; ++i) {
      const double t = any(random);
      file << normal(random) + t / 4 << ',' << normal(random) << ',' << normal(random) << ','
           << any(random) + 0.1 << ','
           << (i % 50 == 7 ? std::string("nan") : fmt::format("{:.17g}", t)) << '\n';
    }
    file.close();
    session.state.cloud.paths = {path};
    session.state.cloud.columns.weight = "w";
    session.state.density = cube_request(24, 0.8);
  }
  void show(double at, double width) {
    session.state.time = {"t", at, width};
    session.wait(not_ended);
  }

  GlFixture context;
  TemporaryFolder folder;
  unsigned seed = std::random_device()();
  std::string path = folder.path("events.csv");
  ViewSession session{ViewOptions()};
};

TimeRange typical_times() { return {1964, 2000, 1970, 1975}; }

}  // namespace

TEST_CASE("the density of a window of time is that of the rows of its condition") {
  TimedEvents events;
  INFO("seed " << events.seed);
  NoProgress progress;
  for (const double at : {0.0, 3.25, 8.5}) {
    for (const std::string also : {"", "z > -0.5"}) {
      CAPTURE(at, also);
      events.session.state.cloud.columns.where = also;
      events.show(at, 1.75);
      CloudFiles rows = events.session.state.cloud;
      rows.columns.where =
          fmt::format("{}t >= {} && t <= {}", also.empty() ? "" : also + " && ", at, at + 1.75);
      Session other;
      other.open(rows, progress);
      const Volume wanted = other.compute(events.session.state.density).take_volume();
      const Volume shown = events.session.scene.view.volume.texture().read_back();
      CHECK(events.session.scene.cloud()->points.size() == other.cloud()->points.size());
      CHECK(std::ranges::equal(shown.values<float>(), wanted.values<float>()));
    }
  }
}

TEST_CASE("windows of time share the box of all times, and begin with the least") {
  TimedEvents events;
  events.session.state.density.grid.bounds.reset();
  events.session.state.density.bandwidth.bandwidth = BandwidthRule::silverman;
  events.session.wait(not_ended);
  const Grid all = events.session.scene.density().grid();
  CHECK_FALSE(events.session.scene.time);
  events.session.state.time.column = "t";
  events.session.wait(not_ended);
  REQUIRE(events.session.scene.time);
  const TimeRange range = *events.session.scene.time;
  CHECK(range.from == range.least);
  CHECK(range.to - range.from == Approx((range.most - range.least) / 10));
  const Grid first = events.session.scene.density().grid();
  for (int axis = 0; axis < 3; ++axis)  // ten events without a time are missing
    CHECK(first.bounds().extent()[axis] == Approx(all.bounds().extent()[axis]).epsilon(0.1));
  events.show(5, 2);
  CHECK(events.session.scene.density().grid() == first);
}

TEST_CASE("a window without samples is told, and the last one stays") {
  TimedEvents events;
  events.show(2, 1);
  CHECK_THROWS_AS(events.show(40, 1), Error);
  CHECK(events.session.failures.text().find("no sample has a t from 40 to 41") !=
        std::string::npos);
  CHECK(events.session.state.time.at == 2);
}

TEST_CASE("the panel moves the window, and plays it to the last time") {
  PanelStage stage(kTall);
  stage.state.time = {"year", 1970, 5};
  stage.facts.time = typical_times();
  stage.frames(2);
  const PanelStage::Place slider = stage.find("time", {"##at"});
  stage.forget();
  stage.click(slider.middle);
  CHECK(*stage.state.time.at == Approx(1979.5).margin(1));
  CHECK(stage.actions.density_changed);
  CHECK(stage.actions.holds_frame);
  const double before = *stage.state.time.at;
  stage.click(stage.find("time", {"play"}).middle);
  CHECK(stage.layout.playing);
  stage.frames(5);
  CHECK(*stage.state.time.at > before);
  stage.facts.progress = ui::ProgressFact{"accumulate", 0.5, 1};
  const double waiting = *stage.state.time.at;
  stage.frames(5);
  CHECK(*stage.state.time.at == waiting);
  stage.facts.progress.reset();
  stage.frames(2000);
  CHECK_FALSE(stage.layout.playing);
  CHECK(*stage.state.time.at == 1995);
  // Nothing plays on without times, such as after an undo, even if the panels are hidden.
  stage.layout.playing = true;
  stage.state.division.panels_shown = false;
  stage.state.time = {};
  stage.frames();
  CHECK_FALSE(stage.layout.playing);
}
