#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "cli/options/density_options.hpp"
#include "engines/engine.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/reading_choices.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/cases/splat_scene.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/random_view_state.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/files/opened_files.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/session/view_state_file.hpp"

using namespace skde;
using namespace skde::view;

namespace {

const auto not_cancelled = [] { return false; };

void put_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

ViewOptions small_options() {
  ViewOptions options;
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  return options;
}

/// Rows of a text column and four columns of numbers whose names are none of coordinates.
std::string odd_table(int rows) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::string text = "when,mag,u,v,w\n";
  for (int i = 0; i < rows; ++i)
    text += fmt::format("t{},{},{},{},{}\n", i, 1 + i % 3, normal(random), normal(random),
                        normal(random));
  return text;
}

}  // namespace

TEST_CASE("Columns to choose from are those of numbers, with the first rows") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("odd.csv");
  put_text(path, odd_table(20));
  const auto choice = column_choice({path}, {}, {});
  REQUIRE(choice);
  CHECK(choice->names == std::vector<std::string>{"mag", "u", "v", "w"});
  CHECK(choice->words == choice->names);
  REQUIRE(choice->rows.size() == 8);
  CHECK(choice->rows[4][0] == 2);
  // Nameless and repeated columns are called by their numbers.
  put_text(path, "1 2 3 4\n5 6 7 8\n");
  const auto nameless = column_choice({path}, {}, {});
  REQUIRE(nameless);
  CHECK(nameless->words == std::vector<std::string>{"1", "2", "3", "4"});
  CHECK(nameless->rows == std::vector<std::vector<double>>{{1, 2, 3, 4}, {5, 6, 7, 8}});
  // Coordinates with usual names are proposed, and so are those asked for before.
  put_text(path, "depth,mag,lat,long\n1,2,3,4\n5,6,7,8\n");
  io::ColumnSelection before;
  before.weight = "mag";
  const auto usual = column_choice({path}, before, {});
  REQUIRE(usual);
  CHECK(usual->xyz == std::array<std::size_t, 3>{3, 2, 0});
  CHECK(usual->weight == 1);
  put_text(path, "a,b\n1,2\n");
  CHECK_FALSE(column_choice({path}, {}, {}));
  CHECK_FALSE(column_choice({"-"}, {}, {}));
}

TEST_CASE("A file whose columns need naming is opened by choosing them") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  const std::string path = folder.path("odd.csv");
  put_text(path, odd_table(60));
  ViewSession session{small_options()};
  session.open_files({path});
  CHECK_THROWS_AS(session.wait(not_cancelled), Error);
  REQUIRE(session.failures.first() != nullptr);
  REQUIRE(session.failures.first()->columns);
  ColumnChoice choice = *session.failures.first()->columns;
  choice.xyz = {3, 1, 2};
  choice.weight = 0;
  choose_columns(choice, session);
  session.wait(not_cancelled);
  CHECK(session.failures.first() == nullptr);
  REQUIRE(session.scene.cloud());
  const CloudFiles files{.paths = {path}, .columns = session.state.cloud.columns};
  CHECK(files.columns.coordinates == std::vector<std::string>{"w", "u", "v"});
  CHECK(session.scene.cloud()->points.weighted());
  CHECK(session.scene.cloud()->points.weights[4] == 2);
  // Other columns of the open file are chosen in the same way.
  ask_columns(session);
  REQUIRE(session.failures.first()->columns);
  choice = *session.failures.first()->columns;
  CHECK(choice.xyz == std::array<std::size_t, 3>{3, 1, 2});
  choice.xyz = {1, 2, 3};
  choice.weight.reset();
  choose_columns(choice, session);
  session.wait(not_cancelled);
  CHECK_FALSE(session.scene.cloud()->points.weighted());
}

TEST_CASE("A flat cloud is opened by what its error suggests") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 90; ++i) rows += fmt::format("{} {} 3\n", i % 7, i % 11);
  put_text(folder.path("flat.xyz"), rows);
  ViewSession session{small_options()};
  session.open_files({folder.path("flat.xyz")});
  CHECK_THROWS_AS(session.wait(not_cancelled), Error);
  REQUIRE(session.failures.first() != nullptr);
  const std::vector<Remedy> offered = session.failures.first()->remedies;
  const auto added = std::ranges::find(offered, "regularize", &Remedy::field);
  REQUIRE(added != offered.end());
  apply(*added, session);
  session.wait(not_cancelled);
  CHECK(session.failures.first() == nullptr);
  CHECK(session.state.density.bandwidth.regularize == 0.01);
  CHECK(session.scene.density().metadata.samples == 90);
}

