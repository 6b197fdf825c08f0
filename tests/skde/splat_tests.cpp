// Files of Gaussian splats: every command that reads their shapes sums them with their own kernel.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/points/point_table.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/cases/splat_scene.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

constexpr const char* kTheirKernel = ", the kernel of splats";

/// A scene and its file.
struct SplatFile {
  explicit SplatFile(std::size_t count, unsigned seed = 1)
      : scene(count, seed), path(folder.file("scene.ply", scene.text())) {}

  TemporaryFolder folder;
  SplatScene scene;
  std::string path;
};

/// Checks that the numbers of two documents are equal up to rounding.
void check_alike(const json& a, const json& b) {
  REQUIRE(a.size() == b.size());
  if (a.is_number()) {
    CHECK(a.get<double>() == Approx(b.get<double>()).epsilon(1e-12).margin(1e-12));
    return;
  }
  for (std::size_t i = 0; i < a.size(); ++i) check_alike(a[i], b[i]);
}
void check_alike_boxes(const json& a, const json& b) {
  for (const char* const corner : {"lower", "upper"})
    check_alike(a["bounds"][corner], b["bounds"][corner]);
}

/// Returns the text of a file of points near the splats.
std::string points_near(const SplatScene& scene, std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::string text = "x,y,z\n";
  for (std::size_t i = 0; i < count; ++i) {
    const auto& place = scene.splats[i % scene.splats.size()].place;
    text += fmt::format("{},{},{}\n", place[0] + normal(random), place[1] + normal(random),
                        place[2] + normal(random));
  }
  return text;
}

}  // namespace

TEST_CASE("densities at 300 points are the sums of the splats' normal distributions") {
  const SplatFile splats(40);
  const std::string points = splats.folder.file("p.csv", points_near(splats.scene, 300)),
                    out = splats.folder.path("o.csv");
  const RunResult run =
      run_skde({"eval", splats.path, "--at", points, "-o", out, "--tolerance", "1e-11"});
  check_success(run);
  CHECK_THAT(run.out, ContainsSubstring(std::string("gaussian") + kTheirKernel));
  const io::PointTable written = io::read_point_table(out, {}, silent);
  REQUIRE(written.rows() == 300);
  double peak = 0;
  for (std::size_t i = 0; i < 300; ++i)
    peak = std::max(peak, splats.scene.density(written.point(i)));
  for (std::size_t i = 0; i < 300; ++i)
    CHECK(std::abs(written.at(i, 3) - splats.scene.density(written.point(i))) < 1e-9 * peak);
  check_failure(
      run_skde({"eval", splats.path, "--at", points, "-o", out, "--log", "--engine", "naive"}), 2,
      {"--engine", "log of an unbounded kernel"});
}

TEST_CASE("a volume of splats is the sum of their normal distributions at its cells") {
  const SplatFile splats(25, 3);
  const std::string out = splats.folder.path("o.nrrd");
  const RunResult run = run_skde({"density", splats.path, "-o", out, "--dims", "24", "--min-width",
                                  "0", "--precision", "f64"});
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.out, ContainsSubstring(std::string("gaussian") + kTheirKernel));
  const Volume volume = io::read_volume(out).volume;
  const Grid& grid = volume.grid();
  const auto [nx, ny, nz] = grid.dims;
  double worst = 0, peak = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    const std::int64_t x = i * 7 % nx, y = i * 11 % ny, z = i * 13 % nz;
    const std::array<double, 3> at{grid.lower.x + (static_cast<double>(x) + 0.5) * grid.spacing.x,
                                   grid.lower.y + (static_cast<double>(y) + 0.5) * grid.spacing.y,
                                   grid.lower.z + (static_cast<double>(z) + 0.5) * grid.spacing.z};
    const double expected = splats.scene.density(at);
    worst = std::max(worst, std::abs(volume.at(x, y, z) - expected));
    peak = std::max(peak, expected);
  }
  CHECK(worst < 1e-5 * peak);
}

TEST_CASE("draws from splats and means by splats are by their kernel") {
  const SplatFile splats(20, 5);
  const std::string draws = splats.folder.path("d.csv"), means = splats.folder.path("m.csv"),
                    points = splats.folder.file("p.csv", points_near(splats.scene, 40));
  const RunResult drawn = run_skde({"sample", splats.path, "-n", "100000", "-o", draws});
  check_success(drawn);
  CHECK_THAT(drawn.out, ContainsSubstring(kTheirKernel));
  const io::PointTable table = io::read_point_table(draws, {}, silent);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) sum += table.point(i)[axis];
    const double mean = sum / static_cast<double>(table.rows());
    for (std::size_t i = 0; i < table.rows(); ++i)
      squares += std::pow(table.point(i)[axis] - mean, 2);
    // Five standard deviations of the variance of this many draws.
    CHECK(squares / static_cast<double>(table.rows()) ==
          Approx(splats.scene.variance(axis)).epsilon(5 * std::sqrt(2e-5)));
  }
  const RunResult smoothed =
      run_skde({"smooth", splats.path, "--value", "f_dc_0", "--at", points, "-o", means});
  CHECK_THAT(smoothed.out, ContainsSubstring(kTheirKernel));
  const io::PointTable found = io::read_point_table(means, {}, silent);
  double highest = 0;
  for (std::size_t i = 0; i < found.rows(); ++i)
    highest = std::max(highest, splats.scene.density(found.point(i)));
  for (std::size_t i = 0; i < found.rows(); ++i)
    if (splats.scene.density(found.point(i)) > 1e-3 * highest)
      CHECK(found.at(i, 3) == Approx(splats.scene.mean_colour(found.point(i))).margin(1e-3));
}

