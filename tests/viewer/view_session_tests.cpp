#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "viewer/session/view_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "io/volumes/volume_formats.hpp"
#include "pictures/axis_ticks.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/cases/splat_scene.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/session/view_state_file.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/value_ticks.hpp"

namespace {

using namespace skde;
using namespace skde::view;

const auto never = [] { return false; };

/// A session that shows 40 samples from a file.
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
  CHECK(session.failures.text().empty());
}

TEST_CASE("A view that was saved comes back whole, or all is as before") {
  OpenCloud open;
  ViewSession& session = open.session;
  session.state.camera.azimuth = 17;
  session.state.mode = RenderMode::maximum;
  const ViewState first = session.kept_state();
  save_view_state(open.folder.path("view.json"), first);
  session.state.camera.azimuth = 80;
  session.state.mode = RenderMode::composite;
  session.state.density.kernel = KernelFunction::biweight;
  session.open_files(open.write("second.xyz", 25).paths);
  session.wait(never);
  const ViewState second = session.kept_state();
  REQUIRE_FALSE(second == first);

  session.open_view(load_view_state(open.folder.path("view.json")));
  session.wait(never);
  CHECK(session.scene.cloud()->points.size() == 40);
  CHECK(session.scene.density().metadata.kernel == KernelFunction::epanechnikov);
  CHECK(session.state.camera.azimuth == 17);
  CHECK(session.state.mode == RenderMode::maximum);

  ViewState lost = second;
  lost.cloud.paths = {open.folder.path("none.xyz")};
  const ViewState before = session.kept_state();
  session.open_view(lost);
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.state == before);
  CHECK(session.failures.text().find("none.xyz") != std::string::npos);
  // A view without files applies its look to the open ones.
  lost.cloud.paths.clear();
  session.open_view(lost);
  session.wait(never);
  CHECK(session.scene.cloud()->points.size() == 40);
  CHECK(session.state.camera.azimuth == 80);
}

TEST_CASE("Several files that are dropped are one cloud") {
  OpenCloud open;
  open.session.open_files({open.write("a.xyz", 10).paths[0], open.write("b.xyz", 15).paths[0]});
  open.session.wait(never);
  CHECK(open.session.scene.density().metadata.samples == 25);
}