TEST_CASE("Suggestions that only the user can complete are not offered") {
  const ViewState state;
  CHECK(remedies({"columns", "name three with `columns=X,Y,Z`"}, state).empty());
  CHECK(remedies({"", "use smaller `dims`, or drop a file"}, state).empty());
  CHECK(remedies({"", "use `server=a:1`"}, state).empty());
  const auto found = remedies({"dims", "use `dims=300`, or `precision=f64`"}, state);
  REQUIRE(found.size() == 2);
  CHECK(remedied(state, found[0]).density.grid.dims->at(0) == 300);
  CHECK(remedied(state, found[1]).density.precision == Precision::f64);
  CHECK(remedies({"", "use `dims=300`"}, remedied(state, found[0])).empty());
}

TEST_CASE("Outliers are kept by what their warning suggests") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  std::string rows = "1e6 1e6 1e6\n";
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 400; ++i)
    rows += fmt::format("{} {} {}\n", normal(random), normal(random), normal(random));
  put_text(folder.path("far.xyz"), rows);
  ViewOptions options = small_options();
  options.state.density.bandwidth.bandwidth = BandwidthRule::silverman;
  ViewSession session{options};
  session.open_files({folder.path("far.xyz")});
  session.wait(not_cancelled);
  const auto warnings = session.scene.density().facts().warnings;
  const auto outliers = std::ranges::find(warnings, "outliers", &Warning::kind);
  REQUIRE(outliers != warnings.end());
  const auto offered = remedies(outliers->advice, session.state);
  REQUIRE(offered.size() == 1);
  apply(offered[0], session);
  session.wait(not_cancelled);
  CHECK(session.state.density.grid.whole_cloud);
  CHECK(session.scene.density().grid().bounds().upper.x >= 1e6);
}

TEST_CASE("Files are read again when asked for, with all that was chosen") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  const std::string path =
      test::text_file(folder.path("a.xyz"), test::gaussian_cloud(40).view()).paths[0];
  ViewSession session{small_options()};
  session.open_files({path});
  session.wait(not_cancelled);
  session.state.camera.azimuth = 12;
  test::text_file(path, test::gaussian_cloud(70).view());
  session.state.density.kernel = KernelFunction::biweight;
  session.wait(not_cancelled);  // another density of the samples in memory
  CHECK(session.scene.cloud()->points.size() == 40);
  reload(session);
  session.wait(not_cancelled);
  CHECK(session.scene.cloud()->points.size() == 70);
  CHECK(session.scene.density().metadata.samples == 70);
  CHECK(session.state.camera.azimuth == 12);
  // A file that is broken by now changes nothing.
  put_text(path, "nothing of use\n");
  reload(session);
  CHECK_THROWS_AS(session.wait(not_cancelled), Error);
  CHECK(session.scene.cloud()->points.size() == 70);
  CHECK_FALSE(session.is_behind());
  session.failures.dismiss();
  test::text_file(path, test::gaussian_cloud(25).view());
  reload(session);
  session.wait(not_cancelled);
  CHECK(session.scene.cloud()->points.size() == 25);
}

TEST_CASE("A change on the disk is told once, after the writer has finished") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("a.xyz");
  put_text(path, "1 2 3\n");
  FileWatch watch;
  watch.watch({path});
  CHECK_FALSE(watch.changed(10));
  CHECK_FALSE(watch.changed(20));
  put_text(path, "1 2 3\n4 5 6\n");
  CHECK_FALSE(watch.changed(20.5));  // too early to look
  CHECK_FALSE(watch.changed(30));    // it may still be written to
  put_text(path, "1 2 3\n4 5 6\n7 8 9\n");
  CHECK_FALSE(watch.changed(40));
  CHECK(watch.changed(50));
  CHECK_FALSE(watch.changed(60));
  std::filesystem::remove(path);
  CHECK_FALSE(watch.changed(70));
  CHECK_FALSE(watch.changed(80));
  put_text(path, "1 2\n");
  CHECK_FALSE(watch.changed(90));
  CHECK(watch.changed(100));
}

