#include "io/volumes/volume_formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engines/registry/registry.hpp"
#include "skde/program_run.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"

using namespace skde;
using namespace skde::test;

// Per-sample bandwidths on the command line: columns, and adaptive kernels.

namespace {

std::string table_of(int count) {
  std::string text = "x,y,z,h,a,b,c\n";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{},{},{},{},1,2,3\n", 10 + std::sin(i), 10 + std::cos(2 * i),
                        10 + std::sin(5 * i), 0.05 + 0.01 * (i % 100));
  return text;
}

}  // namespace

TEST_CASE("Widths of the samples make the volume, which sums to their number") {
  const TemporaryFolder folder;
  folder.file("a.csv", table_of(500));
  const std::string out = folder.path("a.nrrd");
  const RunResult run = run_skde(folder,
                                 "density @a.csv -o @a.nrrd --widths h --kernel gaussian --dims 40 "
                                 "--bounds 0,0,0:20,20,20 --normalize count --json");
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.find("the kernels of 230 of 500 samples") != std::string::npos);
  // The deviations 0.05 and 0.06 of ten samples lie between cells of 20 / 640 and 20 / 320.
  CHECK(run.err.find("use --dims 640 to keep all unchanged") != std::string::npos);
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  CHECK(summary["bandwidth"]["source"] == "samples");
  CHECK(summary["bandwidth"]["h"].is_null());
  CHECK(summary["columns"]["widths"].size() == 1);
  CHECK(summary["columns"]["widths"][0]["name"] == "h");
  double mean = 0;
  for (int i = 0; i < 100; ++i) mean += (0.05 + 0.01 * i) * (0.05 + 0.01 * i) / 100;
  CHECK(summary["bandwidth"]["H"][0][0].get<double>() == Approx(mean).epsilon(1e-6));
  REQUIRE(summary["warnings"].size() == 1);
  CHECK(summary["warnings"][0]["kind"] == "min_width");
  CHECK(std::abs(io::read_volume(out).volume.mass() / 500 - 1) < 1e-6);
}

TEST_CASE("A factor multiplies the bandwidth that is asked for") {
  const TemporaryFolder folder;
  folder.file("a.csv", table_of(100));
  const std::string out = folder.path("a.nrrd");
  const nlohmann::json summary = run_json(folder,
                                          "density @a.csv -o @a.nrrd --widths a --width-form "
                                          "factor --min-width 0 --bandwidth 0.5 --dims 20");
  CHECK(summary["bandwidth"]["h"] == 0.5);
  const std::string plain = folder.path("b.nrrd");
  run_json(folder, "density @a.csv -o @b.nrrd --bandwidth 0.5 --dims 20");
  // All factors are 1.
  const Volume with = io::read_volume(out).volume, without = io::read_volume(plain).volume;
  REQUIRE(with.grid() == without.grid());
  for (std::int64_t z = 0; z < with.grid().dims[2]; ++z)
    CHECK(with.at(9, 9, z) == Approx(without.at(9, 9, z)).margin(2e-5 * without.maximum()));
}

