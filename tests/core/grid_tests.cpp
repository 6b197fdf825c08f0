#include "core/space/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

using Dims = std::array<std::int64_t, 3>;

void check_vec(Vec3 got, Vec3 expected) {
  for (int axis = 0; axis < 3; ++axis)
    CHECK(got[axis] == Approx(expected[axis]).epsilon(1e-12).margin(1e-12));
}

void check_box(const Box& got, const Box& expected) {
  check_vec(got.lower, expected.lower);
  check_vec(got.upper, expected.upper);
}

constexpr Box kCloud{{0, 0, 0}, {6, 2, 3}};
constexpr Vec3 kSupport{1, 0.5, 0.25};  // box: [-1,7] x [-0.5,2.5] x [-0.25,3.25]

GridSpec with(std::optional<Box> bounds, std::optional<Dims> dims, std::optional<Vec3> spacing) {
  return {.bounds = bounds, .dims = dims, .spacing = spacing};
}

}  // namespace

TEST_CASE("by default cubes fill the cloud and the kernel's support", "[grid]") {
  const Grid grid = make_grid({}, kCloud, kSupport);
  check_vec(grid.spacing, {0.0625, 0.0625, 0.0625});  // 8 / 128
  CHECK(grid.dims == Dims{128, 48, 56});
  check_box(grid.bounds(), {{-1, -0.5, -0.25}, {7, 2.5, 3.25}});
}

TEST_CASE("cells that do not fill the default box stand out on both sides alike", "[grid]") {
  const Grid grid = make_grid(with({}, Dims{99, 0, 0}, {}), kCloud, kSupport);
  const double edge = 8.0 / 99;
  check_vec(grid.spacing, {edge, edge, edge});
  CHECK(grid.dims == Dims{99, 38, 44});  // 3 / edge = 37.1 and 3.5 / edge = 43.3
  check_box(grid.bounds(),
            {{-1, 1 - 19 * edge, 1.5 - 22 * edge}, {7, 1 + 19 * edge, 1.5 + 22 * edge}});
}

TEST_CASE("one number of dims is cells along the longest side", "[grid]") {
  for (int longest = 0; longest < 3; ++longest)
    for (std::int64_t n : {1, 7, 49, 128, 1000}) {
      INFO(n << " cells along " << kAxisNames[static_cast<std::size_t>(longest)]);
      Box box{{0.1, 0.2, 0.3}, {1.1, 1.2, 1.3}};
      box.upper[longest] += 2.3;
      const Vec3 wide{1e3, 1e3, 1e3};  // wide enough for cubic cells
      const Grid grid = make_grid(with(box, Dims{n, 0, 0}, {}), kCloud, wide);
      const double edge = 3.3 / static_cast<double>(n);
      CHECK(grid.dims[static_cast<std::size_t>(longest)] == n);
      check_box(grid.bounds(), box);
      for (int axis = 0; axis < 3; ++axis) {  // as near to cubes as whole numbers of cells allow
        const auto cells = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
        CHECK(grid.spacing[axis] <= edge * (1 + 1e-9));
        CHECK(box.extent()[axis] > (cells - 1) * edge * (1 - 1e-9));
      }
    }
}

TEST_CASE("bounds are the outer faces of the box", "[grid]") {
  const Box box{{-2, 0, 1}, {2, 1, 4}};
  const Grid alone = make_grid(with(box, {}, {}), kCloud, kSupport);
  CHECK(alone.dims == Dims{128, 32, 96});
  check_box(alone.bounds(), box);
  const Grid three = make_grid(with(box, Dims{8, 4, 30}, {}), kCloud, kSupport);
  CHECK(three.dims == Dims{8, 4, 30});
  check_vec(three.spacing, {0.5, 0.25, 0.1});
  check_box(three.bounds(), box);
  check_vec(three.first_centre(), {-1.75, 0.125, 1.05});
  check_vec(three.centre(0, 0, 0), three.first_centre());
  check_vec(three.centre(7, 3, 29), {1.75, 0.875, 3.95});
}

