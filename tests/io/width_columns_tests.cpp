// Per-sample bandwidth factors and shapes from files, compared with values worked out by hand.

#include "io/points/columns/width_columns.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>

#include "io/points/cloud_stream.hpp"
#include "reader_support.hpp"

namespace skde::test {
namespace {

io::ColumnSelection widths(std::vector<std::string> columns,
                           io::WidthForm form = io::WidthForm::length) {
  io::ColumnSelection selection;
  selection.widths = std::move(columns);
  selection.width_form = form;
  return selection;
}

io::LoadedCloud load(const std::string& name, std::string_view bytes,
                     const io::ColumnSelection& columns,
                     io::NonFinite non_finite = io::NonFinite::drop) {
  const TemporaryFile file(name, bytes);
  NoProgress silent;
  return io::load_cloud({file.path()}, columns, non_finite, silent);
}

void check_near(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    CHECK(values[i] == Approx(expected[i]).margin(1e-7));
  }
}

constexpr const char* kTable =
    "x,y,z,a,b,c,d,e,f\n"
    "0,0,0,2,3,4,5,0.5,6\n"
    "1,1,1,1,0.5,0.25,2,-0.5,3\n";

const std::vector<std::string> kSplatProperties{
    "x",       "y",       "z",       "nx",    "ny",    "nz",    "f_dc_0", "opacity",
    "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"};

std::string splat_header(const std::string& form, std::size_t count) {
  std::string header =
      "ply\nformat " + form + " 1.0\nelement vertex " + std::to_string(count) + "\n";
  for (const std::string& name : kSplatProperties) header.append("property float " + name + "\n");
  return header + "end_header\n";
}

}  // namespace

TEST_CASE("one column of lengths is h of H = h^2 I, or a factor", "[widths]") {
  const io::LoadedCloud lengths = load("a.csv", kTable, widths({"a"}));
  CHECK(lengths.points.shapes == std::vector<double>{4, 0, 0, 4, 0, 4, 1, 0, 0, 1, 0, 1});
  CHECK(lengths.points.bandwidth_factors.empty());
  const io::LoadedCloud factors = load("a.csv", kTable, widths({"4"}, io::WidthForm::factor));
  CHECK(factors.points.bandwidth_factors == std::vector<double>{2, 1});
  CHECK(factors.points.shapes.empty());
}

TEST_CASE("widths are deviations, supports or full widths at half maximum of the kernel",
          "[widths]") {
  const auto squared = [](io::WidthForm form, KernelFunction kernel) {
    io::ColumnSelection columns = widths({"a"}, form);
    columns.width_kernel = kernel;
    return load("a.csv", kTable, columns).points.shapes[0] / 4;  // of a width of 2
  };
  // Variances of kernels of H = I along an axis: 1/7 for Epanechnikov's in three dimensions, 3/40
  // and 1/15 by Dehnen and Aly (2012).
  CHECK(squared(io::WidthForm::deviation, KernelFunction::epanechnikov) == Approx(7));
  CHECK(squared(io::WidthForm::deviation, KernelFunction::gaussian) == Approx(1));
  CHECK(squared(io::WidthForm::deviation, KernelFunction::cubic_spline) == Approx(40.0 / 3));
  CHECK(squared(io::WidthForm::deviation, KernelFunction::wendland_c2) == Approx(15));
  CHECK(squared(io::WidthForm::support, KernelFunction::cubic_spline) == Approx(1));
  CHECK(squared(io::WidthForm::fwhm, KernelFunction::gaussian) == Approx(1 / (8 * std::log(2.0))));
  CHECK(squared(io::WidthForm::fwhm, KernelFunction::epanechnikov) == Approx(0.5));
  io::ColumnSelection three = widths({"a", "b", "c"}, io::WidthForm::deviation);
  CHECK(load("a.csv", kTable, three).points.shapes[5] == Approx(7 * 16));
  three.widths = {"a"};
  three.width_form = io::WidthForm::support;
  three.width_kernel = KernelFunction::gaussian;
  check_error([&] { load("a.csv", kTable, three); }, ErrorKind::usage,
              {"'a' are where kernels end, but gaussian", "[width_form]"});
}

TEST_CASE("smoothing lengths are what their programs mean by them", "[widths]") {
  const auto loaded = [](const std::string& name, KernelFunction kernel) {
    io::ColumnSelection columns = widths({"auto"}, io::WidthForm::by_name);
    columns.width_kernel = kernel;
    return load("a.csv", "x,y,z," + name + "\n1,2,3,0.8\n", columns);
  };
  const io::LoadedCloud swift = loaded("SmoothingLengths", KernelFunction::gaussian);
  CHECK(swift.points.shapes[0] == Approx(0.4 * 0.4));
  CHECK(swift.columns.remark.find("2 deviations of the kernel, as in SWIFT") != std::string::npos);
  // 1.825742 is H / h of the cubic spline (Dehnen and Aly 2012, table 1).
  CHECK(std::sqrt(loaded("SmoothingLengths", KernelFunction::cubic_spline).points.shapes[0]) ==
        Approx(1.825742 * 0.8));
  const io::LoadedCloud gadget = loaded("Hsml", KernelFunction::cubic_spline);
  CHECK(gadget.points.shapes[0] == Approx(0.8 * 0.8));
  CHECK(gadget.columns.remark.find("support, as in Gadget") != std::string::npos);
  check_error([&] { loaded("Hsml", KernelFunction::gaussian); }, ErrorKind::usage,
              {"'Hsml'", "[width_form]"});
}

