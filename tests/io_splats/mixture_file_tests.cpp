// Files of mixtures: written, read again, broken, and refused.

#include "io/points/mixture_file.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "io/reader_support.hpp"
#include "io/text/text_file.hpp"
#include "support/cases/random_mixture.hpp"

namespace skde::test {
namespace {

NoProgress silent;

const io::MixtureFacts kFacts{{"relative_error", "0.0123"},
                              {"effective_samples", "1234.5"},
                              {"command", "skde fit a,b.csv -k 64"}};

void write(const std::string& path, const Mixture& mixture, const io::SplatLook& look = {}) {
  io::write_mixture(path, mixture, kFacts, look, silent);
}

/// The largest difference of two covariances, in units of the deviations along the axes of one.
double difference(const Symmetric3& a, const Symmetric3& b) {
  const double x = std::sqrt(a.xx), y = std::sqrt(a.yy), z = std::sqrt(a.zz);
  return std::max({std::abs(a.xx - b.xx) / a.xx, std::abs(a.yy - b.yy) / a.yy,
                   std::abs(a.zz - b.zz) / a.zz, std::abs(a.xy - b.xy) / (x * y),
                   std::abs(a.xz - b.xz) / (x * z), std::abs(a.yz - b.yz) / (y * z)});
}

/// Properties of a PLY row as floats.
std::vector<float> row_of(const std::string& bytes, std::size_t row) {
  std::vector<float> values(18);
  const std::size_t first = bytes.find("end_header\n") + 11;
  std::memcpy(values.data(), bytes.data() + first + 72 * row, 72);
  return values;
}

}  // namespace

TEST_CASE("Mixtures in NPY and CSV are read again to the last bit", "[mixture]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a.npy", "a.csv"})
    for (const Vec3 origin : {Vec3{}, Vec3{4e5, -5e6, 1e3}}) {
      const Mixture mixture = random_mixture(10000, 3, origin);
      write(folder.path(name), mixture);
      const io::MixtureFile read = io::read_mixture(folder.path(name), silent);
      CHECK(read.states_kernel);
      CHECK(read.facts == kFacts);
      CHECK(read.mixture.H == mixture.H);
      CHECK(read.mixture.members.xyz == mixture.members.xyz);
      CHECK(read.mixture.members.weights == mixture.members.weights);
      CHECK(read.mixture.members.shapes == mixture.members.shapes);
    }
  CHECK(folder.names() == std::vector<std::string>{"a.csv", "a.npy", "a.npy.json"});
}

TEST_CASE("Mixtures in PLY are read again within the rounding of float", "[mixture]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.ply");
  for (const Vec3 origin : {Vec3{}, Vec3{4e5, -5e6, 1e3}}) {
    const Mixture mixture = random_mixture(10000, 4, origin);
    write(path, mixture);
    const io::MixtureFile read = io::read_mixture(path, silent);
    CHECK(read.facts == kFacts);
    CHECK(read.mixture.H == mixture.H);
    REQUIRE(read.mixture.size() == mixture.size());
    double worst_mean = 0, worst_mass = 0, worst_shape = 0;
    for (std::size_t i = 0; i < mixture.size(); ++i) {
      const auto a = mixture.members.view(), b = read.mixture.members.view();
      for (int axis = 0; axis < 3; ++axis)
        worst_mean = std::max(
            worst_mean, std::abs(a.point(i)[axis] - b.point(i)[axis]) / std::abs(a.point(i)[axis]));
      worst_mass = std::max(worst_mass, std::abs(b.weight(i) / a.weight(i) - 1));
      worst_shape = std::max(worst_shape, difference(a.shape(i), b.shape(i)));
    }
    CHECK(worst_mean <= 0x1p-48);
    CHECK(worst_mass <= 0x1p-24);
    CHECK(worst_shape <= 2e-6);
  }
}