TEST_CASE("Files of Gaussian splats have widths and weights that nobody needs to name") {
  const TemporaryFolder folder;
  std::string scene = "ply\nformat ascii 1.0\nelement vertex 3\n";
  for (const char* const name : {"x", "y", "z", "f_dc_0", "opacity", "scale_0", "scale_1",
                                 "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
    scene.append("property float ").append(name).append("\n");
  scene += "end_header\n";
  // Lengths 1, 2 and 3. The second splat is rotated by a quarter turn about z, which maps x to y.
  const std::string scales = fmt::format("{} {} {}", 0, std::log(2.0), std::log(3.0));
  scene +=
      fmt::format("0 0 0 0 0 {0} 1 0 0 0\n1 0 0 0 2 {0} 1 0 0 1\n0 2 1 0 -3 {0} 1 0 0 0\n", scales);
  folder.file("splats.ply", scene);
  const Arguments plain = in(folder, "density @splats.ply -o @a.nrrd --dims 48 --kernel gaussian");
  const auto with = [&](const Arguments& flags) { return run_json(plain + flags); };
  const nlohmann::json assumed = with({}), named = with({"--widths", "splat"});
  const double weights[] = {0.5, 0.880797078, 0.0474258732};
  const double sum = weights[0] + weights[1] + weights[2];
  CHECK(assumed["total_weight"].get<double>() == Approx(sum));
  CHECK(assumed["bandwidth"]["source"] == "samples");
  // The mean of H, where the x and y axes of the second splat are exchanged.
  const double share = weights[1] / sum;
  CHECK(assumed["bandwidth"]["H"][0][0].get<double>() == Approx(1 + 3 * share).epsilon(1e-5));
  CHECK(assumed["bandwidth"]["H"][1][1].get<double>() == Approx(4 - 3 * share).epsilon(1e-5));
  CHECK(assumed["bandwidth"]["H"][2][2].get<double>() == Approx(9).epsilon(1e-5));
  CHECK(assumed["bandwidth"]["H"] == named["bandwidth"]["H"]);
  CHECK(assumed["columns"]["remark"].get<std::string>().starts_with(
      "widths assumed: splat scales and rotations"));
  CHECK(named["columns"]["remark"].get<std::string>().starts_with("widths read: splat"));
  const RunResult told = run_skde(plain);
  CHECK_THAT(told.out, ContainsSubstring("widths assumed: splat scales and rotations"));
  // With a given H, or without widths, only the centres are used.
  for (const auto& flags : {words("--widths none --covariance iso"), {"--bandwidth", "2,2,2"}}) {
    const nlohmann::json centres = with(flags);
    CHECK(centres["columns"]["widths"].empty());
    CHECK(centres["total_weight"] == 3);
    CHECK_THAT(centres["columns"]["remark"].get<std::string>(),
               ContainsSubstring("only the centres"));
  }
}

TEST_CASE("Flags that widths make void are refused") {
  const TemporaryFolder folder;
  folder.file("a.csv", table_of(10));
  const auto refused = [&](const Arguments& flags,
                           std::initializer_list<std::string_view> fragments) {
    check_failure(run_skde(in(folder, "density @a.csv -o @a.nrrd") + flags), 2, fragments);
  };
  refused({"--widths", "h", "--bandwidth", "1"}, {"--bandwidth has no effect with --widths"});
  refused({"--widths", "h", "--covariance", "iso"}, {"--covariance has no effect with --widths"});
  refused({"--min-width", "2"}, {"--min-width has no effect without --widths"});
  refused({"--width-form", "factor"}, {"--width-form has no effect without --widths"});
  refused({"--widths", "a,b,c", "--width-form", "factor"}, {"needs one column in --widths"});
  refused({"--widths", "a,b"}, {"expected 1, 3, 6 or 9 columns of widths; got 2"});
  refused({"--widths", "sigma"}, {"there is no column 'sigma'", "--widths"});
  refused({"--widths", "splat"}, {"there is no column 'opacity'", "--widths"});
}

TEST_CASE("The flag --adaptive gives samples widths, and says which") {
  const TemporaryFolder folder;
  std::string text = "x,y,z,h\n";
  for (int i = 0; i < 400; ++i)
    text += fmt::format("{},{},{},1\n", std::exp(std::sin(i)), std::exp(std::cos(2 * i)),
                        std::exp(std::sin(5 * i)));
  const std::string input = folder.file("a.csv", text), out = folder.path("a.nrrd");
  const nlohmann::json root = run_json(
      {"density", input, "-o", out, "--dims", "24", "--bandwidth", "silverman", "--adaptive"});
  CHECK(root["adaptive"]["alpha"] == 0.5);
  CHECK(root["adaptive"]["least_width"] < 0.9);
  CHECK(root["adaptive"]["largest_width"] > 1.1);
  CHECK(io::read_volume(out).metadata.adaptive == 0.5);
  const RunResult shown = run_skde(
      {"density", input, "-o", out, "--dims", "24", "--adaptive", "--adaptive-alpha", "0.25"});
  CHECK(shown.out.find("(alpha 0.25)") != std::string::npos);
  CHECK(run_skde(folder, "info @a.nrrd").out.find("alpha 0.25") != std::string::npos);
  check_refused(folder, "density @a.csv -o @a.nrrd --adaptive --widths h", 2,
                {"--adaptive", "--widths"});
  check_refused(folder, "density @a.csv -o @a.nrrd --adaptive-alpha 0.5", 2,
                {"without --adaptive"});
  check_refused(folder, "density @a.csv -o @a.nrrd --adaptive --adaptive-alpha 1.5", 2,
                {"'1.5'", "at most 1"});
}

// Boundaries on the command line.

namespace {

/// Rows that fill a box of 10 x 10 x 10.
std::string cube_of_rows() {
  std::string text = "x,y,z\n";
  for (int z = 0; z < 10; ++z)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 10; ++x) text += fmt::format("{}.5,{}.5,{}.5\n", x, y, z);
  return text;
}

}  // namespace

TEST_CASE("A periodic box keeps its mass, and says so in summary and file") {
  const TemporaryFolder folder;
  folder.file("a.csv", cube_of_rows());
  const std::string out = folder.path("a.nrrd");
  const Arguments asked = in(folder,
                             "density @a.csv -o @a.nrrd --bounds 0,0,0:10,10,10 --bandwidth "
                             "1.5,1.5,1.5 --dims 20 --kernel triweight");
  const auto with = [&](const Arguments& more) { return asked + more; };
  const nlohmann::json open = run_json(asked);
  CHECK(open["mass_in_box"].get<double>() < 0.95);
  const nlohmann::json kept = run_json(with({"--boundary", "periodic"}));
  CHECK(kept["boundary"] == nlohmann::json{"periodic", "periodic", "periodic"});
  CHECK(kept["mass_in_box"] == 1);
  const io::VolumeFile file = io::read_volume(out);
  CHECK(file.metadata.boundaries[0] == Boundary::periodic);
  CHECK(file.volume.mass() == Approx(1).epsilon(1e-3));
  CHECK(file.volume.at(0, 0, 0) == Approx(file.volume.at(10, 10, 10)).epsilon(1e-5));
  const RunResult shown = run_skde(with({"--boundary", "reflect,none,renormalize"}));
  CHECK(shown.out.find("reflect along x, none along y, renormalize along z") != std::string::npos);
  CHECK(run_skde(folder, "info @a.nrrd").out.find("reflect along x") != std::string::npos);
}

TEST_CASE("Boundaries that cannot be are refused with what mends them") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", cube_of_rows()), out = folder.path("a.nrrd");
  check_refused(folder, "density @a.csv -o @a.nrrd --boundary periodic", 2, {"period", "--bounds"});
  check_refused(folder, "density @a.csv -o @a.nrrd --boundary mirror", 2, {"'mirror'", "reflect"});
  const RunResult beyond = run_skde(
      {"density", input, "-o", out, "--boundary", "reflect", "--bounds", "1,0,0:10,10,10"});
  CHECK(beyond.exit_code == 0);
  CHECK(beyond.err.find("100 of 1000 samples lie beyond a face") != std::string::npos);
}

