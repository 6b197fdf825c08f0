#include <GLFW/glfw3.h>

#include <cmath>

#include "viewer/panel_stage.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

double given_h(const ViewState& state) {
  const double* h = std::get_if<double>(&state.density.bandwidth.bandwidth);
  REQUIRE(h != nullptr);
  return *h;
}

}  // namespace

TEST_CASE("a drag of the bandwidth slider gives an h that grows rightwards") {
  PanelStage stage(kTall);
  const auto [middle, size] = stage.find("bandwidth", {"##h"});
  stage.drag(middle, {middle.x + 0.2f * size.x, middle.y});
  const double wide = given_h(stage.state);
  CHECK(wide > *stage.facts.suggested.silverman);
  CHECK(stage.actions.density_changed);
  CHECK(stage.actions.state_changed);
  stage.drag(middle, {middle.x - 0.2f * size.x, middle.y});
  const double narrow = given_h(stage.state);
  CHECK(narrow < *stage.facts.suggested.silverman);
  // The slider is logarithmic, with Silverman's h in the middle.
  CHECK(wide * narrow == Approx(std::pow(*stage.facts.suggested.silverman, 2)).epsilon(0.1));
}

TEST_CASE("a bandwidth that is typed is exact and positive") {
  PanelStage stage(kTall);
  const ImVec2 slider = stage.find("bandwidth", {"##h"}).middle;
  stage.type_number(slider, "0.0123456789");
  CHECK(given_h(stage.state) == 0.0123456789);
  stage.type_number(slider, "250");  // beyond the range of the slider
  CHECK(given_h(stage.state) == 250);
  for (const char* refused : {"-3", "0", "nan", "wide"}) {
    stage.type_number(slider, refused);
    CHECK(given_h(stage.state) == 250);
  }
}

TEST_CASE("a number counts once it is typed to its end") {
  PanelStage stage(kTall);
  const ImVec2 cells = stage.find("cells", {"##dims"}).middle;
  const auto before = stage.state;
  for (const char* begin : {"2", "0", "0"}) {
    if (begin == std::string("2")) stage.begin_typing(cells);
    stage.type(begin);
    CHECK(stage.state == before);
  }
  stage.press_key(GLFW_KEY_ENTER);
  CHECK((*stage.state.density.grid.dims)[0] == 200);
  const auto typed = stage.state;
  stage.begin_typing(cells);
  stage.type("37");
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.state == typed);
  const ImVec2 h = stage.find("bandwidth", {"##h"}).middle;
  stage.begin_typing(h);
  stage.type("0.5");
  CHECK(stage.state == typed);
  stage.press_key(GLFW_KEY_ENTER);
  CHECK(given_h(stage.state) == 0.5);
}

TEST_CASE("columns, weights, units and bounds are typed and taken back") {
  PanelStage stage(kTall);
  const auto enter = [&](const char* field, const char* text) {
    stage.click(stage.find(field + 2, {field}).middle);
    stage.type(text);
    stage.press_key(GLFW_KEY_ENTER);
  };
  enter("##columns", "lon,lat,depth");
  CHECK(stage.state.cloud.columns.coordinates == std::vector<std::string>{"lon", "lat", "depth"});
  enter("##weights", "mag");
  CHECK(stage.state.cloud.columns.weight == "mag");
  enter("##units", "km");
  CHECK(stage.state.units == "km");
  enter("##bounds", "0,0,0:1,2,3");
  REQUIRE(stage.state.density.grid.bounds);
  CHECK(*stage.state.density.grid.bounds == Box{{0, 0, 0}, {1, 2, 3}});
  CHECK(stage.actions.complaint.empty());
  const auto before = stage.state;
  stage.state.cloud.columns.coordinates.clear();
  enter("##columns", "lon,lat");
  CHECK(stage.actions.complaint.find("three names") != std::string::npos);
  CHECK(stage.state.cloud.columns.coordinates.empty());
  CHECK(stage.state.density == before.density);
}