TEST_CASE("PLY of mixtures has the splats that viewers expect", "[mixture]") {
  const TemporaryFolder folder;
  Mixture mixture;
  mixture.members.xyz = {1, 2, 3, 4, 5, 6};
  mixture.members.weights = {0.75, 0.25};
  mixture.members.shapes = {4, 0, 0, 9, 0, 16, 1, 0, 0, 1, 0, 1};
  const std::vector<float> colours{1, 0.5, 0, 0.25, 0.5, 0.75};
  write(folder.path("a.ply"), mixture, {colours, std::vector{10.0, 5.0}});
  const std::string bytes = io::read_text(folder.path("a.ply"));
  // Those who count bytes by the header take the lines that begin with "property".
  const std::string header =
      "element vertex 2\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\n"
      "property float opacity\n"
      "property float scale_0\nproperty float scale_1\nproperty float scale_2\n"
      "property float rot_0\nproperty float rot_1\nproperty float rot_2\nproperty float rot_3\n"
      "property float mass\nproperty float x_low\nproperty float y_low\nproperty float z_low\n"
      "end_header\n";
  const std::size_t at = bytes.find(header);
  REQUIRE(at != bytes.npos);
  CHECK(bytes.starts_with("ply\nformat binary_little_endian 1.0\ncomment mixture "));
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring("comment relative_error 0.0123\n"));
  CHECK(at < 10000);  // some viewers look no further
  REQUIRE(bytes.size() == at + header.size() + 2 * 72);
  const std::vector<float> first = row_of(bytes, 0), second = row_of(bytes, 1);
  for (std::size_t i = 0; i < 3; ++i) CHECK(first[i] == static_cast<float>(i + 1));
  const double harmonic = 0.5 / std::sqrt(std::numbers::pi);
  CHECK(first[3] * harmonic + 0.5 == Approx(1).epsilon(1e-6));
  CHECK(first[4] == 0);
  CHECK(second[3] * harmonic + 0.5 == Approx(0.25).epsilon(1e-6));
  const auto opacity = [](float logit) { return 1 / (1 + std::exp(-logit)); };
  CHECK(opacity(first[6]) == Approx(0.98));
  CHECK(opacity(second[6]) == Approx(0.5));
  CHECK(std::exp(first[7]) == Approx(2));
  CHECK(std::exp(first[8]) == Approx(3));
  CHECK(std::exp(first[9]) == Approx(4));
  const double norm =
      std::hypot(std::hypot(first[10], first[11]), std::hypot(first[12], first[13]));
  CHECK(norm == Approx(1).epsilon(1e-6));
  CHECK(first[14] == 0.75F);
}

TEST_CASE("Columns of splats with a mass are weighted by it", "[mixture]") {
  const TemporaryFolder folder;
  const Mixture mixture = random_mixture(50, 5);
  write(folder.path("a.ply"), mixture);
  io::ColumnSelection columns;
  columns.widths = {"splat"};
  const io::LoadedCloud cloud = load({folder.path("a.ply")}, columns);
  CHECK(cloud.columns.weight->name == "mass");
  CHECK(cloud.columns.remark == "widths read: splat scales and rotations, weighted by their mass");
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(cloud.points.weights[i] == Approx(mixture.members.weights[i]).epsilon(1e-7));
}

TEST_CASE("Files with the columns of a mixture need no facts", "[mixture]") {
  const TemporaryFolder folder;
  const io::MixtureFile read = io::read_mixture(
      folder.file("a.csv",
                  "zz,yy,xx,xy,xz,yz,x,y,z,mass,other\n3,2,1,0.1,0.2,0.3,7,8,9,0.5,1\n"
                  "1,1,1,0,0,0,1,1,1,0,1\n"),  // without mass
      silent);
  CHECK_FALSE(read.states_kernel);
  CHECK(read.facts.empty());
  CHECK(read.mixture.members.xyz == std::vector<double>{7, 8, 9});
  CHECK(read.mixture.members.weights == std::vector<double>{0.5});
  CHECK(read.mixture.members.shapes == std::vector<double>{1, 0.1, 0.2, 2, 0.3, 3});
  const Mixture mixture = random_mixture(3, 1);
  write(folder.path("b.npy"), mixture);
  std::filesystem::remove(folder.path("b.npy.json"));
  CHECK_FALSE(io::read_mixture(folder.path("b.npy"), silent).states_kernel);
}

TEST_CASE("Only files with the columns of a mixture are taken for one", "[mixture]") {
  const TemporaryFolder folder;
  write(folder.path("a.ply"), random_mixture(3, 1));
  write(folder.path("a.csv"), random_mixture(3, 1));
  const std::string cloud = folder.file("b.csv", "mass,x,y,z,xx,xy\n1,2,3,4,5,6\n"),
                    text =
                        folder.file("b.txt", "mass,x,y,z,xx,xy,xz,yy,yz,zz\n1,0,0,0,1,0,0,1,0,1\n");
  const auto are = [&](std::vector<std::string> paths) { return io::are_mixtures(paths, {}, {}); };
  CHECK(are({folder.path("a.ply")}));
  CHECK(are({folder.path("a.ply"), folder.path("a.csv")}));
  CHECK_FALSE(are({folder.path("a.ply"), cloud}));
  CHECK_FALSE(are({cloud}));
  CHECK_FALSE(are({text}));
  CHECK_FALSE(are({"-"}));
  CHECK_FALSE(are({}));
}

