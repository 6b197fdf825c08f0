#include "viewer/panel_stage.hpp"
#include "viewer/volume_pictures.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

namespace {

/// The panels with a density to fit.
class FitStage : public PanelStage {
 public:
  FitStage() : PanelStage(kTall) {
    facts.mixture.cells = 1'000'000;
    frames(3);
    forget();
  }
};

}  // namespace

TEST_CASE("buttons show ellipsoids under the volume, alone, or not") {
  PanelStage stage(kTall);
  stage.facts.mixture.members = 12;
  stage.frames(3);
  stage.forget();
  stage.click(stage.find("ellipsoids", {"alone"}).middle);
  CHECK(stage.state.ellipsoids == EllipsoidsShown::alone);
  stage.click(stage.find("ellipsoids", {"under"}).middle);
  CHECK(stage.state.ellipsoids == EllipsoidsShown::under);
  CHECK(stage.actions.state_changed);
  CHECK_FALSE(stage.actions.density_changed);
  stage.click(stage.find("ellipsoids", {"off"}).middle);
  CHECK(stage.state.ellipsoids == EllipsoidsShown::off);
}

TEST_CASE("a fit is started with the number that was typed, within what there is") {
  FitStage stage;
  stage.click(stage.find("fit", {"start"}).middle);
  CHECK(stage.actions.start_fit == std::size_t{1024});
  stage.type_number(stage.find("fit", {"##members"}).middle, "300");
  stage.click(stage.find("fit", {"start"}).middle);
  CHECK(stage.actions.start_fit == std::size_t{300});
  stage.type_number(stage.find("fit", {"##members"}).middle, "9999999");
  stage.click(stage.find("fit", {"start"}).middle);
  CHECK(stage.actions.start_fit == std::size_t{65536});
  stage.click(stage.find("fit", {"stop"}).middle);
  CHECK_FALSE(stage.actions.stop_fit);
}

TEST_CASE("a running fit can be stopped but not started again, and draws its error") {
  FitStage stage;
  stage.facts.mixture.fit = {true, "fit", 150, 2000, {0.5F, 0.2F, 0.1F}};
  stage.frames(3);
  stage.forget();
  stage.find("fit", {"stop"});
  const Picture falling = stage.picture();
  stage.facts.mixture.fit.errors[1] = 0.5F;
  stage.frames(2);
  CHECK(greatest_difference(falling, stage.picture()) > 50);
  stage.click(stage.find("fit", {"stop"}).middle);
  CHECK(stage.actions.stop_fit);
  stage.click(stage.find("fit", {"start"}).middle);
  CHECK_FALSE(stage.actions.start_fit);
}

TEST_CASE("a fit that has ended is saved by its path") {
  FitStage stage;
  stage.facts.mixture.result = {{"relative error", "1.2 %"}};
  stage.frames(3);
  stage.forget();
  stage.click(stage.find("fit", {"save"}).middle);
  CHECK(stage.actions.save_fit == "mixture.ply");
}