TEST_CASE("A folder lists folders and files of known formats in the order of their numbers") {
  const test::TemporaryFolder folder;
  for (const char* name : {"a10.csv", "a2.csv", "B1.PLY", "b.csv.gz", "notes.md", ".hidden.csv"})
    put_text(folder.path(name), "x");
  std::filesystem::create_directory(folder.path("zebra"));
  const std::vector<std::string> known{".csv", ".ply"};
  std::vector<std::string> names;
  for (const FolderEntry& entry : list_folder(folder.path(""), known)) names.push_back(entry.name);
  CHECK(names == std::vector<std::string>{"zebra", "a2.csv", "a10.csv", "b.csv.gz", "B1.PLY"});
  CHECK(list_folder(folder.path(""), {}).size() == 6);
  CHECK_THROWS_AS(list_folder(folder.path("none"), {}), Error);
}

TEST_CASE("Random steps are undone and redone in order") {
  std::mt19937 random(11);
  ViewHistory history;
  std::vector<ViewState> states;  // what a plain list of states would hold
  std::size_t at = 0;
  const auto put = [&](const ViewState& state) {
    if (!states.empty() && states[at] == state) return;
    if (!states.empty()) states.resize(at + 1);
    states.push_back(state);
    at = states.size() - 1;
  };
  for (int step = 0; step < 120; ++step) {
    const auto kind = random() % 4;
    if (kind < 2) {
      const ViewState state = test::random_view_state(random);
      history.note(state, false);  // not yet let go
      history.note(state, true);
      put(state);
    } else if (kind == 2 && history.can_undo()) {
      CHECK(history.undo() == states[--at]);
    } else if (kind == 3 && history.can_redo()) {
      CHECK(history.redo() == states[++at]);
    }
    CHECK(history.can_undo() == (at > 0));
    CHECK(history.can_redo() == (at + 1 < states.size()));
  }
}

TEST_CASE("What the user did not change is no step") {
  ViewHistory history;
  ViewState state;
  history.note(state, true);
  ViewState changed = state;
  changed.quality = 2;
  history.note(changed, true);
  ViewState followed = changed;
  followed.transfer.axis = axis_up_to(7, true);
  history.adapt(changed, followed);
  history.note(followed, true);
  CHECK(history.undo() == state);
  CHECK(history.can_redo());
  CHECK(history.redo() == followed);
  // A change that failed leaves nothing behind.
  ViewState failed = followed;
  failed.units = "km";
  history.note(failed, true);
  history.adapt(failed, followed);
  CHECK(history.undo() == state);
}

TEST_CASE("Reset all keeps the files and their columns alone") {
  std::mt19937 random(17);
  for (int i = 0; i < 20; ++i) {
    ViewState state = test::random_view_state(random);
    state.cloud.columns.widths.clear();
    const ViewState fresh = reset_all(state);
    CHECK(fresh.cloud == state.cloud);
    ViewState plain;
    plain.cloud = state.cloud;
    plain.units = state.units;
    CHECK(fresh == plain);
  }
}

TEST_CASE("Splats are shown as skde density sums them") {
  test::GlFixture context;
  const test::TemporaryFolder folder;
  ViewSession session{small_options()};
  session.open_files({folder.file("a.ply", test::SplatScene(15, 2).text())});
  session.wait(not_cancelled);
  DensityOptions plain;
  plain.files.paths = session.state.cloud.paths;
  cli::assume_widths({}, plain.files, plain.request);
  plain.request.grid.dims = {12, 0, 0};
  NoProgress silent;
  Session summed;
  summed.open(plain.files, silent);
  const Volume expected = summed.compute(plain.request, silent).values()->take_volume();
  const Volume drawn = session.scene.view.volume.texture().read_back();
  REQUIRE(drawn.grid() == expected.grid());
  CHECK(drawn.maximum() > 0);
  const auto shown = drawn.values<float>(), sums = expected.values<float>();
  for (std::size_t i = 0; i < shown.size(); ++i)
    REQUIRE(shown[i] == Approx(sums[i]).margin(1e-5 * expected.maximum()));
}
