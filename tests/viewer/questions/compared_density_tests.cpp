// A density beside another one, their difference and their ratio.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "estimate/values/density_facts.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/window/view_frame.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

namespace {

const auto goes_on = [] { return false; };

/// A session that shows a random cloud on the benchmark's grid.
class ComparedCloud {
 public:
  ComparedCloud() {
    session.state.density = cube_request(20, 0.6);
    session.state.cloud = cloud;
    session.wait(goes_on);
  }
  /// Compares, and returns what is then shown of it.
  Volume compared(const std::string& with, CompareAs as) {
    session.state.compare = {with, as};
    session.wait_for_questions(goes_on);
    REQUIRE(session.scene.compared.view() != nullptr);
    return session.scene.compared.view()->volume.texture().read_back();
  }
  /// Returns the density of a request, computed without the viewer.
  Volume density(const DensityRequest& request, const CloudFiles& files) const {
    Session other;
    NoProgress progress;
    other.open(files, progress);
    return other.compute(request).take_volume();
  }

  GlFixture context;
  TemporaryFolder folder;
  unsigned seed = std::random_device()();
  CloudFiles cloud = text_file(folder.path("a.xyz"), make_five_gaussians(seed, 0, 400).view());
  ViewSession session{ViewOptions()};
};

/// Returns the largest difference of `volume` from a function of the values of A and B, as a share
/// of the largest value.
template <class Function>
double largest_error(const Volume& volume, const Volume& a, const Volume& b, Function function) {
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < a.values<float>().size(); ++i) {
    const double wanted = function(double{a.values<float>()[i]}, double{b.values<float>()[i]});
    largest = std::max(largest, std::abs(wanted - double{volume.values<float>()[i]}));
    most = std::max(most, std::abs(wanted));
  }
  return largest / most;
}

}  // namespace

TEST_CASE("a difference and a ratio are those of the two densities, cell by cell") {
  ComparedCloud open;
  INFO("seed " << open.seed);
  const DensityRequest narrow = cube_request(20, 0.35);
  DensityRequest other_kernel = cube_request(20, 0.6);
  other_kernel.kernel = KernelFunction::triweight;
  const Volume a = open.density(cube_request(20, 0.6), open.cloud);
  for (const auto& [with, request] :
       {std::pair("h=0.35", narrow), std::pair("kernel=triweight", other_kernel)}) {
    CAPTURE(with);
    const Volume b = open.density(request, open.cloud);
    const Volume side = open.compared(with, CompareAs::side);
    CHECK(largest_error(side, a, b, [](double, double right) { return right; }) < 1e-6);
    const Volume difference = open.compared(with, CompareAs::difference);
    CHECK(largest_error(difference, a, b, std::minus<double>()) < 1e-6);
    const double least = 1e-3 * b.maximum();
    const Volume ratio = open.compared(with, CompareAs::ratio);
    CHECK(largest_error(ratio, a, b, [&](double left, double right) {
            return std::log(std::max(left, least) / std::max(right, least));
          }) < 1e-5);
  }
}

TEST_CASE(
    "the axis of a difference is symmetric, and two densities share that of the higher peak") {
  ComparedCloud open;
  const double alone = open.session.state.transfer.axis.high;
  const Volume difference = open.compared("h=0.3", CompareAs::difference);
  REQUIRE(open.session.scene.compared.axis());
  const ValueAxis axis = *open.session.scene.compared.axis();
  double most = 0;
  for (const float value : difference.values<float>())
    most = std::max(most, std::abs(double{value}));
  CHECK(axis.high == Approx(most));
  CHECK(axis.low == -axis.high);
  const Volume narrow = open.compared("h=0.3", CompareAs::side);
  CHECK_FALSE(open.session.scene.compared.axis());
  CHECK(open.session.state.transfer.axis.high == Approx(std::max(narrow.maximum(), alone)));
  open.session.state.compare.with.clear();
  open.session.wait_for_questions(goes_on);
  CHECK(open.session.scene.compared.view() == nullptr);
  CHECK(open.session.state.transfer.axis.high == Approx(alone));
}

TEST_CASE("a comparison follows the density that is shown") {
  ComparedCloud open;
  open.compared("h=0.3", CompareAs::difference);
  open.session.state.density.bandwidth.bandwidth = 0.3;
  open.session.wait(goes_on);
  const Volume none = open.compared("h=0.3", CompareAs::difference);
  CHECK(none.maximum() == 0);
  CHECK(open.session.comparison().a == open.session.comparison().b);
}