TEST_CASE("Values below 0 are written where they are to be kept") {
  if (skipped(engine_entry("spectral").unavailable())) return;
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(400));
  const std::string out = folder.path("a.nrrd");
  Arguments arguments = in(folder,
                           "density @a.xyz -o @a.nrrd --kernel gaussian --engine spectral "
                           "--bandwidth 0.3,0.3,0.3 --spacing 0.15");
  const auto least_of = [&] {
    run_json(arguments);
    const Volume volume = io::read_volume(out).volume;
    const float least = std::ranges::min(volume.values<float>());
    return std::min(0.0, static_cast<double>(least) / volume.maximum());
  };
  CHECK(least_of() == 0);
  arguments.emplace_back("--keep-negatives");
  const double kept = least_of();
  CHECK(kept < 0);
  CHECK(kept > -1e-6);
}

// Data sharpening on the command line.

namespace {

std::string cloud_text() {
  Random random(6);
  Samples cloud;
  add_normal(cloud, random, {1, 2, 3}, 0.7, 300);
  std::string text = "x,y,z,h\n";
  for (std::size_t i = 0; i < cloud.size(); ++i)
    text +=
        fmt::format("{},{},{},1\n", cloud.xyz[3 * i], cloud.xyz[3 * i + 1], cloud.xyz[3 * i + 2]);
  return text;
}

}  // namespace

