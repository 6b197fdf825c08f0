#include "viewer/layers/samples/point_look.hpp"

#include <fmt/core.h>

#include <chrono>
#include <limits>
#include <random>
#include <thread>

#include "estimate/read/cloud.hpp"
#include "support/cases/random_choice.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/layers/space/inks.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

constexpr glm::ivec2 kDotSize{161, 121};
const Grid kDotGrid{{-1, 2, 5}, {0.1, 0.2, 0.15}, {40, 33, 50}};

/// Rows of a file; the places repeat, and some magnitudes and counts are missing.
struct Rows {
  std::vector<Vec3> places;
  std::vector<double> sizes, counts;
  std::vector<std::string> kinds;
  std::string text = "x,y,z,mag,n,kind\n";
};

Rows random_rows(Choice& choose, int count) {
  Rows rows;
  for (int i = 0; i < count; ++i) {
    const bool again = i > 0 && choose.whole(0, 9) == 0;
    rows.places.push_back(
        again ? rows.places[static_cast<std::size_t>(choose.whole(0, i - 1))]
              : Vec3{choose.real(0, 1), choose.real(5, 6), choose.real(-1000, -999)});
    rows.sizes.push_back(std::round(100 * choose.real(4, 7)) / 100);
    rows.counts.push_back(choose.whole(0, 4) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                  : static_cast<double>(choose.whole(0, 99)));
    rows.kinds.emplace_back(choose.coin() ? "deep" : "flat");
    const Vec3& p = rows.places.back();
    rows.text += fmt::format("{:.17g},{:.17g},{:.17g},{:g},{:g},{}\n", p.x, p.y, p.z,
                             rows.sizes.back(), rows.counts.back(), rows.kinds.back());
  }
  return rows;
}

}  // namespace

TEST_CASE("the samples that fulfil a condition are found, with their values") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const TemporaryFolder folder;
  const Rows rows = random_rows(choose, 3000);
  NoProgress progress;
  CloudFiles files;
  files.paths = {folder.file("a.csv", rows.text)};
  files.columns.where = "mag < 6.5";
  const auto cloud = read_cloud(files, 1e9, progress).cloud;
  REQUIRE(cloud);
  const double low = choose.real(4.2, 5);
  const auto found = [&](const std::string& column, const std::string& where) {
    return find_points({cloud, column, where}, progress);
  };
  const auto expect = [&](const ShownPoints& shown, bool counted, const auto& keeps) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.places.size(); ++i) {
      if (!(rows.sizes[i] < 6.5) || !keeps(i) || (counted && std::isnan(rows.counts[i]))) continue;
      REQUIRE(next < shown.samples.size());
      REQUIRE(cloud->points.point(shown.samples[next]) == rows.places[i]);
      if (counted) REQUIRE(shown.values[next] == rows.counts[i]);
      ++next;
    }
    CHECK(next == shown.samples.size());
    CHECK(shown.values.size() == (counted ? next : 0));
    CHECK(std::ranges::is_sorted(shown.samples));
    CHECK(std::ranges::adjacent_find(shown.samples) == shown.samples.end());
    CHECK(next > 100);
  };
  expect(found("n", ""), true, [](std::size_t) { return true; });
  expect(found("", fmt::format("mag >= {} && kind == 'deep'", low)), false,
         [&](std::size_t i) { return rows.sizes[i] >= low && rows.kinds[i] == "deep"; });
  expect(found("n", "n < 50 || mag > 6"), true,
         [&](std::size_t i) { return rows.counts[i] < 50 || rows.sizes[i] > 6; });
  CHECK(says(thrown_error([&] { found("nothing", ""); }), "nothing"));
  CHECK(thrown_error([&] { found("nothing", ""); }).parameter() == "points_color");
  CHECK(thrown_error([&] { found("", "nothing > 1"); }).parameter() == "points_where");
  folder.file("a.csv", "x,y,z,mag,n,kind\n9,9,9,5,1,deep\n");
  CHECK(says(thrown_error([&] { found("n", ""); }), "no longer hold"));
}