TEST_CASE("Splats that are dropped are seen with their shapes, weights and kernel") {
  OpenCloud open;
  const test::SplatScene scene(15, 2);
  open.session.state.density.adaptive = 0.5;
  open.session.open_files({open.folder.file("a.ply", scene.text())});
  open.session.wait(never);
  CHECK(open.session.scene.density().metadata.kernel == KernelFunction::gaussian);
  CHECK(open.session.scene.cloud()->points.shaped());
  CHECK(open.session.scene.density().metadata.total_weight == Approx(scene.total_weight()));
  // The kernel of splats is not kept for other clouds.
  open.session.open_files(open.write("b.xyz", 15).paths);
  open.session.wait(never);
  CHECK(open.session.scene.density().metadata.kernel == KernelFunction::epanechnikov);
  CHECK_FALSE(open.session.scene.cloud()->points.shaped());
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

TEST_CASE(
    "The numbers of doubles beyond the range of float are true on the bar and in the panels") {
  OpenCloud open;
  const std::string path = open.folder.path("a.nrrd");
  const Grid grid{.lower = {0, 0, 0}, .spacing = {1, 1, 1}, .dims = {5, 4, 3}};
  const double peak = GENERATE(2e-50, 2e50);
  std::vector<double> values(60, 0.25 * peak);
  values[17] = peak;
  io::volume_format_for(path).write(path, Volume(grid, values), {});
  open.session.open_files({path});
  open.session.wait(never);
  const ui::PanelFacts facts = facts_of(open.session, "");
  CHECK(facts.peak == Approx(peak).epsilon(1e-6).margin(0));
  CHECK(facts.histogram.axis.high == Approx(peak).epsilon(1e-6).margin(0));
  const ValueAxis axis = open.session.state.transfer.axis;
  CHECK(axis.high == Approx(peak).epsilon(1e-6).margin(0));
  const ui::ValueTicks ticks = ui::value_ticks(axis, 5, {});
  const std::string power = power_of_ten(peak > 1 ? 50 : -50);
  CHECK(std::ranges::any_of(ticks.ticks,
                            [&](const ui::ValueTick& tick) { return tick.label == power; }));
}

TEST_CASE("A volume keeps its units and the kind of its values, and odd ones are counted") {
  OpenCloud open;
  const std::string path = open.folder.path("a.nrrd");
  const Grid grid{.lower = {0, 0, 0}, .spacing = {1, 1, 1}, .dims = {5, 4, 3}};
  std::vector<float> values(60, 0.25F);
  values[3] = values[9] = std::numeric_limits<float>::quiet_NaN();
  values[20] = std::numeric_limits<float>::infinity();
  values[21] = -1;
  DensityMetadata metadata;
  metadata.units = std::string("km");
  metadata.samples = 5;  // marks the file as written by skde
  metadata.normalization = Normalization::count;
  io::volume_format_for(path).write(path, Volume(grid, values), metadata);
  open.session.state.units = std::string("m");
  open.session.open_files({path});
  open.session.wait(never);
  const ui::PanelFacts facts = facts_of(open.session, "");
  CHECK(facts.values.name == "samples");
  CHECK(facts.axes.units == "km");
  REQUIRE(facts.notes.size() == 1);
  CHECK(facts.notes[0] == "2 values are NaN, 1 value is infinite, 1 value is negative");
}

TEST_CASE("Units that columns name stand on axes and bar, unless others are given") {
  OpenCloud open;
  std::string rows;
  for (int i = 0; i < 12; ++i) rows += fmt::format("{},{},{}\n", i % 5, i % 3, i % 4);
  open.session.open_files({open.folder.file("same.csv", "x (m),y (m),z (m)\n" + rows)});
  open.session.wait(never);
  CHECK(facts_of(open.session, "").axes.units == "m");
  CHECK(facts_of(open.session, "").values.unit == "m\u207b\u00b3");
  open.session.open_files({open.folder.file("unlike.csv", "x (m),y (m),t (s)\n" + rows)});
  open.session.state.cloud.columns.coordinates = {"1", "2", "3"};
  open.session.wait(never);
  CHECK(facts_of(open.session, "").axes.units.empty());
  CHECK(facts_of(open.session, "").axes.names[2] == "t (s)");
  CHECK(method_look(open.session.scene, open.session.state).axes[2] == "t (s)");
  open.session.state.units = "km";
  CHECK(facts_of(open.session, "").axes.units == "km");
  CHECK(facts_of(open.session, "").axes.names[2] == "t");
}

TEST_CASE("Rows that are dropped are counted in the panels") {
  OpenCloud open;
  open.session.open_files(
      {open.folder.file("odd.xyz", "nan 1 2\n0 0 0\n1 0 0\n0 1 inf\n0 1 0\n0 0 1\n1 1 1\n")});
  open.session.wait(never);
  const ui::PanelFacts facts = facts_of(open.session, "");
  REQUIRE(facts.notes.size() == 1);
  CHECK(facts.notes[0] == "2 of 7 rows dropped: 2 with NaN or an infinity");
}

TEST_CASE("The method shows the very kernel that the sums take") {
  OpenCloud open;
  ViewSession& session = open.session;
  const auto shown = [&] {
    session.wait(never);
    session.scene.reached_slices(session.state);
    return session.scene.method.slices()->ellipsoid;
  };
  const auto check_common = [&] {
    const double rx = shown().rx;
    const DensityFacts& facts = session.scene.density().facts();
    CHECK(rx == Approx(facts.kernel.ellipsoid(facts.grid).rx));
  };
  // The Gaussian is shown up to its cut, not only to the ellipsoid of its H.
  session.state.density.kernel = KernelFunction::gaussian;
  check_common();
  const double cut = session.scene.density().facts().kernel.cut();
  CHECK(cut > 3);
  CHECK(cut * *facts_of(session, "").lengths ==
        session.scene.density().facts().kernel.half_extents());
  session.state.density.tolerance = 0.01;
  check_common();
  const auto lines = facts_of(session, "").statistics;
  const std::string accuracy = std::ranges::find(lines, "accuracy", &ReadoutLine::label)->value;
  CHECK(accuracy.starts_with("values within 0.0"));
  CHECK(accuracy.ends_with("of the density's peak"));
  CHECK(session.scene.density().facts().kernel.cut() < cut);

  std::string rows = "x,y,z,s\n";
  for (int i = 0; i < 12; ++i)
    rows += fmt::format("{},{},{},{}\n", i % 5, i % 3, i % 4, i == 7 ? 3.0 : 1e-3);
  session.open_files({open.folder.file("widths.csv", rows)});
  session.state.cloud.columns.widths = {"s"};
  session.state.density.kernel = KernelFunction::epanechnikov;
  session.state.sample = 7;
  const Vec3 cell = (shown(), session.scene.density().grid().spacing);
  CHECK(shown().rx == Approx(3 / cell.x));
  CHECK(world_matrix(shown(), session.scene.density().grid()).zz == Approx(9));
  CHECK(facts_of(session, "").own_kernels);
  session.state.sample = 3;  // thinner than a cell, so raised to the floor
  const double widened = shown().sz;
  CHECK(widened == Approx(1 / std::sqrt(KernelFunction::epanechnikov->variance)));
  session.state.density.min_width = 0;
  CHECK(shown().sz == Approx(1e-3 / cell.z));
}

TEST_CASE("A data-driven bandwidth is looked for while the window goes on, and can be left") {
  OpenCloud open;
  ViewSession& session = open.session;
  session.open_files(open.write("more.xyz", 3000).paths);
  session.wait(never);
  session.state.density.kernel = KernelFunction::epanechnikov;
  session.state.density.bandwidth.bandwidth = BandwidthRule::lscv;
  const auto begun = std::chrono::steady_clock::now();
  session.update_request();
  const std::chrono::duration<double> asked = std::chrono::steady_clock::now() - begun;
  CHECK(session.is_behind());
  CHECK(session.scene.density().facts().bandwidth.source == "auto: lscv");
  session.wait(never);
  const std::chrono::duration<double> computed = std::chrono::steady_clock::now() - begun;
  CHECK(asked < 0.5 * computed);  // another thread computes the request
  CHECK_FALSE(session.is_behind());
  CHECK(session.scene.density().facts().bandwidth.source == "lscv");
  const double h = session.scene.density().facts().bandwidth.h;
  CHECK(facts_of(session, "").h == h);
  // Another choice replaces one that is still being computed.
  session.state.density.bandwidth.bandwidth = BandwidthRule::lcv;
  session.update_request();
  session.state.density.bandwidth.bandwidth = 0.3;
  session.wait(never);
  CHECK(session.scene.density().facts().bandwidth.h == 0.3);
}

TEST_CASE("A file that cannot be opened leaves the picture of the one before") {
  OpenCloud open;
  ViewSession& session = open.session;
  session.state.density.bandwidth.bandwidth = Vec3{1, 2, 3};
  session.state.density.grid.bounds = Box{{-4, -4, -4}, {4, 4, 4}};
  session.state.units = "km";
  session.state.sample = 7;
  session.wait(never);
  session.state.layout = ViewLayout::method;
  const ViewState before = session.state;
  session.open_files({open.folder.file("broken.ply", "ply\nnothing else\n")});
  CHECK(session.state.cloud.paths != before.cloud.paths);
  CHECK(session.is_behind());
  CHECK(session.kept_state() == before);
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.failures.text().find("broken.ply") != std::string::npos);
  CHECK(session.state == before);
  session.failures.dismiss();
  REQUIRE(session.scene.has_density());
  CHECK(session.scene.density().metadata.samples == 40);
  session.open_files(open.write("good.xyz", 12).paths);
  session.wait(never);
  CHECK(session.failures.text().empty());
  CHECK(session.scene.density().metadata.samples == 12);
}

