// The menu of bandwidth rules.

#include <utility>

#include "support/catch.hpp"
#include "viewer/panel_stage.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

TEST_CASE("the menu has every rule, and an h of one's own") {
  PanelStage stage(kTall);
  auto& bandwidth = stage.state.density.bandwidth.bandwidth;
  stage.facts.suggested.normal_scale = 0.3;
  stage.facts.suggested.normal_scott = 0.31;
  const auto choose = [&](int line) {
    bandwidth = 0.2;
    stage.frames(2);
    stage.forget();
    stage.choose_line(stage.find("bandwidth", {"##rule"}), line);
  };
  int line = 0;
  for (const auto& [name, rule] : kBandwidthRules) {
    choose(line++);
    CHECK(stage.actions.density_changed);
    CHECK(std::get<BandwidthRule>(bandwidth) == rule);
  }
  stage.choose_line(stage.find("bandwidth", {"##rule"}), line);
  CHECK(std::get<double>(bandwidth) == *stage.facts.h);
  stage.facts.suggested.silverman.reset();
  choose(5);
  CHECK(std::get<double>(bandwidth) == 0.2);
}