TEST_CASE("a column of texts has its categories, and sizes have a column of their own") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const TemporaryFolder folder;
  const Rows rows = random_rows(choose, 2000);
  NoProgress progress;
  CloudFiles files;
  files.paths = {folder.file("a.csv", rows.text)};
  const auto cloud = read_cloud(files, 1e9, progress).cloud;
  const auto found = [&](const std::string& column, const std::string& sizes) {
    return find_points({cloud, column, "mag < 6", {}, sizes}, progress);
  };
  const ShownPoints texts = found("kind", "n"), numbers = found("mag", "n");
  REQUIRE(texts.categories.size() == 2);
  CHECK(numbers.categories.empty());
  CHECK(numbers.samples == texts.samples);
  CHECK(numbers.sizes == texts.sizes);
  std::size_t next = 0;
  std::array<std::size_t, 2> counted{};
  for (std::size_t i = 0; i < rows.places.size(); ++i) {
    if (!(rows.sizes[i] < 6) || std::isnan(rows.counts[i])) continue;
    REQUIRE(next < texts.samples.size());
    REQUIRE(cloud->points.point(texts.samples[next]) == rows.places[i]);
    REQUIRE(numbers.values[next] == rows.sizes[i]);
    const auto category = static_cast<std::size_t>(texts.values[next]);
    REQUIRE(texts.categories.at(category).name == rows.kinds[i]);
    REQUIRE(texts.sizes[next++] == rows.counts[i]);
    ++counted[category];
  }
  CHECK(next == texts.samples.size());
  CHECK(counted[0] >= counted[1]);  // the most frequent first
  CHECK(texts.categories[0].samples == counted[0]);
  CHECK(texts.categories[1].samples == counted[1]);
  CHECK(found("", "mag").values.empty());
  CHECK(thrown_error([&] { found("mag", "nothing"); }).parameter() == "points_size_by");
  CHECK(thrown_error([&] { found("nothing", "mag"); }).parameter() == "points_color");
  CHECK(says(thrown_error([&] { found("n", "kind"); }), "is not a number"));
  // A mistake in a column of numbers makes it none of texts.
  files.paths = {folder.file("b.csv", "x,y,z,n\n1,2,3,4\n2,3,4,5\n3,4,5,six\n")};
  const auto mistaken = read_cloud(files, 1e9, progress).cloud;
  CHECK(says(thrown_error([&] { find_points({mistaken, "n"}, progress); }), "six"));
}

TEST_CASE("the colours of categories are seen on both grounds, and differ") {
  const auto luminance = [](glm::vec3 color) {
    const auto linear = [](float c) {
      return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
    };
    return 0.2126F * linear(color.r) + 0.7152F * linear(color.g) + 0.0722F * linear(color.b);
  };
  for (std::size_t i = 0; i <= kMostCategories; ++i) {
    for (const glm::vec3 ground : {kDarkInks.ground, kLightInks.ground}) {
      const float a = luminance(category_color(i)), b = luminance(ground);
      CHECK((std::max(a, b) + 0.05F) / (std::min(a, b) + 0.05F) > 2.7F);
    }
    for (std::size_t k = 0; k < i; ++k)
      CHECK(glm::distance(category_color(i), category_color(k)) > 0.2F);
  }
}