TEST_CASE("warnings and notes stand in the panels and warnings over the picture") {
  PanelStage stage({1280, 720});
  const ViewState before = stage.state;
  stage.frames(3);
  const Picture quiet = stage.picture();
  stage.facts.warnings = {"12 % of the mass lies outside of the box"};
  stage.facts.notes = {"3 of 40 rows dropped: 3 with NaN or an infinity"};
  stage.over_views = [&] {
    ui::draw_warnings(ui::warning_strip(stage.facts.warnings, stage.layout.views, 1),
                      stage.layout.views, 1);
  };
  stage.frames(3);
  const Picture told = stage.picture();
  const auto amber = [](const Picture& picture, int from, int to) {
    int count = 0;
    for (int y = 0; y < picture.height; ++y)
      for (int x = from; x < to; ++x) {
        const auto& pixel = picture.at(x, y);
        count += pixel[0] > 200 && pixel[1] > 140 && pixel[2] < 120 ? 1 : 0;
      }
    return count;
  };
  const int left = stage.layout.views.corner.x;
  CHECK(amber(quiet, left, 1280) == 0);
  CHECK(amber(told, 0, left) > amber(quiet, 0, left) + 100);
  CHECK(amber(told, left, 1280) > 100);
  CHECK(stage.state == before);
}

TEST_CASE("warnings lie above the views and leave them most of the picture") {
  const auto shown = GENERATE(
      table<glm::ivec2, float>({{{320, 240}, 1.0f}, {{1280, 720}, 1.0f}, {{3840, 2160}, 2.0f}}));
  // Structured bindings cannot be captured by lambdas in every compiler.
  const glm::ivec2 size = std::get<0>(shown);
  const float scale = std::get<1>(shown);
  PanelStage stage(size, scale);
  const PixelRegion whole{{10, 20}, size - 30};
  CHECK(ui::warning_strip({}, whole, scale).views.size == whole.size);
  const std::vector<std::string> one{"the cells sum to 11.4 % of the mass; use more cells"};
  const std::vector<std::string> many(40, one.front());
  ui::WarningStrip few, all;
  stage.over_views = [&] {
    few = ui::warning_strip(one, whole, scale);
    all = ui::warning_strip(many, whole, scale);
    ui::draw_warnings(all, whole, scale);
  };
  stage.frames(2);
  for (const ui::WarningStrip* strip : {&few, &all}) {
    REQUIRE_FALSE(strip->lines.empty());
    CHECK(strip->views.corner.y > whole.corner.y + 15);
    CHECK(strip->views.corner.y + strip->views.size.y == whole.corner.y + whole.size.y);
    CHECK(2 * strip->views.size.y > whole.size.y);
  }
  CHECK(few.lines.front().starts_with("Warning: the cells"));
  CHECK(all.lines.back().ends_with("\u2026"));
}

TEST_CASE("a rule without a bandwidth for the samples cannot be chosen") {
  PanelStage stage(kTall);
  stage.facts.suggested.scott.reset();
  stage.frames(2);
  const auto before = stage.state;
  stage.choose_line(stage.find("bandwidth", {"##rule"}), 2);
  CHECK(stage.state == before);
}

TEST_CASE("three lengths begin with those of the kernel in use") {
  PanelStage stage(kTall);
  stage.choose_line(stage.find("bandwidth", {"##rule"}), 9);
  REQUIRE(std::holds_alternative<Vec3>(stage.state.density.bandwidth.bandwidth));
  CHECK(std::get<Vec3>(stage.state.density.bandwidth.bandwidth) == *stage.facts.lengths);
  const auto [middle, size] = stage.find("bandwidth", {"##hy"});
  stage.drag(middle, {middle.x + 0.3f * size.x, middle.y});
  const Vec3 lengths = std::get<Vec3>(stage.state.density.bandwidth.bandwidth);
  CHECK(lengths.y > stage.facts.lengths->y);
  CHECK(lengths.x == stage.facts.lengths->x);
}

TEST_CASE("the slider of a rule shows the h of that rule") {
  PanelStage stage(kTall);
  stage.facts.suggested.normal_scale = 0.5;
  const auto place = stage.find("bandwidth", {"##h"});
  const auto slider = [&, middle = place.middle, size = place.size](const auto& bandwidth) {
    stage.state.density.bandwidth.bandwidth = bandwidth;
    stage.frames(2);
    const Picture picture = stage.picture();
    std::vector<int> line;  // through the slider
    for (float x = middle.x - size.x / 2; x < middle.x + size.x / 2; ++x)
      line.push_back(picture.at(static_cast<int>(x), static_cast<int>(middle.y))[0]);
    return line;
  };
  const auto given = slider(0.5);
  CHECK((slider(BandwidthRule::normal_scale) == given));
  CHECK_FALSE((slider(BandwidthRule::silverman) == given));
}

