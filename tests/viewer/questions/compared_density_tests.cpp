// A density beside another one, their difference and their ratio.

#include <algorithm>
#include <cmath>
#include <random>

#include "estimate/density_facts.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/options/question_options.hpp"
#include "viewer/session/view_session.hpp"

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
    REQUIRE(session.scene.compared() != nullptr);
    return session.scene.compared()->texture().read_back();
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
  REQUIRE(open.session.scene.compared_axis());
  const ValueAxis axis = *open.session.scene.compared_axis();
  double most = 0;
  for (const float value : difference.values<float>())
    most = std::max(most, std::abs(double{value}));
  CHECK(axis.high == Approx(most));
  CHECK(axis.low == -axis.high);
  const Volume narrow = open.compared("h=0.3", CompareAs::side);
  CHECK_FALSE(open.session.scene.compared_axis());
  CHECK(open.session.state.transfer.axis.high == Approx(narrow.maximum()));
  CHECK(narrow.maximum() > alone);
  open.session.state.compare.with.clear();
  open.session.wait_for_questions(goes_on);
  CHECK(open.session.scene.compared() == nullptr);
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
  stage.begin_typing(stage.find("Compare", {"##with"}).middle);
  stage.type("h=0.25");
  const auto size = stage.layout.views.corner + stage.layout.views.size;
  stage.click({static_cast<float>(size.x) - 1, static_cast<float>(size.y) - 1});
  CHECK(stage.state.compare.with == "h=0.25");
  stage.facts.compare.lines = {{"overlap", "0.93"}};
  stage.frames(2);
  stage.click(stage.find("Compare", {"difference"}).middle);
  CHECK(stage.state.compare.as == CompareAs::difference);
  CHECK_FALSE(stage.actions.density_changed);
}