TEST_CASE("with bounds and spacing the cells shrink until they fill the box", "[grid]") {
  const Box box{{-2, 0, 1}, {2, 1, 4}};
  const Grid grid = make_grid(with(box, {}, Vec3{0.5, 0.3, 5}), kCloud, kSupport);
  CHECK(grid.dims == Dims{8, 4, 1});
  CHECK(grid.lower == box.lower);
  check_vec(grid.spacing, {0.5, 0.25, 3});
  check_box(grid.bounds(), box);
  // Extents that are a whole number of cells up to rounding, as 0.30000000000000004, get no extra
  // cell.
  const Box sums{{0, 0, 0}, {0.1 + 0.2, 0.7, 3 * 1.1}};
  CHECK(make_grid(with(sums, {}, Vec3{0.1, 0.1, 1.1}), kCloud, kSupport).dims == Dims{3, 7, 3});
}

TEST_CASE("cubes give way where a kernel's reaches are unlike", "[grid]") {
  // Degrees next to kilometres per second: cubic cells would give dims 1 x 1 x 128.
  const Box galaxies{{0, -5, 1000}, {20, 5, 31000}};
  const Vec3 reach{2, 1, 3000};
  const Grid grid = make_grid({}, galaxies, reach);
  CHECK(grid.dims == Dims{128, 128, 128});  // 12 reaches along each axis
  for (int axis = 0; axis < 3; ++axis)
    CHECK(reach[axis] / grid.spacing[axis] == Approx(128.0 / 12));
  check_box(grid.bounds(), {{-2, -6, -2000}, {22, 6, 34000}});
  // The same with bounds, which are kept, and with a single number for dims.
  const Grid within = make_grid(with(galaxies, Dims{40, 0, 0}, {}), {}, reach);
  check_box(within.bounds(), galaxies);
  CHECK(within.dims == Dims{40, 40, 40});
  // Cells are cubes if the reaches differ by a factor of at most 4, and not otherwise.
  const Box box{{0, 0, 0}, {128, 64, 64}};
  CHECK(make_grid(with(box, {}, {}), {}, {9, 9, 2.3}).dims == Dims{128, 64, 64});
  CHECK(make_grid(with(box, {}, {}), {}, {9, 9, 2}).dims == Dims{57, 29, 128});
  // If the shortest reach is along the longest side, cells along the other axes do not get coarser.
  CHECK(make_grid(with(box, {}, {}), {}, {2, 9, 9}).dims == Dims{128, 64, 64});
}

TEST_CASE("more dims are more cells along every axis, of the same shape", "[grid]") {
  std::mt19937_64 random(24);
  std::uniform_real_distribution<double> power(-2, 2);
  for (int round = 0; round < 300; ++round) {
    Vec3 extent, reach;
    for (int axis = 0; axis < 3; ++axis) {
      extent[axis] = std::pow(10, power(random));
      reach[axis] = extent[axis] * std::pow(10, 0.5 * power(random) - 1.5);
    }
    const auto [least, most] = std::minmax({reach.x, reach.y, reach.z});
    Dims before{};
    std::optional<bool> cubes;
    for (const std::int64_t n : {9, 40, 128, 300, 512, 700, 1024}) {
      const Grid grid = make_grid(with({}, Dims{n, 0, 0}, {}), {reach, extent - reach}, reach);
      CHECK(*std::ranges::max_element(grid.dims) == n);
      for (std::size_t axis = 0; axis < 3; ++axis) CHECK(grid.dims[axis] >= before[axis]);
      before = grid.dims;
      const Vec3 cell = grid.spacing;
      const bool are = cell.x == cell.y && cell.y == cell.z;
      if (most / least < 4) CHECK(are);
      if (!are)
        for (int axis = 0; axis < 3; ++axis)
          CHECK(reach[axis] / cell[axis] == Approx(reach.x / cell.x));
      CHECK(cubes.value_or(are) == are);
      cubes = are;
    }
  }
}

TEST_CASE("spacing alone covers the cloud and its support", "[grid]") {
  const Grid grid = make_grid(with({}, {}, Vec3{1, 2, 3}), kCloud, kSupport);
  CHECK(grid.spacing == Vec3{1, 2, 3});
  CHECK(grid.dims == Dims{8, 2, 2});
  check_box(grid.bounds(), {{-1, -1, -1.5}, {7, 3, 4.5}});
}

TEST_CASE("three dims with spacing are a box about the cloud", "[grid]") {
  const Grid grid = make_grid(with({}, Dims{4, 6, 8}, Vec3{0.5, 1, 2}), kCloud, kSupport);
  CHECK(grid.dims == Dims{4, 6, 8});
  CHECK(grid.spacing == Vec3{0.5, 1, 2});
  check_box(grid.bounds(), {{2, -2, -6.5}, {4, 4, 9.5}});
}

