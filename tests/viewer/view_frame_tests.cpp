#include "viewer/scene/view_frame.hpp"

#include "support/cases/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "system/stop_watch.hpp"
#include "viewer/gl_fixture.hpp"

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
  CHECK_FALSE(frame.facts(session).statistics.frame_seconds);

  double least = 0, most = 0;  // bounds of the last frame's seconds
  for (const glm::ivec2 size : {glm::ivec2(400, 300), glm::ivec2(700, 500), glm::ivec2(300, 200)}) {
    const StopWatch watch;
    frame.draw(session, size, nullptr, true);
    const ui::StatisticsFacts said = frame.facts(session).statistics;
    CHECK(said.frame_seconds.has_value() == (most > 0));
    if (said.frame_seconds) {
      CHECK(*said.frame_seconds >= least);
      CHECK(*said.frame_seconds <= most);
    }
    glFinish();
    most = watch.seconds();
    least = session.scene.march_seconds();
    CHECK(least > 0);
  }

  // Frames that redraw only the panels keep the time of the last whole picture.
  const auto shown = [&] {
    frame.draw(session, {300, 200}, nullptr, true);
    glFinish();
    return frame.facts(session).statistics.frame_seconds;
  };
  const auto whole = shown();
  CHECK(shown() == whole);
  CHECK(shown() == whole);
}