TEST_CASE("Files that are dropped take nothing from those before but how one looks at them") {
  OpenCloud open;
  ViewState& state = open.session.state;
  state.density.bandwidth.bandwidth = Symmetric3{1, 0, 0, 1, 0, 1};
  state.density.grid.bounds = Box{{-4, -4, -4}, {4, 4, 4}};
  state.density.grid.dims.reset();
  state.density.grid.spacing = Vec3{0.5, 0.5, 0.5};
  state.cloud.columns.coordinates = {"3", "2", "1"};
  state.units = "km";
  state.axis_follows_density = false;
  state.mode = RenderMode::maximum;
  open.session.wait(never);
  const ViewState before = state;
  open.session.open_files({});  // for example, a text was dropped
  CHECK(state == before);
  state.density.grid.whole_cloud = true;
  state.density.like = open.session.scene.density().grid();
  open.session.open_files(open.write("second.xyz", 25).paths);
  open.session.wait(never);
  CHECK(std::holds_alternative<BandwidthRule>(state.density.bandwidth.bandwidth));
  CHECK_FALSE(state.density.grid.bounds);
  CHECK_FALSE(state.density.grid.whole_cloud);
  CHECK_FALSE(state.density.grid.spacing);
  CHECK_FALSE(state.density.like);
  CHECK(state.cloud.columns == io::ColumnSelection{});
  CHECK(state.units.empty());
  CHECK(state.axis_follows_density);
  CHECK(state.mode == RenderMode::maximum);
  CHECK_FALSE(open.session.is_behind());
}

