// Data sharpening on the command line.

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

namespace {

using namespace skde;
using namespace skde::test;

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
  const std::string input = folder.file("a.csv", cloud_text()), out = folder.path("a.nrrd"),
                    plain = folder.path("b.nrrd");
  const Arguments wide{"--bandwidth", "silverman"};
  const nlohmann::json root =
      run_json(in(folder, "density @a.csv -o @a.nrrd --dims 24 --sharpen") + wide);
  CHECK(root["sharpened"] == true);
  CHECK(run_json(in(folder, "density @a.csv -o @b.nrrd --dims 24") + wide)["sharpened"] == false);
  const io::VolumeFile file = io::read_volume(out);
  CHECK(file.metadata.sharpened);
  CHECK_FALSE(io::read_volume(plain).metadata.sharpened);
  CHECK(file.volume.maximum() > 1.02 * io::read_volume(plain).volume.maximum());
  CHECK(run_skde({"info", out}).out.find("half of their mean shift") != std::string::npos);
  CHECK(run_skde(folder, "density @a.csv -o @a.nrrd --dims 24 --sharpen")
            .out.find("half of their mean shift") != std::string::npos);

  // Points see the same samples as cells do.
  const Vec3 at = file.volume.grid().centre(9, 12, 8);
  const std::string points =
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
  CHECK(h > 1.05 * run_json({"bandwidth", input})["h"].get<double>());
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