TEST_CASE_METHOD(GlFixture, "a sample has its own colour, or that of the density where it is") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const Box box = kDotGrid.bounds();
  VolumeView view;
  view.set_axes(choose.coin(), {choose.coin(), choose.coin(), choose.coin()});
  const auto density = [&](Vec3 w) { return 1 + (w.x - box.lower.x) + 0.3 * (w.z - box.lower.z); };
  view.upload(volume_of(kDotGrid, density));
  VolumeLook look = white_look(10, 0);
  look.colors = {{0, 1, 0.2F, 0}, {1, 0, 0.4F, 0}};
  VolumeViewOptions options = bare_options();
  options.points = true;
  options.pixel_scale = 4;
  for (int round = 0; round < 10; ++round) {
    Vec3 place;
    for (int axis = 0; axis < 3; ++axis)
      place[axis] = box.lower[axis] + choose.real(0.1, 0.9) * box.extent()[axis];
    const std::vector<double> xyz{place.x, place.y, place.z};
    const std::array own{glm::vec3(static_cast<float>(choose.real(0, 1)), 0.5F, 0.9F)};
    const bool by_density = choose.coin();
    view.points.discs().assign({xyz, {}}, own);
    view.points.set_style(1, by_density);
    const Camera camera{choose.real(-180, 180), choose.real(-80, 80)};
    const auto pixel =
        view.perspective(camera, kDotSize).project(view.frame().to_scene(place)).value();
    const auto color = draw(view, camera, look, options, kDotSize)
                           .at(static_cast<int>(pixel.x), static_cast<int>(pixel.y));
    glm::dvec3 expected = 255.0 * glm::dvec3(own[0]);
    if (by_density)
      expected = 255.0 * glm::mix(glm::dvec3(look.colors[0]), glm::dvec3(look.colors[1]),
                                  look.axis.share_of(density(place)));
    CAPTURE(round, by_density);
    for (int channel = 0; channel < 3; ++channel)
      CHECK(std::abs(color[static_cast<std::size_t>(channel)] - expected[channel]) < 2);
  }
}

TEST_CASE_METHOD(GlFixture, "fog before a sample veils it, and fog behind it does not") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const Box box = kDotGrid.bounds();
  const Vec3 extent = box.extent();
  VolumeView view;
  view.upload(volume_of(kDotGrid, [](Vec3) { return 2.0; }));
  Camera camera;
  camera.look(AxisView::front);
  const float opacity = 0.02F;
  VolumeLook look = white_look(2, opacity);
  look.jitter = false;
  VolumeViewOptions options = bare_options();
  options.points = true;
  options.pixel_scale = 4;
  const double diagonal = std::hypot(extent.x, extent.y, extent.z);
  for (int round = 0; round < 8; ++round) {
    const double depth = choose.real(0.05, 0.95);
    const std::vector<double> xyz{box.centre().x, box.lower.y + depth * extent.y, box.centre().z};
    const std::array red{glm::vec3(1, 0, 0)};
    view.points.discs().assign({xyz, {}}, red);
    const auto color = draw(view, camera, look, options, kDotSize).at(80, 60);
    const double through = std::pow(1 - opacity, depth * extent.y / (diagonal / 100));
    CAPTURE(depth);
    CHECK(int{color[0]} == Approx(255).margin(2));
    CHECK(int{color[1]} == Approx(255 * (1 - through)).margin(2.5));
  }
}

TEST_CASE_METHOD(GlFixture, "samples are drawn as large as they are to be") {
  VolumeView view;
  view.upload(Volume(kDotGrid, Precision::f32));
  const Vec3 middle = kDotGrid.bounds().centre();
  const std::vector<double> xyz{middle.x, middle.y, middle.z};
  view.points.discs().assign({xyz, {}});
  VolumeViewOptions options = bare_options();
  options.points = true;
  const auto area = [&](double size) {
    view.points.set_style(size, false);
    const Picture picture = draw(view, {}, white_look(1, 1), options, {401, 301});
    return std::ranges::count_if(picture.pixels, [](const auto& p) { return p[0] > 80; });
  };
  const double one = static_cast<double>(area(4)), twice = static_cast<double>(area(8));
  CHECK(one > 20);
  CHECK(twice / one == Approx(4).epsilon(0.2));
}

