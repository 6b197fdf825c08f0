// Files of mixtures: every command sums their Gaussians, and a bandwidth replaces their kernel.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "io/points/mixture_file.hpp"
#include "io/points/point_table.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/cases/random_mixture.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

/// A mixture and its files.
struct MixtureFiles {
  explicit MixtureFiles(std::size_t count, unsigned seed = 1, Vec3 origin = {})
      : mixture(random_mixture(count, seed, origin)) {
    std::string text = "x,y,z\n";
    for (std::size_t i = 0; i < 200; ++i) {
      const Vec3 at = mixture.members.view().point(i % count);
      const auto step = static_cast<double>(i) * 0.01;
      text += fmt::format("{},{},{}\n", at.x + 0.3 * std::sin(50 * step),
                          at.y + 0.3 * std::cos(70 * step), at.z + 0.3 * std::sin(90 * step));
    }
    points = folder.file("points.csv", text);
  }

  /// Writes the mixture and returns the path.
  std::string file(const std::string& extension, const io::MixtureFacts& facts = {}) const {
    const std::string path = folder.path("mixture" + extension);
    io::write_mixture(path, mixture, facts, {}, silent);
    return path;
  }

  /// Checks that the densities at the points are those of the mixture with another kernel.
  void check(const std::string& path, const Arguments& flags, const Symmetric3& added,
             double tolerance) const {
    CAPTURE(path, flags);
    const std::string out = folder.path("out.csv");
    const RunResult run = run_skde(
        Arguments{"eval", path, "--at", points, "-o", out, "--tolerance", "1e-12"} + flags);
    check_success(run);
    CHECK_THAT(run.out, ContainsSubstring("gaussian, the kernel of mixtures"));
    CHECK_THAT(run.out, ContainsSubstring("widths assumed: a mixture of Gaussians"));
    const io::PointTable written = io::read_point_table(out, {}, silent);
    REQUIRE(written.rows() == 200);
    double peak = 0, worst = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      const double expected = mixture_density(mixture, written.point(i), added);
      peak = std::max(peak, expected);
      worst = std::max(worst, std::abs(written.at(i, 3) - expected));
    }
    CHECK(worst < tolerance * peak);
  }

  TemporaryFolder folder;
  Mixture mixture;
  std::string points;
};

Symmetric3 minus(const Symmetric3& a, const Symmetric3& b) { return a + -1.0 * b; }

/// The covariance of the samples that a mixture stands for, by definition.
Symmetric3 spread_of_data(const Mixture& mixture) {
  double mass = 0, mean[3]{}, entries[6]{};
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    mass += mixture.members.weights[i];
    for (std::size_t a = 0; a < 3; ++a)
      mean[a] += mixture.members.weights[i] * mixture.members.xyz[3 * i + a];
  }
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    std::size_t entry = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b, ++entry)
        entries[entry] += mixture.members.weights[i] / mass *
                          (mixture.members.shapes[6 * i + entry] +
                           (mixture.members.xyz[3 * i + a] - mean[a] / mass) *
                               (mixture.members.xyz[3 * i + b] - mean[b] / mass));
  }
  return minus({entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]}, mixture.H);
}

}  // namespace

TEST_CASE("densities of a mixture's file at points are sums of its Gaussians") {
  for (const Vec3 origin : {Vec3{}, Vec3{3e5, -4e6, 50}}) {
    const MixtureFiles files(60, 3, origin);
    files.check(files.file(".csv"), {}, {}, 1e-9);
    files.check(files.file(".npy"), {}, {}, 1e-9);
    files.check(files.file(".ply"), {}, {}, 1e-5);
  }
}

TEST_CASE("a volume of a mixture's file is the sum of its Gaussians") {
  const MixtureFiles files(40, 5);
  const std::string out = files.folder.path("o.nrrd");
  for (const std::string extension : {".ply", ".npy", ".csv"}) {
    const json run =
        run_json({"density", files.file(extension), "-o", out, "--dims", "32", "--bounds",
                  "-1.5,-1.5,-1.5:1.5,1.5,1.5", "--min-width", "0", "--precision", "f64"});
    CHECK(run["kernel"] == "gaussian");
    CHECK(run["bandwidth"]["source"] == "samples");
    const Volume volume = io::read_volume(out).volume;
    const Grid& grid = volume.grid();
    double worst = 0, peak = 0;
    for (std::int64_t z = 0; z < grid.dims[2]; z += 3)
      for (std::int64_t y = 0; y < grid.dims[1]; ++y)
        for (std::int64_t x = 0; x < grid.dims[0]; ++x) {
          const Vec3 first = grid.first_centre();
          const double expected =
              mixture_density(files.mixture, {first.x + static_cast<double>(x) * grid.spacing.x,
                                              first.y + static_cast<double>(y) * grid.spacing.y,
                                              first.z + static_cast<double>(z) * grid.spacing.z});
          worst = std::max(worst, std::abs(volume.at(x, y, z) - expected));
          peak = std::max(peak, expected);
        }
    CHECK(worst < 1e-5 * peak);
  }
}

