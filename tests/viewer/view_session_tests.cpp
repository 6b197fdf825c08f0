#include "viewer/session/view_session.hpp"

#include "io/volumes/volume_formats.hpp"
#include "support/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"

namespace {

using namespace skde;
using namespace skde::view;

const auto never = [] { return false; };

/// A session that shows 40 samples of a file in the folder.
class OpenCloud {
 public:
  OpenCloud() {
    session.open_files(write("first.xyz", 40).paths);
    session.wait(never);
  }
  CloudFiles write(const std::string& name, std::size_t count) const {
    return test::text_file(folder.path(name), test::gaussian_cloud(count).view());
  }

  test::GlFixture context;
  test::TemporaryFolder folder;
  ViewSession session{options()};

 private:
  static ViewOptions options() {
    ViewOptions options;
    options.state.density.grid.dims = {12, 0, 0};
    options.state.density.device = Device::cpu;
    return options;
  }
};

}  // namespace

TEST_CASE("Files that are dropped replace those that were open") {
  OpenCloud open;
  ViewSession& session = open.session;
  REQUIRE(session.scene.cloud());
  CHECK(session.scene.cloud()->points.size() == 40);
  session.state.sample = 39;
  session.state.slice = 3;
  session.state.density.kernel = KernelFunction::biweight;
  session.open_files(open.write("second.xyz", 25).paths);
  session.wait(never);
  CHECK(session.scene.cloud()->points.size() == 25);
  CHECK(session.scene.density().metadata.samples == 25);
  CHECK(session.scene.density().metadata.kernel == KernelFunction::biweight);
  CHECK(session.state.sample == 0);
  CHECK(session.state.slice == -1);
  CHECK(session.error().empty());
}

TEST_CASE("Several files that are dropped are one cloud") {
  OpenCloud open;
  open.session.open_files({open.write("a.xyz", 10).paths[0], open.write("b.xyz", 15).paths[0]});
  open.session.wait(never);
  CHECK(open.session.scene.density().metadata.samples == 25);
}

TEST_CASE("A volume that is dropped is shown alone") {
  OpenCloud open;
  const std::string path = open.folder.path("a.nrrd");
  const Grid grid{.lower = {0, 0, 0}, .spacing = {1, 1, 1}, .dims = {5, 4, 3}};
  io::volume_format_for(path).write(path, Volume(grid, std::vector<float>(60, 0.25F)), {});
  open.session.open_files({path});
  open.session.wait(never);
  CHECK(open.session.scene.cloud() == nullptr);
  CHECK(open.session.scene.density().grid() == grid);
  CHECK(open.session.state.layout == ViewLayout::volume);
}

TEST_CASE("A file that cannot be opened leaves the picture of the one before") {
  OpenCloud open;
  ViewSession& session = open.session;
  session.open_files({open.folder.file("broken.ply", "ply\nnothing else\n")});
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.error().find("broken.ply") != std::string::npos);
  REQUIRE(session.scene.has_density());
  CHECK(session.scene.density().metadata.samples == 40);
  session.open_files(open.write("good.xyz", 12).paths);
  session.wait(never);
  CHECK(session.error().empty());
  CHECK(session.scene.density().metadata.samples == 12);
}
