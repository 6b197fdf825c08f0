#include "viewer/panel_stage.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

TEST_CASE("where the camera stands is typed, within what there is") {
  PanelStage stage(kTall);
  const auto typed = [&](const char* field, const char* number) {
    stage.type_number(stage.find(field + 2, {field}).middle, number);
  };
  typed("##azimuth", "30.25");
  typed("##elevation", "-12.5");
  typed("##zoom", "1.75");
  CHECK(stage.state.camera.azimuth == 30.25);
  CHECK(stage.state.camera.elevation == -12.5);
  CHECK(stage.state.camera.zoom == 1.75);
  CHECK(stage.actions.state_changed);
  CHECK_FALSE(stage.actions.density_changed);
  typed("##azimuth", "725");
  typed("##elevation", "-200");
  typed("##zoom", "-3");
  CHECK(stage.state.camera.azimuth == 180);
  CHECK(stage.state.camera.elevation == -90);
  CHECK(stage.state.camera.zoom == Camera::kLeastZoom);
}
