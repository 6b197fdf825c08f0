// Bandwidth rules for which the panel has buttons.

#include <utility>

#include "support/catch.hpp"
#include "viewer/panel_stage.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

TEST_CASE("a button takes the bandwidth of its rule and follows it") {
  PanelStage stage(kTall);
  stage.state.density.bandwidth.bandwidth = 0.2;
  stage.frames(2);
  stage.forget();
  stage.click(stage.find("Density", {"###Scott"}).middle);
  CHECK(std::get<BandwidthRule>(stage.state.density.bandwidth.bandwidth) == BandwidthRule::scott);
  CHECK(stage.actions.density_changed);
  stage.click(stage.find("Density", {"###Silverman"}).middle);
  CHECK(std::get<BandwidthRule>(stage.state.density.bandwidth.bandwidth) ==
        BandwidthRule::silverman);
}

TEST_CASE("a button takes the bandwidth that the samples speak for") {
  PanelStage stage(kTall);
  for (const auto& [name, rule] :
       {std::pair("lscv", BandwidthRule::lscv), std::pair("lcv", BandwidthRule::lcv),
        std::pair("plug-in", BandwidthRule::plug_in)}) {
    stage.forget();
    stage.click(stage.find("Density", {name}).middle);
    CHECK(stage.actions.density_changed);
    CHECK(std::get<BandwidthRule>(stage.state.density.bandwidth.bandwidth) == rule);
  }
  stage.facts.silverman.reset();
  stage.state.density.bandwidth.bandwidth = 0.3;
  stage.click(stage.find("Density", {"lcv"}).middle);
  CHECK(std::get<double>(stage.state.density.bandwidth.bandwidth) == 0.3);
}
