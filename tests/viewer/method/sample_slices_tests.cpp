#include "viewer/layers/method/sample_slices.hpp"

#include "core/ellipsoid_cases.hpp"
#include "engines/registry/registry.hpp"
#include "support/catch.hpp"

namespace {

using namespace skde;
using namespace skde::view;

/// A sample in a grid, and its slices.
struct SlicedSample {
  Grid grid;
  Symmetric3 H;
  Vec3 position;
  SampleSlices slices;

  explicit SlicedSample(const test::EllipsoidCase& c)
      : grid{c.lower, c.spacing, {c.dims[0], c.dims[1], c.dims[2]}},
        H(c.H),
        position{c.lower.x + (c.centre.x + 0.5) * c.spacing.x,
                 c.lower.y + (c.centre.y + 0.5) * c.spacing.y,
                 c.lower.z + (c.centre.z + 0.5) * c.spacing.z},
        slices(slice_sample(make_ellipsoid(H, grid), grid, position)) {}

  /// Returns what an engine adds to an empty volume for this sample, with the uniform kernel.
  Volume added_by(const char* name) const {
    const Samples cloud{{position.x, position.y, position.z}, {}};
    Problem problem;
    problem.kernel = {KernelFunction::uniform, H};
    problem.target = grid;
    problem.precision = Precision::f64;
    EngineOptions options;
    options.threads = 1;
    const auto engine = make_engine(name, options);
    const auto run = engine->begin(problem);
    NoProgress progress;
    run->add(*engine->load(cloud.view()), progress);
    return run->take_values()->take_volume();
  }
};

/// Counts the cells in which volume and slices disagree.
std::int64_t unlike_cells(const SampleSlices& slices, const Volume& volume) {
  std::vector<char> inside(static_cast<std::size_t>(slices.grid_cells()));
  for (const SampleSlice& slice : slices.slices)
    for (std::int32_t y = slice.range.y.begin; y < slice.range.y.end; ++y) {
      const IndexRange row =
          slices.rows_of(slice)[static_cast<std::size_t>(y - slice.range.y.begin)];
      const std::int64_t first = (std::int64_t{slice.z} * slices.dims[1] + y) * slices.dims[0];
      for (std::int32_t x = row.begin; x < row.end; ++x)
        inside[static_cast<std::size_t>(first + x)] = 1;
    }
  std::int64_t unlike = 0;
  const auto values = volume.values<double>();
  for (std::size_t cell = 0; cell < inside.size(); ++cell)
    unlike += (values[cell] > 0) != (inside[cell] != 0);
  return unlike;
}

TEST_CASE("the slices of random samples count what the engines add") {
  test::EllipsoidCases cases(31);
  std::int64_t inside = 0;
  for (int n = 0; n < 1000; ++n) {
    const test::EllipsoidCase c = cases.next();
    INFO("case " << n << ": " << c);
    const SlicedSample sample(c);
    const SampleSlices& s = sample.slices;
    const CellCounts counts = count_cells(s.ellipsoid, sample.grid, sample.position);
    CHECK(s.total.slices == counts.slices);
    CHECK(s.total.full == counts.full);
    CHECK(s.total.evaluated == counts.evaluated);
    CHECK(s.total.inside == counts.inside);
    CHECK(std::int64_t(s.slices.size()) == counts.slices);
    CHECK(s.box_cells() >= s.total.evaluated);
    CHECK(unlike_cells(s, sample.added_by("span")) == 0);
    CHECK(unlike_cells(s, sample.added_by("naive")) == 0);
    inside += s.total.inside;
  }
  CHECK(inside > 10000);  // not all samples are out of reach
}

/// A ball of radius 2.1 about the centre of cell (7, 5, 5): 1 + 6 + 12 + 8 + 6 cells.
SampleSlices ball() {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  return slice_sample(make_ellipsoid(Symmetric3::diagonal(4.41, 4.41, 4.41), grid), grid,
                      {7.5, 5.5, 5.5});
}

TEST_CASE("the slices of a ball as counted by hand") {
  const SampleSlices s = ball();
  CHECK(s.z.begin == 3);
  CHECK(s.z.end == 8);
  CHECK(s.bounds.x.begin == 5);
  CHECK(s.bounds.x.end == 10);
  CHECK(s.bounds.y.begin == 3);
  CHECK(s.bounds.y.end == 8);
  CHECK(s.box_cells() == 125);
  REQUIRE(s.slices.size() == 5);
  const SampleSlice& middle = s.slices[2];
  CHECK(middle.z == 5);
  CHECK(middle.inside == 13);
  CHECK(middle.range.cells() == 25);
  CHECK(s.rows_of(middle)[0].begin == 7);
  CHECK(s.rows_of(middle)[0].end == 8);
  CHECK(s.rows_of(middle)[2].begin == 5);
  CHECK(s.rows_of(middle)[2].end == 10);
  CHECK(s.slices[0].inside == 1);
  CHECK(s.nearest(5.4) == 2);
  CHECK(s.nearest(-40) == 0);
  CHECK(s.nearest(40) == 4);
}

TEST_CASE("a kernel that reaches no slice has none") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  for (const double z : {-30.0, 40.0, 1e300}) {
    const SampleSlices s =
        slice_sample(make_ellipsoid(Symmetric3::diagonal(4, 4, 4), grid), grid, {5, 5, z});
    CHECK(s.slices.empty());
    CHECK(s.rows.empty());
    CHECK(s.total.evaluated == 0);
    CHECK(s.nearest(3) == 0);
    CHECK(method_readout(s, 0).slice[0].value == "the kernel reaches none");
  }
}