TEST_CASE("Another kernel of splats is chosen by --kernel, which the summary tells") {
  const SplatFile splats(10);
  const std::string points = splats.folder.file("p.csv", points_near(splats.scene, 9));
  const Arguments plain{"eval", splats.path, "--at", points, "-o", splats.folder.path("o.csv")};
  CHECK(run_json(plain)["kernel"] == "gaussian");
  CHECK(run_json(plain + Arguments{"--widths", "splat"})["kernel"] == "gaussian");
  CHECK(run_json(plain + Arguments{"--widths", "none"})["kernel"] == "epanechnikov");
  CHECK(run_json(plain + Arguments{"--kernel", "biweight"})["kernel"] == "biweight");
  const RunResult told = run_skde(plain + Arguments{"--kernel", "epanechnikov"});
  CHECK_THAT(told.out, ContainsSubstring("epanechnikov, with the scales of splats as its radii"));
  CHECK(run_json({"engines", "--for", splats.path})["kernel"] == "gaussian");
}

TEST_CASE("info of splats tells what density would sum") {
  const SplatFile splats(30);
  const RunResult told = run_skde({"info", splats.path});
  check_success(told);
  CHECK_THAT(told.out,
             ContainsSubstring("30 gaussian kernels, each with its sample's own H, weights "
                               "from the sigmoid of opacity"));
  const json info = run_json({"info", splats.path}),
             density = run_json({"density", splats.path, "-o", splats.folder.path("o.nrrd")});
  CHECK(info["kernel"] == "gaussian");
  CHECK(info["total_weight"].get<double>() == Approx(splats.scene.total_weight()));
  check_alike(info["total_weight"], density["total_weight"]);
  const json& own = info["suggested"]["samples"];
  CHECK(own["h"].is_null());
  check_alike(own["H"], density["bandwidth"]["H"]);
  CHECK(own["grid"]["dims"] == density["grid"]["dims"]);
  check_alike_boxes(own["grid"], density["grid"]);
  CHECK_FALSE(info["suggested"].contains("silverman"));

  const json centres = run_json({"info", splats.path, "--widths", "none"});
  CHECK(centres["total_weight"] == 30);
  CHECK(centres["sum"] == "30 epanechnikov kernels, all with one H, weights 1");
  CHECK(centres["suggested"].contains("silverman"));
  check_failure(run_skde({"info", splats.path, "--width-form", "factor"}), 2, {"--width-form"});
}

TEST_CASE("info reads widths and factors as density does") {
  const TemporaryFolder folder;
  std::string rows = "x,y,z,h\n";
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("{},{},{},{}\n", std::sin(i), std::cos(2 * i), std::sin(3 * i + 1),
                        0.1 + 0.01 * i);
  const std::string input = folder.file("a.csv", rows);
  for (const Arguments& flags :
       {Arguments{"--widths", "h"}, words("--widths h --width-form factor")}) {
    const json info = run_json(Arguments{"info", input} + flags),
               density = run_json(in(folder, "density @a.csv -o @o.nrrd") + flags);
    const json& suggested = info["suggested"];
    const json& own = suggested.contains("samples") ? suggested["samples"] : suggested["silverman"];
    check_alike_boxes(own["grid"], density["grid"]);
    check_alike(own["H"], density["bandwidth"]["H"]);
  }
  CHECK(run_json(folder, "info @a.csv --widths h")["sum"] ==
        "60 epanechnikov kernels, each with its sample's own H, weights 1");
}

TEST_CASE("splats in every format have nearly the density of those in PLY, in every order") {
  const SplatFile splats(60, 5);
  const auto density = [&](const std::string& path) {
    const std::string out = splats.folder.path("d.nrrd");
    CHECK(run_skde({"density", path, "-o", out, "--dims", "20", "--bounds", "-6,-6,-6:6,6,6",
                    "--min-width", "0", "--quiet"})
              .exit_code == 0);
    return io::read_volume(out).volume;
  };
  const Volume exact = density(splats.path);
  const auto expected = exact.values<float>();
  const float peak = *std::ranges::max_element(expected);
  for (const io::SplatFormat& format : io::splat_formats())
    for (const char* const order : {"", "given", "morton", "organised"}) {
      if (format.write == nullptr) continue;
      INFO(format.name << " " << order);
      const std::string path = splats.folder.path(std::string("b").append(format.extensions));
      Arguments arguments{"convert", splats.path, "-o", path};
      if (*order != 0) arguments = arguments + Arguments{"--order", order};
      const json summary = run_json(arguments);
      CHECK(summary["splats"] == 60);
      CHECK(summary["grid"].is_null());
      if (*order != 0) CHECK(summary["order"] == order);
      CHECK(summary["written"][0]["path"] == path);
      const Volume volume = density(path);
      const auto found = volume.values<float>();
      for (std::size_t i = 0; i < found.size(); ++i)
        REQUIRE(std::abs(found[i] - expected[i]) < 0.05f * peak);
    }
}

