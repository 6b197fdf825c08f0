#include "viewer/session/view_options.hpp"

#include <random>
#include <sstream>

#include "cli/exit_code.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/splat_scene.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/random_view_state.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/session/view_state_file.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::thrown_error;
using Arguments = std::vector<std::string>;

ViewOptions parse(const Arguments& arguments, const std::optional<ViewState>& recent = {}) {
  return parse_view_options(arguments, recent);
}

/// Returns a file of samples, and flags that are separated by blanks.
Arguments typed(const std::string& flags) {
  Arguments arguments{"a.ply"};
  std::istringstream words(flags);
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

void check_usage(const Arguments& arguments, const char* words) {
  const Error error = thrown_error([&] { parse(arguments); });
  INFO(cli::error_text(error));
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(cli::error_text(error).find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("flags set what state files hold") {
  struct Case {
    const char* flags;
    const char* changes;  // of the keys of a state without the flags
  };
  const Case cases[]{
      {"--kernel biweight --bandwidth 0.5 --covariance diag --dims 10,20,30 --normalize count "
       "--units km --columns a,b,c --weights w --nan error --precision f64 --threads 3",
       R"({"kernel": "biweight", "bandwidth": 0.5, "covariance": "diag", "dims": [10, 20, 30],
           "normalize": "count", "units": "km", "columns": ["a", "b", "c"], "weights": "w",
           "nan": "error", "precision": "f64", "threads": 3, "hardware": "cpu"})"},
      {"--view method --sample 7 --slice 9 --full-slices --apart 2.5 --play",
       R"({"layout": "method", "sample": 7, "slice": 9, "full_slices": true,
           "method": {"apart": 2.5, "plays": true}})"},
      {"--camera 10,-20,3 --orthographic --method-camera 20,30,2",
       R"({"camera": {"azimuth": 10, "elevation": -20, "zoom": 3, "orthographic": true},
           "method": {"camera": {"azimuth": 20, "elevation": 30, "zoom": 2}}})"},
      {"--proportions fit --flip x,z", R"({"proportions": "fit", "flipped": [true, false, true]})"},
      {"--proportions 1,2,5", R"({"proportions": "true", "axis_factors": [1, 2, 5]})"},
      {"--mode isosurface --isovalue 0.25 --no-shading",
       R"({"mode": "isosurface", "isovalue": 0.25, "shading": false})"},
      {"--mode isosurface", R"({"mode": "isosurface", "masses": [0.5, 0.75, 0.95]})"},
      {"--mass 0.3 --mode isosurface", R"({"mode": "isosurface", "masses": [0.3]})"},
      {"--mode maximum", R"({"mode": "maximum"})"},
      {"--clip-box=-1,-2,-3:1,2,3 --clip-plane 0,-1,2,0.5",
       R"({"clip": {"box": [[-1, -2, -3], [1, 2, 3]],
                    "plane": {"normal": [0, -1, 2], "offset": 0.5}}})"},
      {"--slices=-1,2,3 --slice-smooth",
       R"({"sections": {"shown": "within", "at": [-1, 2, 3], "smooth": true}})"},
      {"--slices middle", R"({"sections": {"shown": "within"}})"},
      {"--view slices --slice-samples 0.1 --screenshot a.png",
       R"({"layout": "slices", "sections": {"samples_within": 0.1}})"},
      {"--ellipsoids alone", R"({"ellipsoids": "alone"})"},
      {"--points", R"({"points": true})"},
      {"--points-color density", R"({"points": true, "point_look": {"colors": "density"}})"},
      {"--points-color mag",
       R"({"points": true, "point_look": {"colors": "column", "column": "mag"}})"},
      {"--points-size-by weight", R"({"points": true, "point_look": {"sizes": "weight"}})"},
      {"--points-size-by mag",
       R"({"points": true, "point_look": {"sizes": "column", "size_column": "mag"}})"},
      {"--points-size 2.5 --points-where mag>5&&n!=3",
       R"({"points": true, "point_look": {"size": 2.5, "where": "mag>5&&n!=3"}})"},
      {"--score lcv --time t --time-at 5 --time-window 2",
       R"({"score": "lcv", "time": {"column": "t", "at": 5.0, "window": 2.0}})"},
      {"--compare h=0.25 --compare-as ratio", R"({"compare": {"with": "h=0.25", "as": "ratio"}})"},
      {"--split 0.7 --panel-width 444", R"({"division": {"method": 0.7, "panels": 444}})"},
      {"--panel-width 0", R"({"division": {"panels_shown": false}})"},
      {"--theme light --ground transparent --title T --decorations bar,mass",
       R"({"appearance": {"theme": "light", "ground": "transparent", "title": "T", "axes": false,
                          "triad": false}})"},
      {"--decorations none",
       R"({"appearance": {"axes": false, "bar": false, "mass": false, "triad": false}})"},
      {"--decorations all", "{}"},
      {"--picture-format pdf --picture-size 640x480",
       R"({"appearance": {"format": "pdf", "size": [640, 480]}})"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.flags);
    auto expected = view_state_json(parse({"a.ply"}).state);
    expected.merge_patch(nlohmann::ordered_json::parse(one.changes));
    CHECK(view_state_json(parse(typed(one.flags)).state) == expected);
  }
  CHECK(parse({}).state == ViewState());
}