/// The value of the line with this label.
std::string value_of(const std::vector<ReadoutLine>& lines, std::string_view label) {
  for (const ReadoutLine& line : lines)
    if (line.label == label) return line.value;
  return "no such line";
}

TEST_CASE("the matrix of an ellipsoid in cells is that which it was made of") {
  const Grid grid{{0, 0, 0}, {0.5, 2, 3}, {9, 9, 9}};
  const Symmetric3 H{5, 1.5, -2, 7, 2.5, 11};
  const Symmetric3 found = world_matrix(make_ellipsoid(H, grid), grid);
  for (const auto part : {&Symmetric3::xx, &Symmetric3::xy, &Symmetric3::xz, &Symmetric3::yy,
                          &Symmetric3::yz, &Symmetric3::zz})
    CHECK(found.*part == Approx(H.*part));
}

TEST_CASE("the readout tells the gain of chop and crop") {
  const MethodReadout readout = method_readout(ball(), 2);
  CHECK(value_of(readout.sample, "sample at (cells)") == "7.00, 5.00, 5.00");
  CHECK(value_of(readout.sample, "kernel half extents (cells)") == "2.10, 2.10, 2.10");
  CHECK(value_of(readout.sample, "chop: slices") == "z 3..7");
  CHECK(value_of(readout.sample, "slices kept") == "5 of 12, 2.4 times fewer");
  CHECK(value_of(readout.slice, "slice") == "z = 5");
  CHECK(value_of(readout.slice, "crop: grid ranges") == "x 5..9, y 3..7");
  CHECK(value_of(readout.slice, "cells evaluated") == "25 of 110, 4.4 times fewer");
  CHECK(value_of(readout.slice, "cells inside") == "13, 52.0 % of them");
  CHECK(value_of(readout.total, "whole grid") == "1,320");
  CHECK(value_of(readout.total, "after chop: full slices") == "550 of 1,320, 2.4 times fewer");
  CHECK(value_of(readout.total, "the kernel's box") == "125");
  CHECK(value_of(readout.total, "after crop: evaluated") == "45 of 550, 12.2 times fewer");
  CHECK(value_of(readout.total, "inside") == "33, 73.3 % of them");
  CHECK(value_of(readout.total, "chop and crop") == "45 of 1,320, 29.3 times fewer");
}

}  // namespace
