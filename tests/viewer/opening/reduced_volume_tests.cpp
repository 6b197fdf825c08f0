#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/volume/volume_texture.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

using namespace skde;
using namespace skde::view;

TEST_CASE("A grid is reduced until the card can draw it, and no further") {
  std::mt19937 random(31);
  for (int i = 0; i < 300; ++i) {
    Grid grid;
    for (auto& cells : grid.dims) cells = 1 + static_cast<std::int64_t>(random() % 5000);
    const TextureLimits limits{256 << random() % 4, std::int64_t{1} << (16 + random() % 14)};
    const Reduction by = reduction_for(grid, limits);
    const auto fits = [&](const Reduction& reduction) {
      std::int64_t cells = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t left = (grid.dims[axis] + reduction[axis] - 1) / reduction[axis];
        if (left > limits.side) return false;
        cells *= left;
      }
      return cells <= limits.cells;
    };
    CHECK(fits(by));
    Reduction finer = by;
    for (auto& count : finer) count = std::max<std::int64_t>(count - 1, 1);
    CHECK((finer == by || !fits(finer)));
    if (fits({1, 1, 1})) CHECK(by == Reduction{1, 1, 1});
  }
}

TEST_CASE("A reduced volume holds the means of blocks, and all of the mass") {
  std::mt19937 random(37);
  std::uniform_real_distribution<double> any(-1, 5);
  for (int i = 0; i < 30; ++i) {
    Grid grid{{1, -2, 3}, {0.5, 0.25, 2}, {}};
    Reduction by{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid.dims[axis] = 1 + static_cast<std::int64_t>(random() % 13);
      by[axis] = 1 + static_cast<std::int64_t>(random() % 4);
    }
    std::vector<double> values(static_cast<std::size_t>(grid.cells()));
    for (double& value : values) value = any(random);
    if (i % 3 == 0) values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    const Volume small = reduced(Volume(grid, values), by);
    CHECK(small.grid().lower.x == grid.lower.x);
    double mass = 0;
    for (const double value : values) mass += std::isfinite(value) ? value : 0;
    CHECK(small.mass() == Approx(mass * grid.cell_volume()).margin(1e-12));
    // One block, cell by cell.
    const auto& n = small.grid().dims;
    const std::array<std::int64_t, 3> at{n[0] - 1, n[1] / 2, n[2] - 1};
    double sum = 0;
    for (std::int64_t z = at[2] * by[2]; z < std::min((at[2] + 1) * by[2], grid.dims[2]); ++z)
      for (std::int64_t y = at[1] * by[1]; y < std::min((at[1] + 1) * by[1], grid.dims[1]); ++y)
        for (std::int64_t x = at[0] * by[0]; x < std::min((at[0] + 1) * by[0], grid.dims[0]); ++x) {
          const double value =
              values[static_cast<std::size_t>(x + grid.dims[0] * (y + grid.dims[1] * z))];
          if (std::isfinite(value)) sum += value;
        }
    CHECK(small.at(at[0], at[1], at[2]) ==
          Approx(sum / static_cast<double>(by[0] * by[1] * by[2])).margin(1e-12));
  }
}

TEST_CASE("A density with more cells along an axis than a texture is shown, and the view says so") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  const std::int64_t side = texture_limits().side;
  ViewOptions options;
  options.state.cloud = test::text_file(folder.path("a.xyz"), test::gaussian_cloud(40).view());
  options.state.density.grid.dims = {2 * side + 3, 5, 4};
  options.state.density.device = Device::cpu;
  ViewSession session{options};
  session.wait([] { return false; });
  CHECK(session.scene.density().grid().dims[0] == 2 * side + 3);
  CHECK(session.scene.view.volume.texture().grid().dims ==
        std::array<std::int64_t, 3>{(2 * side + 5) / 3, 5, 4});
  const ui::PanelFacts facts = facts_of(session, "");
  REQUIRE_FALSE(facts.warnings.empty());
  CHECK(facts.warnings.back().find("drawn with") != std::string::npos);
  const double mass = session.scene.view.volume.texture().read_back().mass();
  CHECK(mass == Approx(session.scene.density().metadata.mass_in_box).epsilon(0.05));
  session.state.density.grid.dims = {12, 0, 0};
  session.wait([] { return false; });
  CHECK(session.scene.view.volume.texture().grid().dims == session.scene.density().grid().dims);
}