TEST_CASE("what files of splats cannot hold is a warning or an error, and never silent") {
  const SplatFile splats(20, 2);
  const auto at = [&](const char* name) { return splats.folder.path(name); };
  const std::string points = splats.folder.file("p.xyz", spread_rows(300));
  const RunResult fit = run_skde(
      {"fit", points, "-k", "4", "--dims", "12", "--steps", "5", "-o", at("f.splat"), "--quiet"});
  CHECK(fit.exit_code == 0);
  CHECK_THAT(fit.err, ContainsSubstring("holds no masses"));
  check_failure(run_skde({"fit", points, "--resume", "-o", at("f.splat")}), 2, {"--resume"});
  CHECK(run_skde({"fit", points, "-k", "4", "--dims", "12", "--steps", "5", "-o", at("f.ply"),
                  "--quiet"})
            .exit_code == 0);
  const RunResult convert = run_skde({"convert", at("f.ply"), "-o", at("g.splat"), "--quiet"});
  CHECK(convert.exit_code == 0);
  CHECK_THAT(convert.err, ContainsSubstring("its masses are not written"));
  check_failure(run_skde({"convert", points, "-o", at("h.splat")}), 3, {"not a file of Gaussian"});
  check_failure(run_skde({"convert", splats.path, "-o", at("h.splat"), "--format", "nrrd"}), 2,
                {"--format"});
  check_failure(run_skde({"convert", splats.path, "-o", at("h.splat"), "--order", "up"}), 2,
                {"--order"});
  check_failure(run_skde({"convert", splats.path, "-o", at("h.vti"), "--order", "given"}), 2,
                {"--order"});
  check_failure(run_skde({"convert", splats.path, "-o", splats.path}), 2, {"-o"});
}

TEST_CASE("splats that .spz, 2DGS or a packed file make doubtful are told") {
  const SplatFile splats(150, 3);
  const auto at = [&](const char* name) { return splats.folder.path(name); };
  const auto converted = [&](io::SplatCloud cloud, const char* from, const char* to) {
    io::write_splats(at(from), std::move(cloud), silent);
    return run_skde({"convert", at(from), "-o", at(to), "--quiet"});
  };
  io::SplatCloud cloud = io::read_splats(io::BufferedSource(io::open_source(splats.path)));
  check_success(converted(cloud, "near.ply", "near.spz"));
  cloud.antialiased = true;
  const RunResult other = converted(cloud, "smooth.spz", "smooth.splat");
  CHECK_THAT(other.err, ContainsSubstring("antialiased is not written"));
  cloud.xyz[3 * 40 + 1] = -123456;
  const RunResult far = converted(cloud, "far.ply", "far.spz");
  CHECK(far.exit_code == 0);
  // 123456 2^b is below 2^23 up to b = 6.
  CHECK_THAT(far.err,
             ContainsSubstring("splat 41 is 1.23e+05") && ContainsSubstring("coordinates 0.016;"));
  check_failure(run_skde({"convert", splats.folder.file("a.ksplat", "bytes"), "-o", at("b.ply")}),
                3, {"compressed Gaussian splat", "splat-transform"});
  std::string flat = content_of(splats.path);
  flat.replace(flat.find("scale_2"), 7, "other_2");
  const std::string discs = splats.folder.file("discs.ply", flat);
  check_failure(run_skde({"convert", discs, "-o", at("b.ply")}), 3, {"two scales (2DGS)"});
  CHECK_THAT(run_skde({"info", discs}).out,
             ContainsSubstring("2DGS") && ContainsSubstring("only the centres are read"));
}

TEST_CASE("a memory limit holds for splats, which are decoded as a whole") {
  const TemporaryFolder folder;
  io::SplatCloud cloud;
  constexpr std::size_t kSplats = 400000;  // 68 bytes each
  cloud.xyz.assign(3 * kSplats, 0.5);
  cloud.log_scales.assign(3 * kSplats, -1);
  cloud.rotations.assign(4 * kSplats, 0.5);
  cloud.opacities.assign(kSplats, 0);
  cloud.colours.assign(3 * kSplats, 0);
  for (const char* const name : {"a.spz", "a.v4.spz", "a.compressed.ply", "a.splat"}) {
    INFO(name);
    io::write_splats(folder.path(name), cloud, silent);
    check_failure(run_skde({"density", folder.path(name), "--dims", "8", "-o", folder.path("x.npy"),
                            "--memory-limit", "20M"}),
                  5, {"400000 splats take 25 MiB", "--memory-limit"});
  }
}