TEST_CASE("three dims alone divide the default box", "[grid]") {
  const Grid grid = make_grid(with({}, Dims{4, 6, 7}, {}), kCloud, kSupport);
  check_vec(grid.spacing, {2, 0.5, 0.5});
  check_box(grid.bounds(), {{-1, -0.5, -0.25}, {7, 2.5, 3.25}});
}

TEST_CASE("dims and spacing that contradict each other are refused", "[grid]") {
  const Box box{{0, 0, 0}, {1, 1, 1}};
  const Vec3 spacing{0.1, 0.1, 0.1};
  for (const GridSpec& spec :
       {with(box, Dims{10, 10, 10}, spacing), with(box, Dims{10, 0, 0}, spacing),
        with({}, Dims{10, 0, 0}, spacing)}) {
    test::check_thrown(ErrorKind::usage, {"`dims", "`spacing"},
                       [&] { make_grid(spec, kCloud, kSupport); });
  }
}

TEST_CASE("a spacing far too small is refused before cells are counted in integers", "[grid]") {
  for (double spacing : {1e-9, 1e-30, 1e-300}) {
    test::check_thrown(ErrorKind::resources, {"`spacing"}, [&] {
      make_grid(with({}, {}, Vec3{1, 1, spacing}), kCloud, kSupport);
    });
  }
}

TEST_CASE("world and cell coordinates are each other's inverse at offsets of 1e6", "[grid]") {
  for (double offset : {0.0, 1e6, -1e6, 5.1e6}) {
    const Grid grid{{offset, offset + 3, -offset}, {0.01, 0.25, 3}, {300, 200, 100}};
    for (const Dims& c : {Dims{0, 0, 0}, Dims{299, 199, 99}, Dims{17, 101, 55}}) {
      INFO("offset " << offset << ", cell " << c[0] << ' ' << c[1] << ' ' << c[2]);
      const Vec3 centre = grid.centre(c[0], c[1], c[2]), cell = grid.to_cells(centre);
      for (int axis = 0; axis < 3; ++axis) {
        const auto index = static_cast<double>(c[static_cast<std::size_t>(axis)]);
        CHECK(std::abs(cell[axis] - index) < 2e-7);
        CHECK(centre[axis] ==
              Approx(grid.lower[axis] + (index + 0.5) * grid.spacing[axis]).epsilon(1e-15));
      }
    }
    CHECK(grid.to_cells(grid.lower) == Vec3{-0.5, -0.5, -0.5});
    CHECK(grid.to_cells(grid.bounds().upper).x == Approx(299.5).epsilon(1e-8));
  }
}

TEST_CASE("the sizes of a grid", "[grid]") {
  const Grid grid{{1, 2, 3}, {0.5, 2, 3}, {2048, 2048, 1024}};
  CHECK(grid.cells() == 4294967296);
  CHECK(grid.bytes(Precision::f32) == 17179869184);
  CHECK(grid.bytes(Precision::f64) == 34359738368);
  CHECK(grid.cell_volume() == 3);
  CHECK(grid.bounds() == Box{{1, 2, 3}, {1025, 4098, 3075}});
}

TEST_CASE("a grid whose cells or bytes overflow is refused", "[grid]") {
  CHECK_NOTHROW(require_countable({{}, {1, 1, 1}, {1000000, 1000000, 1000000}}));
  for (const Dims& dims :
       {Dims{2147483647, 2147483647, 2147483647}, Dims{1 << 22, 1 << 21, 1 << 21},
        Dims{2147483647, 2147483647, 4}, Dims{std::int64_t{1} << 31, 1, 1},
        Dims{1, 1, std::int64_t{1} << 62}, Dims{0, 1, 1}, Dims{1, -1, -1}})
    CHECK(thrown_error([&] {
            require_countable({{}, {1, 1, 1}, dims});
          }).kind() == ErrorKind::resources);
}

TEST_CASE("bytes are printed in the largest binary unit", "[grid]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(1.5 * 1073741824) == "1.50 GiB");
  CHECK(format_bytes(3e6) == "2.86 MiB");
  CHECK(format_bytes(std::pow(2.0, 45)) == "32.00 TiB");
  CHECK(format_bytes(std::pow(2.0, 73)) == "8192.00 EiB");
}