TEST_CASE("Broken files of mixtures are refused", "[mixture]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, std::string_view bytes,
                           std::initializer_list<std::string> fragments) {
    const std::string path = folder.file(name, bytes);
    INFO(name);
    check_error([&] { io::read_mixture(path, silent); }, ErrorKind::input, fragments);
  };
  const std::string head = "mass,x,y,z,xx,xy,xz,yy,yz,zz\n", good = "1,0,0,0,1,0,0,1,0,1\n";
  refused("a.csv", head + good + "-1,0,0,0,1,0,0,1,0,1\n", {"line 3", "-1 is negative"});
  refused("a.csv", head + good + "1,nan,0,0,1,0,0,1,0,1\n", {"line 3", "x is nan"});
  refused("a.csv", head + "1,0,0,0,nan,0,0,1,0,1\n", {"line 2", "a width is not finite"});
  refused("a.csv", head + "1,0,0,0,1,2,0,1,0,1\n", {"line 2", "not a positive definite matrix"});
  refused("a.csv", head + "1,0,0,0,1e308,1e308,0,1e308,0,1e308\n", {"not a positive definite"});
  refused("a.csv", head + "0,0,0,0,1,0,0,1,0,1\n", {"no ellipsoid with a mass above 0"});
  refused("a.csv", head + "1,0,0,0,1,0,0\n", {"line 2"});
  refused("a.csv", "# kernel_covariance 1 0 0 1 0\n" + head + good, {"6 numbers", "1 0 0 1 0"});
  refused("a.csv", "# kernel_covariance 1 2 0 1 0 1\n" + head + good, {"positive definite"});
  refused("a.csv", "# kernel_covariance 1 0 0 nan 0 1\n" + head + good, {"6 numbers"});
  check_error([&] { io::read_mixture(folder.file("b.csv", "x,y,z\n1,2,3\n"), silent); },
              ErrorKind::usage, {"no column 'mass'"});

  write(folder.path("a.ply"), random_mixture(20, 2));
  const std::string ply = io::read_text(folder.path("a.ply"));
  const std::size_t count = ply.find("vertex 20");
  refused("c.ply", ply.substr(0, ply.size() - 5), {"c.ply"});
  refused("c.ply", ply.substr(0, count - 20), {"ends inside the header"});
  refused("c.ply", std::string(ply).replace(count, 9, "vertex 21"), {"21"});
  refused("c.ply", std::string(ply).replace(count, 9, "vertex 99999999999999"), {"99999999999999"});
  const auto with = [&](std::size_t property, float value) {
    std::string changed = ply;
    std::memcpy(&changed[ply.find("end_header\n") + 11 + 4 * property], &value, 4);
    return changed;
  };
  const float infinite = std::numeric_limits<float>::infinity();
  refused("c.ply", with(7, 1e30F), {"row 1", "not a positive definite matrix"});
  refused("c.ply", with(7, -1e30F), {"row 1", "not a positive definite matrix"});
  refused("c.ply", with(8, infinite), {"row 1", "not finite"});
  refused("c.ply", with(10, std::nanf("")), {"row 1", "not finite"});
  refused("c.ply", with(14, -1), {"row 1", "negative"});
  refused("c.ply", with(15, infinite), {"row 1", "not finite"});

  write(folder.path("a.npy"), random_mixture(20, 2));
  const std::string npy = io::read_text(folder.path("a.npy"));
  refused("a.npy", npy.substr(0, npy.size() - 1), {"a.npy"});
  static_cast<void>(folder.file("a.npy", npy));
  static_cast<void>(folder.file("a.npy.json", "{"));
  check_error([&] { io::read_mixture(folder.path("a.npy"), silent); }, ErrorKind::input,
              {"a.npy.json"});
  static_cast<void>(folder.file("a.npy.json", "{\"kernel_covariance\": [1, 2, \"three\"]}"));
  check_error([&] { io::read_mixture(folder.path("a.npy"), silent); }, ErrorKind::input,
              {"6 numbers"});
}

TEST_CASE("What cannot be read again is not written", "[mixture]") {
  const TemporaryFolder folder;
  const auto refused = [&](const char* name, const Mixture& mixture, ErrorKind kind,
                           std::initializer_list<std::string> fragments) {
    check_error([&] { write(folder.path(name), mixture); }, kind, fragments);
    CHECK(folder.names().empty());
  };
  const Mixture good = random_mixture(4, 1);
  refused("a.vtk", good, ErrorKind::usage, {".ply, .npy, .csv"});
  refused("a.csv", {}, ErrorKind::input, {"no ellipsoids"});
  Mixture bad = good;
  bad.members.weights[2] = -1;
  refused("a.npy", bad, ErrorKind::input, {"ellipsoid 3"});
  bad = good;
  bad.members.shapes[6] = 0;
  refused("a.csv", bad, ErrorKind::input, {"ellipsoid 2", "positive definite"});
  bad = good;
  bad.members.xyz[0] = 1e300;
  refused("a.ply", bad, ErrorKind::output, {"ellipsoid 1", "float", ".npy or .csv"});
  bad = good;
  bad.members.weights[3] = 1e-50;
  refused("a.ply", bad, ErrorKind::output, {"ellipsoid 4", "float"});
  write(folder.path("a.csv"), bad);
  CHECK(io::read_mixture(folder.path("a.csv"), silent).mixture.members.weights ==
        bad.members.weights);
}

}  // namespace skde::test