TEST_CASE("another cloud, and a volume of another grid, are compared on the grid of A") {
  ComparedCloud open;
  const CloudFiles other =
      text_file(open.folder.path("b.xyz"), make_five_gaussians(open.seed + 1, 0, 300).view());
  const Volume b = open.density(cube_request(20, 0.6), other);
  const Volume side = open.compared(other.paths.front(), CompareAs::side);
  CHECK(largest_error(side, b, b, [](double, double right) { return right; }) < 1e-6);
  CHECK(open.session.comparison().b == "b.xyz");
  const std::string coarse = open.folder.path("coarse.nrrd");
  io::volume_format_for(coarse).write(coarse, open.density(cube_request(13, 0.6), other), {});
  const Volume resampled = open.compared(coarse, CompareAs::side);
  CHECK(resampled.grid() == open.session.scene.density().grid());
  REQUIRE(open.session.comparison().notes.size() > 0);
  CHECK(open.session.comparison().notes.front().find("resampled") != std::string::npos);
  open.session.open_files({coarse});
  open.session.wait(goes_on);
  open.compared(other.paths.front(), CompareAs::side);
  CHECK(open.session.comparison().notes.back().find("grid of the volume A") != std::string::npos);
}

TEST_CASE("what cannot be compared is told, and nothing else changes") {
  ComparedCloud open;
  open.session.state.compare.with = open.folder.path("missing.xyz");
  CHECK_THROWS_AS(open.session.wait_for_questions(goes_on), Error);
  CHECK(open.session.comparison().problem.find("missing.xyz") != std::string::npos);
  CHECK(open.session.scene.has_density());
  ViewState state;
  CHECK_THROWS_AS(take_comparison("kernel=round", state), Error);
  CHECK_THROWS_AS(take_comparison("h=-1", state), Error);
  CHECK_THROWS_AS(take_comparison("by=species:oak", state), Error);
  CHECK(state == ViewState());
}

TEST_CASE("two categories are two conditions on rows") {
  ViewState state;
  state.cloud.columns.where = "z > 1";
  take_comparison("by=species:oak,it's", state);
  CHECK(state.cloud.columns.where == "(z > 1) && `species` == 'oak'");
  CHECK(state.compare.with == "where=(z > 1) && `species` == \"it's\"");
  ViewState numbers;
  take_comparison("by=class:2,5", numbers);
  CHECK(numbers.cloud.columns.where == "`class` == 2");
  CHECK(numbers.compare.with == "where=`class` == 5");
}

TEST_CASE("the panel takes what to compare with, and tells the figures") {
  PanelStage stage(kTall);
  stage.begin_typing(stage.find("compare", {"##compare"}).middle);
  stage.type("h=0.25");
  const auto size = stage.layout.views.corner + stage.layout.views.size;
  stage.click({static_cast<float>(size.x) - 1, static_cast<float>(size.y) - 1});
  CHECK(stage.state.compare.with == "h=0.25");
  stage.facts.compare.lines = {{"overlap", "0.93"}};
  stage.frames(2);
  stage.click(stage.find("compare as", {"difference"}).middle);
  CHECK(stage.state.compare.as == CompareAs::difference);
  CHECK_FALSE(stage.actions.density_changed);
}

TEST_CASE("the panel offers columns and their values, and compares as the flag does") {
  const TemporaryFolder folder;
  const std::string path = folder.path("trees.csv");
  std::ofstream(path) << "x,y,z,class,kind\n0,0,0,1,elm\n1,0,0,1,oak\n0,1,0,1,oak\n0,0,1,1,oak\n"
                         "1,1,0,1,pine\n1,0,1,1,pine\n";
  PanelStage stage(kTall);
  stage.state.cloud.paths = {path};
  stage.state.cloud.columns.where = "x < 5";
  stage.facts.columns = {"class", "kind"};
  ViewState expected = stage.state;
  const auto by_flag = [&](const std::string& text) {
    expected.cloud.columns.where = "x < 5";
    take_comparison(text, expected);
  };
  stage.frames(2);
  stage.choose_line(stage.find("compare", {"##by"}), 0);
  CHECK(stage.actions.complaint.find("class") != std::string::npos);
  CHECK(stage.state == expected);
  stage.choose_line(stage.find("compare", {"##by"}), 1);
  by_flag("by=kind:oak,pine");  // the most frequent
  CHECK(stage.state.cloud.columns.where == expected.cloud.columns.where);
  CHECK(stage.state.compare == expected.compare);
  CHECK(stage.actions.density_changed);
  stage.choose_line(stage.find("compare", {"##A"}), 2);
  by_flag("by=kind:elm,pine");
  stage.choose_line(stage.find("compare", {"##B"}), 0);
  by_flag("by=kind:elm,oak");
  CHECK(stage.state == expected);
}

