#include "viewer/window/view_frame.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "io/volumes/volume_formats.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "system/stop_watch.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/volume_pictures.hpp"

using namespace skde;
using namespace skde::view;

TEST_CASE("the panels tell how long the frame before took, from its first command to its picture") {
  const test::GlFixture context;
  const test::TemporaryFolder folder;
  ViewOptions options;
  options.state.cloud = test::text_file(folder.path("a.xyz"), test::gaussian_cloud(40).view());
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  ViewSession session(options);
  session.wait([] { return false; });
  ViewFrame frame(nullptr, 1);
  CHECK(frame.facts(session).frame_seconds == 0);

  double least = 0, most = 0;  // bounds of the last frame's seconds
  for (const glm::ivec2 size : {glm::ivec2(400, 300), glm::ivec2(700, 500), glm::ivec2(300, 200)}) {
    const StopWatch watch;
    frame.draw(session, size, nullptr, true);
    const ui::PanelFacts said = frame.facts(session);
    CHECK((said.frame_seconds > 0) == (most > 0));
    if (said.frame_seconds > 0) {
      CHECK(said.frame_seconds >= least);
      CHECK(said.frame_seconds <= most);
    }
    glFinish();
    most = watch.seconds();
    least = session.scene.view.volume.march_seconds();
    CHECK(least > 0);
  }

  // Frames that redraw only the panels keep the time of the last whole picture.
  const auto shown = [&] {
    frame.draw(session, {300, 200}, nullptr, true);
    glFinish();
    return frame.facts(session).frame_seconds;
  };
  const auto whole = shown();
  CHECK(shown() == whole);
  CHECK(shown() == whole);
}

namespace {

/// A session that shows a volume of 12^3 cells over the unit cube.
class ShownVolume {
 public:
  explicit ShownVolume(const std::function<double(Vec3)>& f) {
    const std::string path = folder.path("a.nrrd");
    io::volume_format_for(path).write(
        path, test::volume_of({{}, {1. / 12, 1. / 12, 1. / 12}, {12, 12, 12}}, f), {});
    options.state.cloud.paths = {path};
    session.emplace(options);
    session->wait([] { return false; });
  }
  /// Returns all warnings as one text.
  std::string warnings() {
    std::string all;
    for (const std::string& one : picture_warnings(*session)) all += one + "\n";
    return all;
  }

  test::GlFixture context;
  test::TemporaryFolder folder;
  ViewOptions options;
  std::optional<ViewSession> session;
};

double bump(Vec3 at) {
  const Vec3 off = at - Vec3{0.3, 0.6, 0.7};
  return std::exp(-20 * (off.x * off.x + off.y * off.y + off.z * off.z));
}

}  // namespace

TEST_CASE("values that no density has are told, and infinite ones do not stretch the axis") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  ShownVolume plain(bump);
  CHECK(plain.warnings().empty());
  for (const auto& [value, told] :
       {std::pair(nan, "1,728 values are NaN; no value is above 0"),
        std::pair(0.0, "no value is above 0"), std::pair(-1.0, "1,728 values are negative; no")}) {
    ShownVolume empty([v = value](Vec3) { return v; });
    CHECK(empty.warnings().find(told) != std::string::npos);
  }
  ShownVolume infinite([&](Vec3 at) { return at.x + at.y + at.z > 2.8 ? infinity : bump(at); });
  CHECK(infinite.warnings().find("infinite") != std::string::npos);
  CHECK(infinite.session->state.transfer.axis.high == plain.session->state.transfer.axis.high);
  CHECK(infinite.session->scene.view.volume.peak_place() ==
        plain.session->scene.view.volume.peak_place());
}

TEST_CASE("the peak is found, and what lies beyond the box is told") {
  ShownVolume shown(bump);
  ViewState& state = shown.session->state;
  show_peak(*shown.session);
  // The cell of 12 whose middle is nearest to the bump's.
  REQUIRE(state.sections.at);
  CHECK(state.sections.at->x == Approx(3.5 / 12));
  CHECK(state.sections.at->y == Approx(7.5 / 12).margin(1.01 / 12));
  CHECK(state.sections.at->z == Approx(8.5 / 12).margin(1.01 / 12));
  CHECK(shown.warnings().empty());
  state.sections.at = Vec3{0.5, 0.5, 1.5};
  CHECK(shown.warnings().find("slices is outside the box") != std::string::npos);
  state.clip.box = Box{{2, 0, 0}, {3, 1, 1}};
  CHECK(shown.warnings().find("cuts away the whole box") != std::string::npos);
  CHECK(shown.warnings().find("slices is outside the box") != std::string::npos);
  state.sections.at.reset();
  state.clip = {{}, ClipPlane{{1, 1, 1}, 3.1}};
  CHECK(shown.warnings().empty());
  state.clip.plane->offset = -0.1;
  CHECK(shown.warnings().find("cuts away the whole box") != std::string::npos);
  state.clip = {};
  state.mode = RenderMode::isosurface;
  state.masses = {0.5};
  CHECK(shown.warnings().empty());
  state.appearance.title = "\u0416 \u6f22";
  const ViewFrame frame(nullptr, 1);
  CHECK(shown.warnings().find("lacks \u6f22 (U+6F22)") != std::string::npos);
}