namespace {

using Dims = std::array<std::int64_t, 3>;

/// Checks for a usage error that names the flag and what was typed.
template <class Parse>
void check_refused(Parse&& parse, const std::string& parameter, const std::string& text) {
  INFO(parameter << " '" << text << "'");
  const Error error = thrown_error([&] { parse(text); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.parameter() == parameter);
  CHECK(says(error, "'" + text + "'"));
}

}  // namespace

TEST_CASE("bounds parse as two corners", "[grid]") {
  CHECK(parse_bounds("0,1,2:3,4,5") == Box{{0, 1, 2}, {3, 4, 5}});
  CHECK(parse_bounds("-5,-5.5,-1e3:5,1e6,.5") == Box{{-5, -5.5, -1000}, {5, 1e6, 0.5}});
}

TEST_CASE("bounds that are no box are refused", "[grid]") {
  for (const char* text : {"", ":", "0,0,0", "0,0,0:", ":1,1,1", "0,0:1,1", "0,0,0:1,1",
                           "0,0,0:1,1,1,1", "0,0,0:1,1,1:2,2,2", "0,0,0 1,1,1", "0,0,0:1,1,x",
                           "0,0,0:1,1,1 ", "0,,0:1,1,1", "0,0,0,:1,1,1", "0;0;0:1;1;1"})
    check_refused(parse_bounds, "bounds", text);
  for (const char* text :
       {"0,0,0:1,1,0", "0,2,0:1,1,1", "1,0,0:1,1,1", "nan,0,0:1,1,1", "0,0,0:1,nan,1",
        "0,0,0:inf,1,1", "-inf,0,0:1,1,1", "-1e308,0,0:1e308,1,1"})
    check_refused(parse_bounds, "bounds", text);
  CHECK(says(thrown_error([] { parse_bounds("0,2,0:1,1,1"); }), "y0"));
  CHECK(says(thrown_error([] { parse_bounds("0,0,1:1,1,1"); }), "z0"));
}

TEST_CASE("bounds of six numbers are refused with the two corners that are meant", "[grid]") {
  const auto mended = [](const char* text) {
    return thrown_error([&] { parse_bounds(text); }).suggestion();
  };
  const auto ends_in = [](const std::string& text, std::string_view end) {
    return text.ends_with(end);
  };
  for (const char* text : {"0,1,2,3,4,5", "0 1 2 3 4 5", "0,1,2;3,4,5", "0;1;2:3;4;5"})
    CHECK(ends_in(mended(text), "`bounds=0,1,2:3,4,5`"));
  CHECK(ends_in(mended("0:3,1:4,2:5"), "`bounds=0,1,2:3,4,5`"));  // one range per axis
  CHECK(ends_in(mended("0:1,2:3,4:5"), "`bounds=0,2,4:1,3,5`"));
  CHECK(ends_in(mended("0,3,-1,4,-2,5"), "`bounds=0,-1,-2:3,4,5`"));
  CHECK(ends_in(mended("0,0,0"), "`bounds=0,0,0:1,1,1`"));
}

TEST_CASE("dims parse as one number or three", "[grid]") {
  CHECK(parse_dims("64") == Dims{64, 0, 0});
  CHECK(parse_dims("1,2,2147483647") == Dims{1, 2, 2147483647});
}

TEST_CASE("dims that are no numbers of cells are refused", "[grid]") {
  for (const char* text : {"",
                           "x",
                           "64,64",
                           "1,2,3,4",
                           "64,",
                           ",64",
                           "64,,64",
                           "64.5",
                           "1e3",
                           "64 64 64",
                           "64x64x64",
                           "0",
                           "-1",
                           "0,1,1",
                           "1,-1,1",
                           "1,1,0",
                           "2147483648",
                           "1,1,2147483648",
                           "9223372036854775808",
                           "99999999999999999999999"})
    check_refused(parse_dims, "dims", text);
}

TEST_CASE("spacing parses as one number or three", "[grid]") {
  CHECK(parse_spacing("0.5") == Vec3{0.5, 0.5, 0.5});
  CHECK(parse_spacing("0.5,1e-3,20") == Vec3{0.5, 0.001, 20});
}

TEST_CASE("spacing that is no length is refused", "[grid]") {
  for (const char* text : {"", "x", "1,2", "1,2,3,4", "1,", "1 2 3", "0", "-1", "nan", "inf",
                           "1,0,1", "1,1,-1", "1,nan,1", "1,1,inf", "1m", "1e999"})
    check_refused(parse_spacing, "spacing", text);
}