TEST_CASE("a bandwidth replaces the kernel of a mixture in closed form") {
  const MixtureFiles files(50, 7);
  const Symmetric3 H{0.3, 0.05, -0.02, 0.2, 0.04, 0.5}, S = spread_of_data(files.mixture);
  const auto number = [](double v) { return fmt::format("{}", v); };
  const std::string matrix = "0.3,0.05,-0.02,0.2,0.04,0.5";
  const std::string given =
      files.folder.file("s.txt", "0.3 0.05 -0.02\n0.05 0.2 0.04\n-0.02 0.04 0.5\n");
  const auto squares = [](double x, double y, double z) {
    return Symmetric3::diagonal(x * x, y * y, z * z);
  };
  const Symmetric3 diagonal = Symmetric3::diagonal(S.xx, S.yy, S.zz);
  const double scott = std::pow(5000.0, -1.0 / 7), silverman = scott * std::pow(0.8, 1.0 / 7);
  const std::vector<std::pair<Arguments, Symmetric3>> cases{
      {{"--bandwidth", matrix}, H},
      {{"--bandwidth", "0.4,0.5,0.6"}, squares(0.4, 0.5, 0.6)},
      {{"--bandwidth", "0.4", "--covariance", "iso"}, squares(0.4, 0.4, 0.4)},
      {{"--bandwidth", "0.4"}, 0.16 * S},
      {{"--bandwidth", "0.4", "--covariance", "diag"}, 0.16 * diagonal},
      {{"--bandwidth", "0.9", "--covariance", given}, 0.81 * H},
      {{"--bandwidth", "silverman"}, silverman * silverman * S},
      {{"--bandwidth", "scott", "--covariance", "diag"}, scott * scott * diagonal}};
  const io::MixtureFacts facts{{"effective_samples", number(5000)}};
  for (const auto& [flags, kernel] : cases)
    for (const std::string extension : {".csv", ".npy"})
      files.check(files.file(extension, facts), flags, minus(kernel, files.mixture.H), 1e-9);
  files.check(files.file(".ply", facts), {"--bandwidth", matrix}, minus(H, files.mixture.H), 1e-5);
  // The same kernel changes nothing, and a narrower one may leave all covariances positive
  // definite.
  files.check(files.file(".csv"), {"--bandwidth", "0.02,0.004,-0.003,0.03,0.002,0.015"}, {}, 1e-9);
}

TEST_CASE("bandwidths that a mixture cannot have are refused") {
  const MixtureFiles files(50, 7);
  const std::string path = files.file(".csv"), out = files.folder.path("o.nrrd");
  const auto refused = [&](const std::string& input, const Arguments& flags, int exit_code,
                           std::initializer_list<std::string_view> fragments) {
    CAPTURE(flags);
    check_failure(run_skde(Arguments{"density", input, "-o", out} + flags), exit_code, fragments);
  };
  // Part of the old kernel that the second ellipsoid does not have.
  const std::string narrow = files.folder.file(
      "narrow.csv",
      "# kernel_covariance 2 0 0 2 0 2\nmass,x,y,z,xx,xy,xz,yy,yz,zz\n1,0,0,0,3,0,0,3,0,3\n"
      "1,1,0,0,1.5,0,0,3,0,3\n");
  refused(narrow, {"--bandwidth", "0.7,1,1"}, 3,
          {"narrow.csv", "too narrow for ellipsoid 2", "--bandwidth"});
  check_success(run_skde({"density", narrow, "-o", out, "--bandwidth", "0.8,1,1", "--dims", "48"}));
  refused(path, {"--bandwidth", "silverman"}, 2, {"the mixture does not state", "--bandwidth"});
  refused(path, {"--regularize", "0.1"}, 2, {"the mixture does not state"});
  refused(path, {"--bandwidth", "lscv"}, 2, {"lscv needs the samples"});
  refused(path, {"--bandwidth", "0.5", "--covariance", "robust"}, 2,
          {"robust", "needs the samples"});
  refused(path, {"--bandwidth", "1,1,1", "--covariance", "iso"}, 2, {"--covariance has no effect"});
  refused(path, {"--bandwidth", "1", "--kernel", "biweight"}, 2, {"drop --kernel"});
  refused(path, {"--adaptive"}, 2, {"--adaptive"});
  const std::string bare =
      files.folder.file("bare.csv", "mass,x,y,z,xx,xy,xz,yy,yz,zz\n1,0,0,0,1,0,0,1,0,1\n");
  refused(bare, {"--bandwidth", "1,1,1"}, 3, {"does not state kernel_covariance"});
  const std::string zeros = files.folder.file(
      "zeros.csv",
      "# kernel_covariance 0 0 0 0 0 0\nmass,x,y,z,xx,xy,xz,yy,yz,zz\n1,0,0,0,1,0,0,1,0,1\n");
  refused(zeros, {"--bandwidth", "1,1,1"}, 3, {"does not state kernel_covariance"});
  CHECK(run_json({"density", bare, "-o", out, "--dims", "16"})["total_weight"] == 1);
}

