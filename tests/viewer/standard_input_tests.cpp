#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "estimate/read/cloud.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/temporary_folder.hpp"
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
    CHECK(session.error().find("save it to a file") != std::string::npos);
    CHECK(session.state.cloud.columns.coordinates.empty());
    CHECK(session.scene.density().metadata.samples == 40);
  }
  dup2(kept, STDIN_FILENO);
  close(kept);
}