TEST_CASE("The flag --sharpen moves samples, and files and reports say so") {
  const TemporaryFolder folder;
  folder.file("a.csv", cloud_text());
  const std::string out = folder.path("a.nrrd"), plain = folder.path("b.nrrd");
  const Arguments wide{"--bandwidth", "silverman"};
  const nlohmann::json root =
      run_json(in(folder, "density @a.csv -o @a.nrrd --dims 24 --sharpen") + wide);
  CHECK(root["sharpened"] == true);
  CHECK(run_json(in(folder, "density @a.csv -o @b.nrrd --dims 24") + wide)["sharpened"] == false);
  const io::VolumeFile file = io::read_volume(out);
  CHECK(file.metadata.sharpened);
  CHECK_FALSE(io::read_volume(plain).metadata.sharpened);
  CHECK(file.volume.maximum() > 1.02 * io::read_volume(plain).volume.maximum());
  CHECK(run_skde(folder, "info @a.nrrd").out.find("half of their mean shift") != std::string::npos);
  CHECK(run_skde(folder, "density @a.csv -o @a.nrrd --dims 24 --sharpen")
            .out.find("half of their mean shift") != std::string::npos);

  // Points see the same samples as cells do.
  const Vec3 at = file.volume.grid().centre(9, 12, 8);
  folder.file("p.csv", fmt::format("x,y,z\n{},{},{}\n", at.x, at.y, at.z));
  const nlohmann::json found =
      run_json(in(folder, "eval @a.csv --at @p.csv -o @v.csv --sharpen") + wide);
  CHECK(found["sharpened"] == true);
  const double bound = root["error_bound"].get<double>() + found["error_bound"].get<double>();
  CHECK(std::abs(found["peak"].get<double>() - file.volume.at(at)) <
        bound * root["peak"].get<double>());
  CHECK(run_json(folder, "sample @a.csv -n 10 -o @s.csv --sharpen")["sharpened"] == true);
  // Sharpened densities have a score of their own, and kernels that are wider.
  const double h = run_json(folder, "bandwidth @a.csv --sharpen")["h"].get<double>();
  CHECK(h > 1.05 * run_json(folder, "bandwidth @a.csv")["h"].get<double>());
  CHECK(run_json(folder, "density @a.csv -o @a.nrrd --dims 24 --sharpen")["bandwidth"]["h"] == h);
}

TEST_CASE("What is not sharpened is refused on the command line") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", cloud_text()), out = folder.path("a.nrrd");
  const auto refused = [&](Arguments arguments, const Arguments& parts) {
    arguments.push_back("--sharpen");
    const RunResult result = run_skde(arguments);
    CHECK(result.exit_code != 0);
    for (const std::string& part : parts) {
      INFO(result.err);
      CHECK(result.err.find(part) != std::string::npos);
    }
  };
  refused({"density", input, "-o", out, "--adaptive"}, {"--sharpen", "--adaptive"});
  refused({"density", input, "-o", out, "--widths", "h"}, {"--sharpen", "per-sample"});
  refused({"density", input, "-o", out, "--bandwidth", "lcv"}, {"lscv"});
  refused({"density", input, "-o", out, "--bandwidth", "plug-in"}, {"lscv"});
  refused({"eval", input, "--loo", "-o", folder.path("b.csv")}, {"leave-one-out", "--sharpen"});
  refused({"density", input, "-o", folder.path("a.skp"), "--part", "1/2", "--bounds", "0,0,0:3,3,3",
           "--bandwidth", "1,1,1"},
          {"--sharpen"});
  refused({"bandwidth", input, "--method", "bootstrap"}, {"--sharpen"});
  refused({"fit", input, "-k", "3", "-o", folder.path("m.ply")}, {"--sharpen", "mixture"});
  CHECK(run_skde(folder, "smooth @a.csv --value h -o @a.nrrd --sharpen").exit_code == 2);
}
