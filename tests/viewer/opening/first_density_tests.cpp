// Before the first density the samples are shown in their box.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "support/cases/random_choice.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/window/view_controls.hpp"
#include "viewer/window/view_frame.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using namespace std::chrono_literals;

constexpr glm::ivec2 kFirstSize{360, 240};

/// A session whose first density takes many seconds.
class SlowCloud {
 public:
  SlowCloud() { open("slow.xyz", 20000); }

  void open(const std::string& name, std::size_t samples) {
    session.open_files(
        test::text_file(folder.path(name), test::gaussian_cloud(samples).view()).paths);
    session.state.density = test::cube_request(160, 0.5, "naive");
  }
  /// Waits until `reached` holds, with what a window does between frames.
  template <class Reached>
  bool until(const Reached& reached) {
    for (int i = 0; i < 3000; ++i) {
      session.update_request();
      session.poll();
      if (reached()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  bool is_planned() {
    return until([this] { return session.scene.grid() != nullptr; });
  }
  /// Counts the pixels that are not of the ground.
  std::ptrdiff_t drawn() {
    frame.invalidate();
    const Picture picture = frame.draw_picture(session, kFirstSize, false);
    const auto ground = picture.at(2, 2);
    return std::ranges::count_if(picture.pixels, [&](auto pixel) { return pixel != ground; });
  }

  test::GlFixture context;
  test::TemporaryFolder folder;
  ViewSession session{ViewOptions()};
  ViewFrame frame{nullptr, 1};
};

}  // namespace

TEST_CASE("The samples and the box are shown before the first density") {
  SlowCloud slow;
  ViewSession& session = slow.session;
  CHECK(slow.drawn() < 4000);  // an invitation
  REQUIRE(slow.is_planned());
  CHECK_FALSE(session.scene.has_density());
  CHECK_FALSE(session.shown());
  REQUIRE(session.pictured() != nullptr);
  CHECK(session.pictured()->cloud == session.state.cloud);
  REQUIRE(session.scene.cloud());
  CHECK(session.scene.cloud()->points.size() == 20000);
  CHECK(session.scene.h() == 0.5);
  const Grid grid = *session.scene.grid();
  CHECK(grid.dims == std::array<std::int64_t, 3>{160, 160, 160});
  CHECK(session.scene.draws_points(session.state));
  const std::ptrdiff_t with_samples = slow.drawn();
  CHECK(with_samples > 2000);
  // A plane that keeps no sample leaves the box.
  session.state.clip.plane = ClipPlane{{1, 0, 0}, -1000};
  const std::ptrdiff_t alone = slow.drawn();
  CHECK(alone > 200);
  CHECK(with_samples > alone + 1500);
  session.state.clip = {};
  // The density takes over.
  session.state.density.engine = "span";
  session.wait([] { return false; });
  CHECK(session.scene.has_density());
  CHECK(*session.scene.grid() == grid);
  CHECK_FALSE(session.scene.draws_points(session.state));
  CHECK(session.pictured() == &*session.shown());
}

TEST_CASE("The samples stay if the first density is cancelled or fails") {
  SlowCloud slow;
  ViewSession& session = slow.session;
  REQUIRE(slow.is_planned());
  const std::ptrdiff_t before = slow.drawn();
  session.requests.worker().cancel();
  REQUIRE(slow.until([&] { return !session.requests.status().busy; }));
  CHECK(session.failures.text().empty());
  CHECK(session.scene.grid() != nullptr);
  CHECK(slow.drawn() > before);  // it says that there is no density
  session.state.density.kernel = KernelFunction::gaussian;
  session.state.density.engine = "span";  // which does not serve it
  REQUIRE(slow.until([&] { return session.failures.first() != nullptr; }));
  CHECK_FALSE(session.scene.has_density());
  CHECK(session.scene.grid() != nullptr);
  CHECK(session.scene.cloud());
  // Other files are not shown with these samples.
  session.failures.dismiss();
  session.open_files({slow.folder.path("missing.xyz")});
  session.update_request();
  CHECK(session.scene.grid() == nullptr);
  CHECK_FALSE(session.scene.cloud());
  REQUIRE(slow.until([&] { return session.failures.first() != nullptr; }));
  slow.open("other.xyz", 500);
  REQUIRE(slow.is_planned());
  CHECK(session.scene.cloud()->points.size() == 500);
}

TEST_CASE("Nothing that needs a density acts before the first one") {
  SlowCloud slow;
  ViewSession& session = slow.session;
  ViewScene& scene = session.scene;
  REQUIRE(slow.is_planned());
  std::mt19937 random(71);
  test::Choice choose(random);
  const float scale = 1;
  for (int turn = 0; turn < 60; ++turn) {
    ViewState& state = session.state;
    state.layout = choose.word(kViewLayouts);
    state.mode = choose.word(kRenderModes);
    state.sections.shown = choose.word(kSectionsShown);
    state.ellipsoids = choose.word(kEllipsoidsShown);
    state.point_look.colors = PointColors::density;
    state.show_points = choose.coin();
    state.show_probe = true;
    state.pins = {{choose.real(-1, 1), 0, 0}};
    state.masses = {0.5};
    const glm::dvec2 pixel{choose.real(0, kFirstSize.x), choose.real(0, kFirstSize.y)};
    slow.frame.draw_picture(session, kFirstSize, choose.coin());
    const ViewParts parts = view_parts(state, {{0, 0}, kFirstSize}, scale);
    CHECK_FALSE(place_at(scene, state, parts, pixel, scale));
    CHECK(surfaces(state, scene.view.volume).empty());
    CHECK(scene.method.slices() == nullptr);
    CHECK(scene.pin_readings(state).empty());
    CHECK(read_sections(scene, state).density == 0);
    const std::int64_t sample = state.sample;
    step_method(state, scene);
    CHECK(state.sample == sample);
    scene.view.points.pick(scene.view.part(state.camera, parts.volume, scale), pixel, state.clip);
    start_fit(session, 3);
    CHECK_FALSE(session.fit.status().busy);
    scale_bandwidth(state, scene, 1 / 1.02);
    session.hold_frame(choose.coin());
    slow.until([] { return true; });
    REQUIRE_FALSE(scene.has_density());
  }
  CHECK(std::get<double>(session.state.density.bandwidth.bandwidth) ==
        Approx(0.5 * std::pow(1 / 1.02, 60)));
}