TEST_CASE("three columns are lengths, six or nine a matrix", "[widths]") {
  CHECK(load("a.csv", kTable, widths({"a", "b", "c"})).points.shapes ==
        std::vector<double>{4, 0, 0, 9, 0, 16, 1, 0, 0, 0.25, 0, 0.0625});
  CHECK(load("a.csv", kTable, widths({"d", "e", "e", "f", "e", "d"})).points.shapes ==
        std::vector<double>{5, 0.5, 0.5, 6, 0.5, 5, 2, -0.5, -0.5, 3, -0.5, 2});
  CHECK(
      load("a.csv", kTable, widths({"d", "e", "e", "e", "f", "e", "e", "e", "d"})).points.shapes ==
      std::vector<double>{5, 0.5, 0.5, 6, 0.5, 5, 2, -0.5, -0.5, 3, -0.5, 2});
}

TEST_CASE("binary records hold widths too", "[widths]") {
  const std::string header =
      "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty double x\nproperty float r\n"
      "property double y\nproperty double z\nend_header\n";
  std::string bytes = header;
  for (const double at : {1.0, 2.0})
    bytes +=
        stored<double>({at}, true) + stored<float>({at / 4}, true) + stored<double>({at, at}, true);
  const io::LoadedCloud cloud = load("a.ply", bytes, widths({"r"}));
  CHECK(cloud.points.xyz == std::vector<double>{1, 1, 1, 2, 2, 2});
  CHECK(cloud.points.shapes ==
        std::vector<double>{0.0625, 0, 0, 0.0625, 0, 0.0625, 0.25, 0, 0, 0.25, 0, 0.25});
}