TEST_CASE("A density that cannot be had restores the controls, and is told until it is read") {
  OpenCloud open;
  ViewSession& session = open.session;
  const ViewState before = session.state;
  session.state.density.kernel = KernelFunction::biweight;
  session.state.density.grid.dims = {1 << 14, 1 << 14, 1 << 14};  // 17 TB
  CHECK(session.is_behind());
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.state == before);
  CHECK_FALSE(session.is_behind());
  CHECK(session.failures.text().find("memory") != std::string::npos);
  CHECK(session.failures.text().find("\u201ccells\u201d") != std::string::npos);
  session.state.density.kernel = KernelFunction::triweight;
  session.wait(never);
  CHECK_FALSE(session.failures.text().empty());
  session.failures.dismiss();
  CHECK(session.failures.text().empty());
}

TEST_CASE("Cells beyond the memory are refused before anything is summed") {
  OpenCloud open;
  ViewSession& session = open.session;
  session.state.density.engine = "naive";  // would take minutes for so many cells
  session.state.density.grid.dims = {1 << 14, 1 << 14, 1 << 14};
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.scene.view.volume.texture().grid() == session.scene.density().grid());
  CHECK(session.scene.density().grid().dims[0] <= 12);
}

TEST_CASE("What is cancelled restores the controls without an error") {
  OpenCloud open;
  ViewSession& session = open.session;
  const ViewState before = session.state;
  session.open_files(open.write("many.xyz", 4000).paths);
  session.state.density.engine = "naive";
  session.state.density.grid.dims = {300, 0, 0};
  session.update_request();
  while (session.requests.status().runs < 2) std::this_thread::yield();
  session.requests.worker().cancel();
  CHECK_THROWS_AS(session.wait(never), Error);
  CHECK(session.state == before);
  CHECK(session.failures.text().empty());
}
