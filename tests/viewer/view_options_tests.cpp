#include "viewer/session/view_options.hpp"

#include <random>

#include "cli/exit_code.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/splat_scene.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/layers/volume/transfer_function_file.hpp"
#include "viewer/random_view_state.hpp"
#include "viewer/session/frame_pattern.hpp"
#include "viewer/session/view_state_file.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::thrown_error;
using Arguments = std::vector<std::string>;

ViewOptions parse(const Arguments& arguments, const std::optional<ViewState>& recent = {}) {
  return parse_view_options(arguments, recent);
}

void check_usage(const Arguments& arguments, const char* words) {
  const Error error = thrown_error([&] { parse(arguments); });
  INFO(cli::error_text(error));
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(cli::error_text(error).find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("flags of the view and of the density arrive in the state") {
  const ViewOptions options = parse({"a.ply",
                                     "b.ply",
                                     "--kernel",
                                     "biweight",
                                     "--bandwidth",
                                     "0.5",
                                     "--covariance",
                                     "diag",
                                     "--dims",
                                     "10,20,30",
                                     "--threads",
                                     "3",
                                     "--normalize",
                                     "count",
                                     "--units",
                                     "km",
                                     "--columns",
                                     "a,b,c",
                                     "--weights",
                                     "w",
                                     "--nan",
                                     "error",
                                     "--precision",
                                     "f64",
                                     "--view",
                                     "method",
                                     "--sample",
                                     "7",
                                     "--slice",
                                     "9",
                                     "--camera",
                                     "10,-20,3",
                                     "--points",
                                     "--mode",
                                     "isosurface",
                                     "--isovalue",
                                     "0.25",
                                     "--shading",
                                     "--full-slices",
                                     "--no-interop",
                                     "--size",
                                     "640x480",
                                     "--apart",
                                     "2.5",
                                     "--method-camera",
                                     "20,30,2"});
  ViewState expected;
  expected.cloud = {{"a.ply", "b.ply"}, {{"a", "b", "c"}, "w"}, io::NonFinite::error};
  expected.units = "km";
  expected.density.kernel = KernelFunction::biweight;
  expected.density.bandwidth.bandwidth = 0.5;
  expected.density.bandwidth.form = CovarianceForm::diag;
  expected.density.grid.dims = {10, 20, 30};
  expected.density.normalization = Normalization::count;
  expected.density.device = Device::cpu;
  expected.density.options.threads = 3;
  expected.density.precision = Precision::f64;
  expected.layout = ViewLayout::method;
  expected.sample = 7;
  expected.slice = 9;
  expected.camera = {10, -20, 3, {}};
  expected.show_points = true;
  expected.mode = RenderMode::isosurface;
  expected.isovalue = 0.25;
  expected.gradient_shading = true;
  expected.show_full_slices = true;
  expected.method = {2.5, {20, 30, 2, {}}};
  CHECK(options.state == expected);
  CHECK(!options.interop);
  CHECK(options.size == std::array{640, 480});
  CHECK(!options.headless());
  CHECK(parse({}).state == ViewState());
}

TEST_CASE("files of splats are seen as density sums them") {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.ply", test::SplatScene(5, 1).text());
  const ViewState seen = parse({file}).state;
  CHECK(seen.cloud.columns.widths == std::vector<std::string>{"splat"});
  CHECK(seen.density.kernel == KernelFunction::gaussian);
  CHECK(parse({file, "--kernel", "uniform"}).state.density.kernel == KernelFunction::uniform);
  const ViewState centres = parse({file, "--widths", "none"}).state;
  CHECK(centres.cloud.columns.widths.empty());
  CHECK(centres.density.kernel == KernelFunction::epanechnikov);
  // A state saved with another kernel keeps it.
  ViewState saved = seen;
  saved.density.kernel = KernelFunction::biweight;
  const std::string state = folder.path("view.json");
  save_view_state(state, saved);
  CHECK(parse({file, "--state", state}).state.density.kernel == KernelFunction::biweight);
}

TEST_CASE("ellipsoids are asked for by flags, in a window too") {
  CHECK(parse({"a.ply", "--ellipsoids", "alone"}).state.ellipsoids == EllipsoidsShown::alone);
  CHECK_FALSE(parse({"a.ply"}).pick);
  const test::TemporaryFolder folder;
  const ViewOptions options =
      parse({folder.file("a.ply", test::SplatScene(5, 1).text()), "--ellipsoids", "under", "--pick",
             "30.5,7", "--screenshot", folder.path("a.png")});
  CHECK(options.state.ellipsoids == EllipsoidsShown::under);
  CHECK(options.pick == std::array{30.5, 7.0});
  check_usage({"a.ply", "--ellipsoids", "under", "--pick", "30,7"}, "no effect on a window");
  check_usage({"a.ply", "--ellipsoids", "under", "--pick", "30,-7", "--screenshot", "a.png"},
              "X,Y");
}

TEST_CASE("help and version are told apart from work") {
  CHECK_THAT(parse({"--help"}).help_page, Catch::Matchers::ContainsSubstring("--turntable N"));
  CHECK_THAT(parse({"--help"}).help_page, Catch::Matchers::ContainsSubstring("--bandwidth"));
  CHECK(parse({"--version"}).version);
  CHECK(parse({"-V"}).version);
}

TEST_CASE("a turntable takes its pattern from beside the inputs") {
  const ViewOptions options = parse({"cloud.ply", "--turntable", "36", "out_%04d.png"});
  CHECK(options.headless());
  CHECK(options.film.frames == 36);
  CHECK(options.film.name == "out_%04d.png");
  CHECK(options.state.cloud.paths == std::vector<std::string>{"cloud.ply"});
  CHECK(frame_path("out_%04d.png", 7) == "out_0007.png");
  CHECK(frame_path("%d.png", 12) == "12.png");
  for (const char* name : {"out.png", "%s.png", "%d%d.png", "%4d.png", "%0.4d.png", "%d.jpg",
                           "%099d.png", "%-d.png", "a%"})
    CHECK(!is_frame_pattern(name));
  check_usage({"a.ply", "--turntable", "36"}, "needs a file name");
  check_usage({"a.ply", "--turntable", "36", "out.png"}, "needs a file name");
  check_usage({"a.ply", "out_%d.png"}, "is a picture");
}

TEST_CASE("a flag of the viewer that would be ignored is an error") {
  check_usage({"a.ply", "--reference", "r.png"}, "--reference has no effect without --screenshot");
  check_usage({"a.ply", "--screenshot", "s.png", "--threshold", "2"}, "--threshold has no effect");
  check_usage({"--screenshot", "s.png"}, "no input is given");
  check_usage({"--benchmark-frames", "10"}, "no input is given");
  check_usage({"a.ply", "--screenshot", "s.jpg"}, "must end in .png, .svg or .pdf");
  check_usage({"a.ply", "--screenshot", "s.png", "--turntable", "3", "o%d.png"}, "contradict");
  check_usage({"a.ply", "--screenshot", "s.png", "--slice", "3"}, "--slice has no effect");
  check_usage({"a.ply", "--screenshot", "s.png", "--view", "method", "--mode", "maximum"},
              "--mode");
  check_usage({"a.ply", "--screenshot", "s.png", "--isovalue", "0.3"}, "--isovalue");
  check_usage({"a.ply", "--screenshot", "s.png", "--mode", "maximum", "--shading"}, "--shading");
  check_usage({"a.ply", "--memory-limit", "1G"}, "--memory-limit");
  check_usage({"a.ply", "--threads", "2", "--device", "0"}, "--threads");
  check_usage({"a.ply", "--bandwidth", "1,2,3", "--covariance", "iso"}, "--covariance");
  check_usage({"a.ply", "--size", "640"}, "WIDTHxHEIGHT");
  check_usage({"a.ply", "--size", "0x480"}, "--size");
  check_usage({"a.ply", "--camera", "1,91,1"}, "--camera");
  check_usage({"a.ply", "--camera", "1,2"}, "AZIMUTH,ELEVATION,ZOOM");
  check_usage({"a.ply", "--isovalue", "1.5"}, "--isovalue");
  check_usage({"a.ply", "--panels"}, "--panels has no effect on a window");
  check_usage({"a.ply", "--screenshot", "s.png", "--view", "method", "--camera", "1,2,3"},
              "--camera has no effect with --view method");
  check_usage({"a.ply", "--turntable", "3", "o%d.png", "--view", "method"},
              "--turntable has no effect with --view method");
  check_usage({"a.ply", "--screenshots", "s.png"}, "did you mean '--screenshot'");
  CHECK(parse({"a.ply", "--view", "volume", "--slice", "3"}).state.slice == 3);  // at start
}

TEST_CASE("pictures are not written over inputs or where nothing can be put") {
  const test::TemporaryFolder folder;
  const std::string picture = folder.path("a.png");
  check_usage({"a.ply", "--screenshot", picture, "--reference", picture}, "a.png");
  const Error error = thrown_error([&] {
    parse({"a.ply", "--screenshot", folder.path("no/folder.png")});
  });
  CHECK(error.kind() == ErrorKind::output);
}

TEST_CASE("flags change what --state begins with") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("view.json");
  std::mt19937 random(4);
  ViewState state = test::random_view_state(random);
  state.density.engine = "span";
  state.density.device.reset();
  state.density.options = {};
  state.density.like = Grid{{0, 0, 0}, {1, 1, 1}, {3, 4, 5}};
  state.density.grid = {};
  state.density.grid.spacing = Vec3{1, 1, 1};
  save_view_state(path, state);
  CHECK(parse({"--state", path}).state == state);
  CHECK(parse({"--state", path}, ViewState()).state == state);

  ViewState changed = state;
  changed.cloud.paths = {"other.ply"};
  changed.density.grid = {};
  changed.density.grid.dims = {64, 0, 0};
  changed.density.like.reset();
  changed.camera.azimuth = 1;
  changed.camera.elevation = 2;
  changed.camera.zoom = 3;
  if (changed.cloud.columns.widths_need_kernel())
    changed.cloud.columns.width_kernel = changed.density.kernel;
  CHECK(parse({"other.ply", "--state", path, "--dims", "64", "--camera", "1,2,3"}).state ==
        changed);
  const Error error = thrown_error([&] { parse({"--state", folder.path("none.json")}); });
  CHECK(error.kind() == ErrorKind::input);
}

TEST_CASE("the recent view opens again alone and lends its look where --last-look asks for it") {
  std::mt19937 random(9);
  ViewState recent = test::random_view_state(random);
  recent.density.engine.clear();
  recent.density.device.reset();
  recent.density.options = {};
  CHECK(parse({}, recent).state == recent);
  CHECK(parse({"b.ply"}, recent).state == parse({"b.ply"}).state);
  CHECK_THROWS_AS(parse({"--last-look"}, recent), Error);
  CHECK_THROWS_AS(parse({"b.ply", "--last-look"}), Error);
  recent.compare.with = "h=2";
  recent.time.column = "t";
  const ViewState other = parse({"b.ply", "--last-look"}, recent).state;
  CHECK(other.compare.with.empty());  // which may not fit the other cloud, as its columns may not
  CHECK(other.time == TimeWindow());
  CHECK(other.cloud.paths == std::vector<std::string>{"b.ply"});
  CHECK(other.transfer.points() == recent.transfer.points());
  CHECK(other.transfer.colors == recent.transfer.colors);
  CHECK(other.transfer.axis.logarithmic == recent.transfer.axis.logarithmic);
  CHECK(other.transfer.axis.high == 1);
  CHECK(other.mode == recent.mode);
  CHECK(other.density.bandwidth == BandwidthSpec());
  CHECK(other.camera == Camera());
  // A recent state that can no longer be used causes a message, not an error.
  recent.density.engine = "gone";
  CHECK(parse({}, recent).state == ViewState());
  CHECK_THAT(parse({}, recent).complaint,
             Catch::Matchers::ContainsSubstring("unknown engine 'gone'"));
  CHECK(thrown_error([&] { parse({"--size", "1"}, recent); }).parameter() == "size");
  // A picture without a window does not depend on the recent state.
  const Arguments picture{"b.ply", "--screenshot", "s.png"};
  CHECK(parse(picture, recent).state == parse(picture).state);
}

TEST_CASE("a transfer function from a file keeps its axis") {
  const test::TemporaryFolder folder;
  std::mt19937 random(3);
  const TransferFunction function = test::random_transfer_function(random);
  save_transfer_function(folder.path("colors.json"), function);
  const ViewState state = parse({"a.ply", "--transfer", folder.path("colors.json")}).state;
  CHECK(state.transfer == function);
  CHECK(!state.axis_follows_density);
}

TEST_CASE("a volume is opened alone and without flags of samples") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("density.vti");
  const Grid grid{{-1, -2, -3}, {0.1, 0.2, 0.3}, {2, 3, 4}};
  io::volume_format_for(path).write(path, Volume(grid, Precision::f32), {});
  CHECK(parse({path}).state.layout == ViewLayout::volume);
  check_usage({path, "a.ply"}, "open it alone");
  check_usage({path, "--bandwidth", "2"}, "--bandwidth has no effect");
  check_usage({path, "--sample", "2"}, "--sample has no effect");
  check_usage({path, "--view", "both"}, "--view must be volume");
  const std::optional<Grid> like = parse({"a.ply", "--like", path}).state.density.like;
  REQUIRE(like);
  CHECK(like->dims == grid.dims);
}

TEST_CASE("documents and films of the method need its view") {
  check_usage({"a.ply", "--screenshot", "/tmp/a.jpg"}, ".png, .svg or .pdf");
  check_usage({"a.ply", "--view", "method", "--panels", "--screenshot", "/tmp/a.pdf"}, "--panels");
  CHECK(parse({"a.ply", "--view", "method", "--screenshot", "/tmp/a.pdf"}).headless());
  check_usage({"a.ply", "--view", "method", "--film", "method"}, "needs a file name");
  check_usage({"a.ply", "/tmp/b_%02d.png", "--film", "method"}, "--view method or both");
  const ViewOptions film =
      parse({"a.ply", "/tmp/b_%02d.png", "--view", "method", "--film", "method", "--frames", "3"});
  CHECK(film.film.frames == 3);
  CHECK(film.film.name == "/tmp/b_%02d.png");
  CHECK(film.headless());
  check_usage({"a.ply", "--screenshot", "/tmp/a.png", "--apart", "3"}, "--apart has no effect");
  check_usage({"a.ply", "--apart", "0.5"}, "from 1 to 20");
}