TEST_CASE("PCD holds widths in each of its forms", "[widths]") {
  const auto header = [](const std::string& form) {
    return "VERSION .7\nFIELDS x y z r\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\n"
           "HEIGHT 1\nPOINTS 2\nDATA " +
           form + "\n";
  };
  const std::string rows = stored<float>({1, 2, 3}) + stored<double>({0.5}) +
                           stored<float>({4, 5, 6}) + stored<double>({2});
  const std::string columns = stored<float>({1, 4, 2, 5, 3, 6}) + stored<double>({0.5, 2});
  // LZF of literal runs of at most 32 bytes.
  const auto run = [&](std::size_t from, std::size_t count) {
    return std::string(1, static_cast<char>(count - 1)) + columns.substr(from, count);
  };
  const std::string packed = run(0, 32) + run(32, 8);
  const std::string sizes = stored<std::uint32_t>(
      {static_cast<double>(packed.size()), static_cast<double>(columns.size())});
  const std::string compressed = fmt::format("{}{}{}", header("binary_compressed"), sizes, packed);
  for (const std::string& bytes :
       {header("ascii") + "1 2 3 0.5\n4 5 6 2\n", header("binary") + rows, compressed}) {
    const io::LoadedCloud cloud = load("a.pcd", bytes, widths({"r"}));
    CHECK(cloud.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(cloud.points.shapes == std::vector<double>{0.25, 0, 0, 0.25, 0, 0.25, 4, 0, 0, 4, 0, 4});
  }
}

TEST_CASE("Gaussian splats have logarithms of scales, quaternions and opacities", "[widths]") {
  const auto of_scale = [](double scale) { return static_cast<float>(std::log(scale)); };
  const auto row = [&](std::array<double, 4> q, double opacity) {
    return std::vector<double>{7,           8,    9,       0,           0,
                               0,           0.1,  opacity, of_scale(1), of_scale(2),
                               of_scale(3), q[0], q[1],    q[2],        q[3]};
  };
  const double half = std::sqrt(0.5);
  // No rotation; a quarter turn about z, which maps x to y; a third of a turn about (1, 1, 1),
  // which maps x to y, y to z and z to x, given by a quaternion of length 2.
  const std::vector<std::vector<double>> rows{row({1, 0, 0, 0}, 0), row({half, 0, 0, half}, 2),
                                              row({1, 1, 1, 1}, -3)};
  std::string binary = splat_header("binary_little_endian", 3), text = splat_header("ascii", 3);
  for (const std::vector<double>& values : rows) {
    for (const double value : values) {
      binary += stored<float>({value});
      text += fmt::format("{} ", static_cast<float>(value));
    }
    text += "\n";
  }
  for (const std::string& bytes : {binary, text}) {
    const io::LoadedCloud cloud = load("a.ply", bytes, widths({"splat"}));
    check_near(cloud.points.shapes, {1, 0, 0, 4, 0, 9, 4, 0, 0, 1, 0, 9, 9, 0, 0, 1, 0, 4});
    check_near(cloud.points.weights, {0.5, 0.880797078, 0.0474258732});
    REQUIRE(cloud.columns.weight);
    CHECK(cloud.columns.weight->name == "opacity");
    REQUIRE(cloud.columns.widths.size() == 7);
    CHECK(cloud.columns.widths[3].name == "rot_0");
    CHECK(cloud.columns.others == std::vector<std::string>{"nx", "ny", "nz", "f_dc_0"});
  }
  io::ColumnSelection weighed = widths({"splat"});
  weighed.weight = "f_dc_0";
  check_near(load("a.ply", binary, weighed).points.weights, {0.1, 0.1, 0.1});
}

TEST_CASE("a rotation by 30 degrees leans the axes", "[widths]") {
  // A rotation by 30 degrees about x tilts y towards z. H = R diag(1, 4, 1) R^T.
  const std::vector<std::string> splat{"splat"};
  const double c = std::cos(std::numbers::pi / 12), s = std::sin(std::numbers::pi / 12);
  const std::vector<double> row{0, std::log(2), 0, c, s, 0, 0};
  Samples to;
  REQUIRE(io::append_width(row, splat, io::WidthForm::length, to));
  check_near(to.shapes, {1, 0, 0, 3.25, 3 * std::sqrt(3) / 4, 1.75});
}

TEST_CASE("widths that are none are refused with their line", "[widths]") {
  const auto refused = [](std::string_view bytes, const io::ColumnSelection& columns,
                          ErrorKind kind, std::initializer_list<std::string> fragments) {
    check_error([&] { load("a.csv", bytes, columns); }, kind, fragments);
  };
  refused("x,y,z,h\n1,2,3,1\n1,2,3,-2\n", widths({"h"}), ErrorKind::input,
          {"a.csv: line 3: the widths are not above 0", "[widths]"});
  refused("x,y,z,h\n1,2,3,-1\n", widths({"h"}, io::WidthForm::factor), ErrorKind::input,
          {"line 2: the widths are not above 0"});
  refused("x,y,z,h,k\n1,2,3,1,2\n", widths({"h", "k", "k", "h", "k", "h"}), ErrorKind::input,
          {"line 2: the widths are not a positive definite matrix"});
  refused("x,y,z,h,k\n1,2,3,1,2\n", widths({"h", "k"}), ErrorKind::usage,
          {"expected 1, 3, 6 or 9 columns of widths; got 2"});
  refused("x,y,z,h\n1,2,3,1\n", widths({"sigma"}), ErrorKind::usage,
          {"there is no column 'sigma'", "[widths]"});
}

TEST_CASE("rows with widths that are not finite are dropped and counted", "[widths]") {
  constexpr const char* kRows = "x,y,z,h\n1,2,3,1\n1,2,3,nan\n4,5,6,2\n";
  const io::LoadedCloud cloud = load("a.csv", kRows, widths({"h"}));
  CHECK(cloud.counts.non_finite == 1);
  CHECK(cloud.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(cloud.points.shapes == std::vector<double>{1, 0, 0, 1, 0, 1, 4, 0, 0, 4, 0, 4});
  check_error([&] { load("a.csv", kRows, widths({"h"}), io::NonFinite::error); }, ErrorKind::input,
              {"line 3: a width is not finite", "[nan]"});
}

TEST_CASE("rows with a width of 0 are dropped and counted", "[widths]") {
  constexpr const char* kRows = "x,y,z,h,k\n1,2,3,1,1\n1,2,3,0,1\n4,5,6,2,1\n";
  for (const auto& columns :
       {widths({"h"}), widths({"h"}, io::WidthForm::factor), widths({"k", "h", "k"})}) {
    const io::LoadedCloud cloud = load("a.csv", kRows, columns);
    CHECK(cloud.counts.zero_width == 1);
    CHECK(cloud.counts.samples() == 2);
    CHECK(cloud.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
    check_error([&] { load("a.csv", kRows, columns, io::NonFinite::error); }, ErrorKind::input,
                {"line 3: the widths are not above 0"});
  }
}

TEST_CASE("Widths beside lists are read", "[widths]") {
  const std::string lists =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nproperty float r\nproperty list uchar int k\nend_header\n0 0 0 1 1 5\n"
      "4 5 6 2 2 8 9\n";
  const io::LoadedCloud cloud = load("a.ply", lists, widths({"r"}));
  CHECK(cloud.points.xyz == std::vector<double>{0, 0, 0, 4, 5, 6});
  CHECK(cloud.points.shapes == std::vector<double>{1, 0, 0, 1, 0, 1, 4, 0, 0, 4, 0, 4});
}

}  // namespace skde::test