TEST_CASE("info and sample take a mixture's file as it is") {
  const MixtureFiles files(30, 9);
  double mass = 0;
  for (const double one : files.mixture.members.weights) mass += one;
  for (const std::string extension : {".ply", ".npy", ".csv"}) {
    const std::string path = files.file(extension);
    const RunResult told = run_skde({"info", path});
    check_success(told);
    CHECK_THAT(told.out, ContainsSubstring("30 gaussian kernels, each with its sample's own H, "
                                           "weights of mass"));
    CHECK(run_json({"info", path})["total_weight"].get<double>() == Approx(mass).epsilon(1e-6));
    const std::string draws = files.folder.path("d.csv");
    check_success(run_skde({"sample", path, "-n", "50000", "-o", draws}));
    const io::PointTable table = io::read_point_table(draws, {}, silent);
    const Symmetric3 whole = spread_of_data(files.mixture) + files.mixture.H;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < table.rows(); ++i) sum += table.point(i)[axis];
      const double mean = sum / static_cast<double>(table.rows());
      for (std::size_t i = 0; i < table.rows(); ++i)
        squares += std::pow(table.point(i)[axis] - mean, 2);
      const double expected = whole(static_cast<int>(axis), static_cast<int>(axis));
      CHECK(squares / static_cast<double>(table.rows()) == Approx(expected).epsilon(0.04));
    }
  }
  // The centres alone.
  const json centres = run_json({"info", files.file(".csv"), "--widths", "none"});
  CHECK(centres["total_weight"] == 30);
  CHECK(centres["kernel"] == "epanechnikov");
}

TEST_CASE("a mixture's file is compared with a volume at its cells") {
  const MixtureFiles files(30, 11);
  const std::string volume = files.folder.path("v.nrrd"), ratio = files.folder.path("r.nrrd");
  double mass = 0;
  for (const double one : files.mixture.members.weights) mass += one;
  check_success(run_skde({"density", files.file(".npy"), "-o", volume, "--dims", "100",
                          "--min-width", "0", "--normalize", "count"}));
  for (const std::string extension : {".ply", ".csv"}) {
    const std::string path = files.file(extension);
    for (const bool first : {false, true}) {
      const json run = run_json({"compare", first ? path : volume, first ? volume : path, "-o",
                                 ratio, "--floor", "0.01"});
      CHECK(run["overlap"].get<double>() == Approx(mass).epsilon(1e-3));
      CHECK(run["l1"].get<double>() < 1e-4 * mass);
      CHECK(io::read_volume(ratio).volume.maximum() == Approx(1).epsilon(1e-3));
    }
  }
  check_failure(run_skde({"compare", files.file(".ply"), files.file(".csv")}), 2,
                {"are mixtures", "skde density"});
}

TEST_CASE("moments and bandwidths of a mixture count its masses") {
  const MixtureFiles files(40, 13);
  const std::string path = files.file(".csv", {{"effective_samples", "5000"}});
  double mass = 0, mean = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    mass += files.mixture.members.weights[i];
    mean += files.mixture.members.weights[i] * files.mixture.members.xyz[3 * i];
  }
  const json moments = run_json({"moments", path});
  CHECK(moments["total_weight"].get<double>() == Approx(mass).epsilon(1e-12));
  CHECK(moments["mean"][0].get<double>() == Approx(mean / mass).epsilon(1e-12));
  // Silverman's factor of the Gaussian in three dimensions, (4 / 5)^(1/7) n^(-1/7).
  const double h = std::pow(4.0 / 5, 1.0 / 7) * std::pow(5000.0, -1.0 / 7);
  const json bandwidth = run_json({"bandwidth", path, "--method", "silverman"});
  CHECK(bandwidth["h"].get<double>() == Approx(h).epsilon(1e-9));
  CHECK(bandwidth["H"][1][1].get<double>() ==
        Approx(h * h * spread_of_data(files.mixture).yy).epsilon(1e-9));
  check_failure(run_skde({"bandwidth", path, "--method", "lscv"}), 2,
                {"mixture.csv", "is a mixture", "lscv needs the samples", "--method silverman"});
}

TEST_CASE("tables of a mixture are converted to splats") {
  const MixtureFiles files(50, 15);
  for (const std::string extension : {".npy", ".csv"}) {
    const std::string path = files.file(extension), ply = files.folder.path("c.ply"),
                      splat = files.folder.path("c.splat");
    check_success(run_skde({"convert", path, "-o", ply}));
    const Mixture kept = io::read_mixture(ply, silent).mixture;
    REQUIRE(kept.size() == 50);
    CHECK(kept.H == files.mixture.H);
    for (std::size_t i = 0; i < 50; ++i)
      CHECK(kept.members.weights[i] == Approx(files.mixture.members.weights[i]).epsilon(1e-6));
    const RunResult lossy = run_skde({"convert", path, "-o", splat, "--json"});
    REQUIRE(lossy.exit_code == 0);
    const json told = json::parse(lossy.out);
    CHECK(told["splats"] == 50);
    CHECK_THAT(lossy.err, ContainsSubstring("masses are not written"));
    CHECK(std::filesystem::file_size(splat) == 50 * 32);
  }
}