TEST_CASE("two densities are estimated in a box that holds both, in either order") {
  const GlFixture context;
  const TemporaryFolder folder;
  const CloudFiles a = text_file(folder.path("a.xyz"), make_five_gaussians(1, 0, 200).view());
  Samples far = make_five_gaussians(2, 0, 200);
  for (double& x : far.xyz) x += 30;
  const CloudFiles b = text_file(folder.path("b.xyz"), far.view());
  const auto mass = [](const Volume& volume) {
    double sum = 0;
    for (const float value : volume.values<float>()) sum += double{value};
    const Vec3 cell = volume.grid().spacing;
    return sum * cell.x * cell.y * cell.z;
  };
  for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
    ViewOptions options;
    options.state.cloud = first;
    options.state.density.bandwidth.bandwidth = 1.5;
    options.state.density.grid.dims = {48, 0, 0};
    options.state.density.device = Device::cpu;
    ViewSession session(options);
    session.wait(goes_on);
    const Grid alone = session.scene.density().grid();
    session.state.compare.with = second.paths.front();
    session.wait_for_questions(goes_on);
    REQUIRE(session.scene.compared.view() != nullptr);
    CHECK(mass(session.scene.view.volume.texture().read_back()) == Approx(1).margin(0.02));
    CHECK(mass(session.scene.compared.view()->volume.texture().read_back()) ==
          Approx(1).margin(0.02));
    CHECK(session.scene.density().grid().bounds().extent().x > 30);
    session.state.compare.with.clear();
    session.wait_for_questions(goes_on);
    CHECK(session.scene.density().grid() == alone);
  }
}

TEST_CASE("the surfaces of B hold the shares of B's own mass") {
  ComparedCloud open;
  INFO("seed " << open.seed);
  open.session.state.mode = RenderMode::isosurface;
  open.session.state.masses = {0.5, 0.9};
  const Volume b = open.compared("h=0.3", CompareAs::side);
  const std::vector<MassRegion> found =
      surfaces(open.session.state, open.session.scene.compared.view()->volume);
  REQUIRE(found.size() == 2);
  const double in_box = open.session.scene.compared.view()->volume.masses()->in_box();
  const auto mass_above = [&](double level) {
    double all = 0, above = 0;
    for (const float value : b.values<float>()) {
      all += double{value};
      above += double{value} > level ? value : 0;
    }
    return above / all * in_box;
  };
  // A level is known to within a bin, in which single cells may hold more than a percent.
  constexpr double kBin = 0.006;
  for (const MassRegion& region : found) {
    CHECK(mass_above(region.level * (1 + kBin)) < region.mass + 1e-3);
    CHECK(mass_above(region.level * (1 - kBin)) > region.mass - 1e-3);
    CHECK(mass_above(region.level * 1.2) < region.mass - 0.01);
  }
}

TEST_CASE("slices, samples and flat views of two equal densities are equal pictures") {
  ComparedCloud open;
  Appearance& seen = open.session.state.appearance;
  seen.axes = seen.bar = seen.mass = seen.triad = false;
  // Wider than a cell in all directions: a warning of thin kernels would lie over the left part.
  open.session.state.density.bandwidth.bandwidth = 3.0;
  open.session.wait(goes_on);
  open.session.state.compare = {"h=3", CompareAs::side};
  open.session.wait_for_questions(goes_on);
  REQUIRE(picture_warnings(open.session).empty());
  ViewFrame frame(nullptr, 1);
  constexpr glm::ivec2 kSize(600, 300);
  const auto check = [&] {
    const Picture picture = frame.draw_picture(open.session, kSize, false);
    const ViewParts parts = view_parts(open.session.state, {{0, 0}, kSize}, 1);
    const glm::ivec2 apart = parts.compared.corner - parts.volume.corner;
    REQUIRE(apart.x > 0);
    std::size_t unlike = 0, drawn = 0;
    for (int y = 40; y < kSize.y; ++y)
      for (int x = 0; x < apart.x; ++x) {
        const auto& a = picture.pixels[static_cast<std::size_t>(y * kSize.x + x)];
        const auto& b = picture.pixels[static_cast<std::size_t>(y * kSize.x + x + apart.x)];
        unlike += std::abs(a[0] - b[0]) > 60 ? 1 : 0;
        drawn += a != picture.pixels.back() ? 1 : 0;
      }
    CHECK(drawn > 1000);
    CHECK(unlike < 500);
  };
  open.session.state.sections.shown = SectionsShown::alone;
  check();
  open.session.state.sections.shown = SectionsShown::off;
  open.session.state.show_points = true;
  open.session.state.point_look.colors = PointColors::density;
  check();
  open.session.state.layout = ViewLayout::slices;
  check();
}

TEST_CASE("a category that no row has is refused with those that there are") {
  const TemporaryFolder folder;
  const std::string path = folder.path("trees.csv");
  std::ofstream(path) << "x,y,z,kind,class\n0,0,0,oak,1\n1,0,0,oak,2\n0,1,0,pine,2\n";
  ViewState state;
  state.cloud.paths = {path};
  const std::string told = usage_message([&] { take_comparison("by=kind:oak,elm", state); });
  CHECK(told.find("'elm'") != std::string::npos);
  CHECK(told.find("'oak' (2), 'pine' (1)") != std::string::npos);
  CHECK_NOTHROW(take_comparison("by=kind:oak,pine", state));
  state.cloud.columns.where.clear();
  CHECK_NOTHROW(take_comparison("by=class:1.0,2", state));
}