TEST_CASE("an h that samples with kernels of their own do not take is not offered") {
  PanelStage stage(kTall);
  const auto slider = stage.find("bandwidth", {"##h"});
  stage.facts.own_kernels = true;
  stage.frames(2);
  const BandwidthSpec before = stage.state.density.bandwidth;
  stage.drag(slider.middle, {slider.middle.x + 0.2F * slider.size.x, slider.middle.y});
  CHECK(stage.state.density.bandwidth == before);
}

TEST_CASE("engines that cannot run here cannot be chosen") {
  PanelStage stage(kTall);
  const PanelStage::Place menu = stage.find("engine", {"##engine"});
  stage.choose_line(menu, 5);  // lines 0 to 2 are "auto", "cpu" and "gpu"
  CHECK(stage.state.density.engine == stage.facts.engines[2].name);
  stage.choose_line(menu, 6);
  CHECK_FALSE(stage.facts.engines[3].unavailable.empty());
  CHECK(stage.state.density.engine == stage.facts.engines[2].name);
}

TEST_CASE("cells replace a spacing that was given") {
  PanelStage stage(kTall);
  stage.state.density.grid = {};
  stage.state.density.grid.spacing = Vec3{0.1, 0.1, 0.1};
  stage.frames(2);
  const auto [middle, size] = stage.find("cells", {"##dims"});
  stage.drag(middle, {middle.x - 0.2f * size.x, middle.y});
  REQUIRE(stage.state.density.grid.dims);
  CHECK((*stage.state.density.grid.dims)[0] < 256);
  CHECK_FALSE(stage.state.density.grid.spacing);
}

TEST_CASE("control points are added and dragged and removed") {
  PanelStage stage(kTall);
  stage.state.transfer.set_points({{0, 0}, {0.08, 0}, {0.5, 0.06}, {1, 0.5}});
  const auto before = stage.state.transfer.points();
  const auto [middle, size] = stage.find("opacity", {"##editor"});
  const ImVec2 at{middle.x - 0.2f * size.x, middle.y - 0.2f * size.y};

  stage.click(at);
  CHECK(stage.state.transfer.points() == before);
  stage.frames(60);  // so that the clicks do not form a double click
  stage.double_click(at);
  REQUIRE(stage.state.transfer.points().size() == before.size() + 1);
  const ControlPoint added = stage.state.transfer.points()[2];
  CHECK(added.position == Approx(0.3).margin(0.03));
  CHECK(added.opacity == Approx(0.7).margin(0.08));
  CHECK(stage.actions.state_changed);
  CHECK_FALSE(stage.actions.density_changed);

  stage.frames(60);
  const ImVec2 lower{at.x + 0.1f * size.x, at.y + 0.3f * size.y};
  stage.drag(at, lower);
  REQUIRE(stage.state.transfer.points().size() == before.size() + 1);
  const ControlPoint moved = stage.state.transfer.points()[2];
  CHECK(moved.position == Approx(added.position + 0.1).margin(0.01));
  CHECK(moved.opacity < added.opacity - 0.2);

  stage.click(lower, ImGuiMouseButton_Right);
  CHECK(stage.state.transfer.points() == before);
}

TEST_CASE("a drag of the level leaves the peak") {
  PanelStage stage(kTall);
  const ValueAxis before = stage.state.transfer.axis;
  const ImVec2 at = stage.find("axis middle", {"##number"}).middle;
  stage.drag(at, {at.x + 40, at.y});
  CHECK(stage.state.transfer.axis.low > before.low);
  CHECK(stage.state.transfer.axis.high - stage.state.transfer.axis.low ==
        Approx(before.high - before.low));
  CHECK_FALSE(stage.state.axis_follows_density);
  stage.click(stage.find("colour axis", {"follows the peak"}).middle);
  CHECK(stage.state.transfer.axis == before);
}

TEST_CASE("a logarithmic axis spans the decades below the peak") {
  PanelStage stage(kTall);
  stage.click(stage.find("colour axis", {"logarithmic"}).middle);
  CHECK(stage.state.transfer.axis == axis_up_to(stage.facts.peak, true));
}