TEST_CASE("flags that pictures and windows need arrive") {
  const ViewOptions options = parse(typed("--no-interop --size 640x480"));
  CHECK(!options.interop);
  CHECK(options.size == std::array{640, 480});
  CHECK(!options.headless());
  CHECK(parse(typed("--slices 1,2,3")).tell_sections);
  const ViewOptions box = parse(typed("--screenshot a.png --select 10,20:30,50"));
  CHECK(box.select == std::vector<std::array<double, 2>>{{10, 20}, {30, 20}, {30, 50}, {10, 50}});
  CHECK_FALSE(box.select_only);
  const ViewOptions outline = parse(typed("--screenshot a.png --select 1,2:3,4:5,0 --select-only"));
  CHECK(outline.select.size() == 3);
  CHECK(outline.select_only);
}

TEST_CASE("every word of a field is a value of its flag") {
  for (const ViewField& field : view_fields())
    for (const std::string& word : field.type.words)
      if (field.set) {
        ViewFlags flags;
        field.set(flags, word);
        CHECK(field.put(flags.state) == word);
      }
}

TEST_CASE("keys turn switches, take the next word, and draw slices apart") {
  ViewState state;
  for (const ViewField* const field : state_fields())
    for (const char letter : field->letters) field->press(state, letter);
  ViewState expected;
  expected.layout = ViewLayout::both;
  expected.show_points = expected.show_full_slices = expected.show_probe = true;
  expected.show_slices = false;
  expected.method.plays = expected.camera.orthographic = true;
  expected.ellipsoids = EllipsoidsShown::under;
  expected.method.apart = 1.25;  // nearer, which it cannot be, then farther
  CHECK(state == expected);
  view_field("ellipsoids").press(state, 'e');
  CHECK(state.ellipsoids == EllipsoidsShown::alone);
  view_field("ellipsoids").press(state, 'e');
  CHECK(state.ellipsoids == EllipsoidsShown::off);
  const ViewField& levels = *find_controls("levels").front();
  levels.press(state, 'l');
  CHECK(state.mode == RenderMode::isosurface);
  CHECK(state.masses == std::vector{0.5});
  levels.press(state, 'l');
  CHECK(state.masses == kFirstMasses);
  levels.press(state, 'l');
  CHECK(state.mode == RenderMode::composite);
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
  CHECK_THAT(parse({"--help"}).help_page.value(),
             Catch::Matchers::ContainsSubstring("--turntable N"));
  CHECK_THAT(parse({"--help"}).help_page.value(),
             Catch::Matchers::ContainsSubstring("--bandwidth"));
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

TEST_CASE("a flag that is wrong or would be ignored is an error") {
  const std::pair<const char*, const char*> cases[]{
      {"--reference r.png", "--reference has no effect without --screenshot"},
      {"--screenshot s.png --threshold 2", "--threshold has no effect"},
      {"--screenshot s.jpg", "must end in .png, .svg or .pdf"},
      {"--screenshot s.png --turntable 3 o%d.png", "contradict"},
      {"--screenshot s.png --slice 3", "--slice has no effect"},
      {"--screenshot s.png --view method --mode maximum", "--mode"},
      {"--screenshot s.png --isovalue 0.3", "--isovalue"},
      {"--screenshot s.png --mode maximum --no-shading", "--no-shading"},
      {"--memory-limit 1G", "--memory-limit"},
      {"--threads 2 --device 0", "--threads"},
      {"--bandwidth 1,2,3 --covariance iso", "--covariance"},
      {"--size 640", "WIDTHxHEIGHT"},
      {"--size 0x480", "--size"},
      {"--camera 1,91,1", "--camera"},
      {"--camera 1,2", "AZIMUTH,ELEVATION,ZOOM"},
      {"--isovalue 1.5", "--isovalue"},
      {"--panels", "--panels has no effect on a window"},
      {"--screenshot s.png --view method --camera 1,2,3",
       "--camera has no effect with --view method"},
      {"--turntable 3 o%d.png --view method", "--turntable has no effect with --view method"},
      {"--screenshots s.png", "did you mean '--screenshot'"},
      {"--decorations bars", "must be all, none"},
      {"--theme grey", "grey"},
      {"--copy", "--copy has no effect without --screenshot"},
      {"--picture-format jpg", "jpg"},
      {"--picture-size 15x20", "15"},
      {"--picture-format svg --screenshot a.png", "the file's name says the format"},
      {"--proportions 1,2", "three factors"},
      {"--proportions 1,0,1", "three factors"},
      {"--screenshot a.png --slices 1,2", "X,Y,Z"},
      {"--screenshot a.png --slices 1,2,3 --slice-planes off --view volume", "no effect without"},
      {"--screenshot a.png --slice-samples 0.1", "no effect without --view slices"},
      {"--screenshot a.png --slice-samples 1.1 --view slices", "at most 1"},
      {"--screenshot a.png --view slices --sample 3", "without --view both or method"},
      {"--clip-plane 1,0,0", "NX,NY,NZ,D"},
      {"--clip-plane 0,0,0,1", "NX,NY,NZ,D"},
      {"--clip-plane 1,0,0,inf", "NX,NY,NZ,D"},
      {"--clip-plane x", "NX,NY,NZ,D"},
      {"--screenshot a.png --view method --clip-plane 1,0,0,1", "no effect with --view method"},
      {"--points-size 0", "0"},
      {"--points-where mag>", "--points-where"},
      {"--screenshot a.png --view method --points-color n", "no effect with --view method"},
      {"--screenshot a.png --select 1,2", "X,Y:X,Y"},
      {"--screenshot a.png --select 1,2:3", "X,Y:X,Y"},
      {"--screenshot a.png --select 1,2:3,x", "X,Y:X,Y"},
      {"--screenshot a.png --select nan,1:2,3", "X,Y:X,Y"},
      {"--screenshot a.png --select 1,2:3,inf", "X,Y:X,Y"},
      {"--screenshot a.png --select-only", "without --select"},
      {"--screenshot a.png --select 1,2:3,4 --view method", "--view method"},
      {"--select 1,2:3,4", "Ctrl"},
      {"--mass 1.5", "between 0 and 1"},
      {"--mass 0.1,0.2,0.3,0.4,0.5", "1 to 4"},
      {"--mass 0.5 --isovalue 0.5", "contradict"},
      {"--mass 0.5 --screenshot a.png", "--mode isosurface"},
      {"--split 0.95", "from 0.1 to 0.9"},
      {"--panel-width 20", "must be 0, or from 250"},
      {"--split 0.5 --screenshot a.png", "without --view both"},
      {"--panel-width 300 --screenshot a.png", "add --panels"},
      {"--panels --panel-width 0 --screenshot a.png", "contradict"},
  };
  for (const auto& [flags, words] : cases) check_usage(typed(flags), words);
  check_usage({"--screenshot", "s.png"}, "no input is given");
  check_usage({"--benchmark-frames", "10"}, "no input is given");
  CHECK(parse(typed("--view volume --slice 3")).state.slice == 3);  // at start
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