TEST_CASE_METHOD(GlFixture, "a sample is as large as its value or the density where it is tells") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  VolumeView view;
  const Box box = kDotGrid.bounds();
  view.upload(volume_of(kDotGrid, [&](Vec3 w) { return w.x - box.lower.x; }));
  VolumeViewOptions options = bare_options();
  options.points = true;
  options.pixel_scale = 4;
  VolumeLook look = white_look(box.extent().x, 0);
  for (int round = 0; round < 8; ++round) {
    const double share = choose.real(0, 1);
    const bool by_density = choose.coin();
    Vec3 place = box.centre();
    if (by_density) place.x = box.lower.x + share * box.extent().x;
    const std::vector<double> xyz{place.x, place.y, place.z};
    const std::array own{static_cast<float>(share)};
    const auto diameter = [&](bool told) {
      view.points.discs().assign({xyz, {}}, {},
                                 told && !by_density ? own : std::span<const float>());
      view.points.set_style(4, false, told && by_density);
      Camera camera;
      camera.look(AxisView::front);
      const Picture picture = draw(view, camera, look, options, {401, 301});
      const auto area =
          std::ranges::count_if(picture.pixels, [](const auto& p) { return p[0] > 110; });
      return std::sqrt(static_cast<double>(area));
    };
    const double expected = kLeastDiameter + share * (kMostDiameter - kLeastDiameter);
    CAPTURE(share, by_density);
    CHECK(diameter(true) / diameter(false) == Approx(expected).epsilon(0.1).margin(0.06));
  }
}

TEST_CASE_METHOD(GlFixture, "a session shows the samples that a condition chooses") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const TemporaryFolder folder;
  const Rows rows = random_rows(choose, 400);
  ViewOptions options;
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  options.state.show_points = true;
  options.state.point_look = {PointColors::column, "mag", 1, "kind == 'deep'",
                              PointColors::column, "mag"};
  ViewSession session(options);
  session.open_files({folder.file("a.csv", rows.text)});
  session.state.point_look = options.state.point_look;
  session.wait([] { return false; });
  session.wait_for_questions([] { return false; });
  REQUIRE(session.scene.view.points.shown());
  const auto deep = static_cast<std::size_t>(std::ranges::count(rows.kinds, "deep"));
  CHECK(session.scene.view.points.shown()->samples.size() == deep);
  const auto axis = session.scene.view.points.axis(session.state.point_look);
  REQUIRE(axis);
  CHECK(axis->name == "mag");
  CHECK(axis->axis.low == std::ranges::min(session.scene.view.points.shown()->values));
  REQUIRE(session.scene.view.points.size_axis(session.state.point_look, nullptr));
  CHECK(session.scene.view.points.size_axis(session.state.point_look, nullptr)->axis == axis->axis);
  CHECK(session.scene.view.points.categories(session.state.point_look).empty());
  session.state.point_look = {PointColors::column, "kind"};
  session.update_request();
  while (!session.poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(session.scene.view.points.shown());  // in the frame that is drawn next
  CHECK_FALSE(session.scene.view.points.axis(session.state.point_look));
  CHECK_FALSE(session.scene.view.points.size_axis(session.state.point_look, nullptr));
  CHECK(session.scene.view.points.categories(session.state.point_look).size() == 2);
  CHECK(session.scene.cloud()->points.size() == 400);
  session.open_files({folder.file("b.csv", rows.text)});
  CHECK(session.state.point_look == PointLook{});
}

TEST_CASE("how samples look is set in the panel") {
  PanelStage stage(kTall);
  stage.state.show_points = false;
  stage.facts.columns = {"mag", "stations"};
  stage.frames(2);
  stage.click(stage.find("samples", {"as points"}).middle);
  CHECK(stage.state.show_points);
  stage.type_number(stage.find("point size", {"##size"}).middle, "3.5");
  CHECK(stage.state.point_look.size == 3.5);
  stage.choose_line(stage.find("point colour", {"##told"}), 1);
  CHECK(stage.state.point_look.colors == PointColors::density);
  stage.choose_line(stage.find("size by", {"##told"}), 4);
  CHECK(stage.state.point_look.sizes == PointColors::column);
  CHECK(stage.state.point_look.size_column == "stations");
  CHECK_FALSE(stage.actions.density_changed);
  stage.state.selection = OutlinedPlaces{{}, {{0, 0}, {1, 0}, {1, 1}}};
  stage.facts.selected = "3 of 9 samples, 40 % of the mass";
  stage.click(stage.find("selected", {"estimate on these"}).middle);
  CHECK(stage.actions.density_changed);
  CHECK_FALSE(stage.state.selection);
  CHECK(stage.state.within.size() == 1);
  stage.click(stage.find("selected", {"all samples again"}).middle);
  CHECK(stage.state.within.empty());
}