TEST_CASE("colour map and preset come from menus and files by name") {
  PanelStage stage(kTall);
  stage.choose_line(stage.find("colours", {"##colors"}), 2);
  CHECK(stage.state.transfer.colors == kColorMaps[2].second);
  stage.click(stage.find("colours", {"inverted"}).middle);
  CHECK(stage.state.transfer.colors == inverted(kColorMaps[2].second));
  stage.click(stage.find("colours", {"inverted"}).middle);
  stage.choose_line(stage.find("preset", {"##preset"}), 2);  // the first is "by mass"
  TransferFunction preset;
  apply_preset(preset, kOpacityPresets[1].name);
  CHECK(stage.state.transfer.points() == preset.points());
  CHECK_FALSE(stage.state.transfer.follows_mass);
  stage.choose_line(stage.find("preset", {"##preset"}), 0);
  CHECK(stage.state.transfer.follows_mass);
  stage.click(stage.find("colour file", {"save"}).middle);
  CHECK(stage.actions.save_transfer == stage.layout.transfer_path);
  CHECK_FALSE(stage.actions.load_transfer);
}

TEST_CASE("sample and slice go step by step and stay in range") {
  PanelStage stage(kTall);
  stage.click(stage.find("sample", {"sample", "##more"}).middle);
  CHECK(stage.state.sample == 4712);
  stage.click(stage.find("kernel slice", {"slice", "##less"}).middle);
  CHECK(stage.state.slice == *stage.facts.slice - 1);
  stage.state.slice = stage.facts.slices.begin;
  stage.click(stage.find("kernel slice", {"slice", "##less"}).middle);
  CHECK(stage.state.slice == stage.facts.slices.begin);
  stage.click(stage.find("kernel slice", {"through the sample"}).middle);
  CHECK(stage.state.slice == -1);
}

TEST_CASE("the view's buttons ask for what they say") {
  PanelStage stage(kTall);
  stage.click(stage.find("camera", {"top"}).middle);
  CHECK(stage.actions.axis_view == AxisView::top);
  stage.click(stage.find("views", {"both"}).middle);
  CHECK(stage.state.layout == ViewLayout::both);
  CHECK_FALSE(stage.actions.screenshot);
  stage.click(stage.find("save picture", {"as chosen (F12)"}).middle);
  CHECK(stage.actions.screenshot);
  CHECK_FALSE(stage.actions.density_changed);
  CHECK_FALSE(stage.actions.on_white);
  stage.click(stage.find("save picture", {"on white"}).middle);
  CHECK(stage.actions.on_white);
}

TEST_CASE("an error stays until it is dismissed and blocks the panels meanwhile") {
  PanelStage stage({1280, 720});
  const PanelStage::Place slider = stage.find("bandwidth", {"##h"});
  stage.facts.error = "cloud.ply, line 17: 'abc' is not a number; choose other --columns";
  stage.frames(3);
  const ViewState before = stage.state;
  stage.drag(slider.middle, {slider.middle.x + 30, slider.middle.y});
  CHECK(stage.state == before);
  CHECK_FALSE(stage.actions.dismiss_error);
  stage.click(stage.find_in("The action failed", {"OK"}).middle);
  CHECK(stage.actions.dismiss_error);
  stage.facts.error.clear();
  stage.frames(2);
  stage.drag(slider.middle, {slider.middle.x + 30, slider.middle.y});
  CHECK(stage.state != before);
}

TEST_CASE("what takes long shows its progress and can be cancelled") {
  PanelStage stage({1280, 720});
  const auto [corner, size] = stage.layout.views;
  stage.facts.progress = ui::ProgressFact{"accumulate", 0.4, 0.1};
  stage.frames(2);
  CHECK(drawn_pixels(stage.picture(), corner, corner + size) == 0);
  stage.facts.progress->seconds = 0.3;
  stage.frames(2);
  CHECK(drawn_pixels(stage.picture(), corner, corner + size) > 1000);
  stage.click(stage.find_in("##progress", {"cancel"}).middle);
  CHECK(stage.actions.cancel);
}

TEST_CASE("the scalar bar stays at the right edge of its view") {
  PanelStage stage({1280, 720});
  const PixelRegion region{{1000, 50}, {100, 600}};
  stage.over_views = [&] { ui::draw_scalar_bar(stage.state, {}, {}, {}, region, 1); };
  stage.frames(2);
  const Picture picture = stage.picture();
  const auto [corner, size] = region;
  CHECK(drawn_pixels(picture, corner, corner + size) > 2000);
  CHECK(drawn_pixels(picture, {400, 0}, {1000, 720}) == 0);
  CHECK(drawn_pixels(picture, {1100, 0}, {1280, 720}) == 0);
}
