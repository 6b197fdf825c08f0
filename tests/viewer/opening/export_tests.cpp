#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/isosurface.hpp"
#include "core/report/progress.hpp"
#include "estimate/read/cloud.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/session/files/export_files.hpp"
#include "viewer/session/view_options.hpp"

using namespace skde;
using namespace skde::view;

namespace {

using Flags = std::vector<std::string>;

/// Flags of a density as a user may combine them.
Flags random_flags(std::mt19937& random) {
  const auto one_of = [&](const Flags& words) { return words[random() % words.size()]; };
  Flags flags{"a.csv"};
  if (random() % 2 == 0) flags.push_back("b.csv");
  const auto maybe = [&](const Flags& words) {
    if (random() % 3 == 0) flags.push_back(one_of(words));
  };
  maybe({"--kernel=gaussian", "--kernel=biweight"});
  const bool lengths = random() % 3 == 0;
  if (lengths)
    flags.push_back(one_of({"--bandwidth=1,2.5,3", "--bandwidth=1,0.1,0,2,0,1"}));
  else
    maybe({"--bandwidth=scott", "--bandwidth=0.123456789", "--bandwidth=lcv"});
  if (!lengths) maybe({"--covariance=diag", "--regularize=0.01"});
  maybe({"--dims=40", "--dims=40,50,60", "--spacing=0.125"});
  maybe({"--bounds=-1,-1,-1:2,2,2.5", "--bounds=all"});
  maybe({"--normalize=count", "--normalize=box"});
  maybe({"--precision=f64"});
  maybe({"--tolerance=0.0001"});
  maybe({"--weights=w", "--weights=a b'c"});
  maybe({"--columns=u,v,w", "--columns=3,1,2"});
  maybe({"--where=w > 2 && u < 1"});
  maybe({"--units=km"});
  maybe({"--nan=error"});
  maybe({"--skip=3"});
  maybe({"--engine=span", "--engine=tile", "--engine=cpu"});
  maybe({"--threads=2"});
  return flags;
}

}  // namespace

TEST_CASE("The command of a view asks for the density that the view shows") {
  std::mt19937 random(23);
  for (int i = 0; i < 200; ++i) {
    const Flags flags = random_flags(random);
    CAPTURE(flags);
    ViewState state;
    try {
      state = parse_view_options(flags).state;
    } catch (const Error&) {
      continue;  // some combinations contradict each other
    }
    Flags command = density_arguments(state, {});
    REQUIRE(command.front() == "density");
    REQUIRE(command.back() == "density.vti");
    command.erase(command.begin());
    command.resize(command.size() - 2);
    CAPTURE(command);
    const ViewState again = parse_view_options(command).state;
    CHECK(again.cloud == state.cloud);
    CHECK(again.density == state.density);
    CHECK(again.units == state.units);
  }
}

TEST_CASE("The command spells out a grid and a covariance that came from files") {
  ViewState state;
  state.cloud.paths = {"a.csv"};
  state.density.like = Grid{{1, 2, 3}, {0.5, 0.25, 1}, {10, 20, 30}};
  state.density.bandwidth.covariance = Symmetric3{1, 0, 0, 1, 0, 1};
  const Symmetric3 H{0.25, 0.01, 0, 0.5, 0, 2};
  Flags command = density_arguments(state, H);
  command.erase(command.begin());
  command.resize(command.size() - 2);
  const DensityRequest asked = parse_view_options(command).state.density;
  CHECK(asked.grid.bounds == state.density.like->bounds());
  CHECK(asked.grid.dims == state.density.like->dims);
  CHECK(std::get<Symmetric3>(asked.bandwidth.bandwidth) == H);
}

TEST_CASE("What is shown is written as volume, surfaces and samples") {
  const test::TemporaryFolder folder;
  const Grid grid{{-1, -1, -1}, {0.1, 0.1, 0.1}, {21, 21, 21}};
  std::vector<float> values(static_cast<std::size_t>(grid.cells()));
  std::size_t cell = 0;
  for (int k = 0; k < 21; ++k)
    for (int j = 0; j < 21; ++j)
      for (int i = 0; i < 21; ++i, ++cell) {
        const double x = i * 0.1 - 1, y = j * 0.1 - 1, z = k * 0.1 - 1;
        values[cell] = static_cast<float>(std::max(0.0, 1 - std::sqrt(x * x + y * y + z * z)));
      }
  ShownDensity density{Volume(grid, values), {}};
  density.metadata.samples = 5;
  density.metadata.command_line = "skde density a.csv -o density.vti";
  density.metadata.units = "km";
  CHECK(export_volume(folder.path("a.nrrd"), density).find("21 x 21 x 21") != std::string::npos);
  const io::VolumeFile file = io::read_volume(folder.path("a.nrrd"));
  const auto read = file.volume.values<float>();
  CHECK(std::ranges::equal(read, values));
  CHECK(file.metadata.command_line == density.metadata.command_line);
  CHECK(file.metadata.units == "km");

  export_surfaces(folder.path("s.ply"), density, {0.5, 0.2});
  CHECK(folder.names() == std::vector<std::string>{"a.nrrd", "s_1.ply", "s_2.ply"});
  export_surfaces(folder.path("one.obj"), density, {0.5});
  CHECK_FALSE(test::content_of(folder.path("one.obj")).empty());
  CHECK_THROWS_AS(export_surfaces(folder.path("none.ply"), density, {2}), Error);
  CHECK_THROWS_AS(export_volume(folder.path("a.xyz"), density), Error);

  const Samples points = test::gaussian_cloud(50, true);
  const auto cloud = make_cloud(points.view(), nullptr);
  export_samples(folder.path("p.csv"), *cloud);
  io::ColumnSelection columns;
  columns.weight = "weight";
  NoProgress silent;
  const auto again =
      read_cloud({.paths = {folder.path("p.csv")}, .columns = columns}, 1e9, silent).cloud;
  REQUIRE(again);
  CHECK(std::ranges::equal(again->points.xyz, points.xyz));
  CHECK(std::ranges::equal(again->points.weights, points.weights));
}
