#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "analysis/held_out_samples.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/point_table.hpp"
#include "io/volumes/volume_formats.hpp"
#include "pictures/png_file.hpp"
#include "skde/program_run.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

/// A cloud of 600 samples in a file, and the flags of a small fit.
struct FitCase {
  FitCase() {
    std::string rows = "x,y,z\n";
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const Vec3 at = cloud.view().point(i);
      rows += fmt::format("{},{},{}\n", at.x, at.y, at.z);
    }
    path = folder.file("cloud.csv", rows);
  }

  Arguments flags(const std::string& output, const Arguments& more = {}) const {
    return Arguments{"fit", path,      "-k", "8",  "--dims",
                     "16",  "--steps", "60", "-o", folder.path(output)} +
           more;
  }
  Mixture mixture(const std::string& name) const {
    return io::read_mixture(folder.path(name), silent).mixture;
  }
  /// A volume of the same density.
  std::string volume() const {
    const std::string file = folder.path("density.vti");
    check_success(
        run_skde({"density", path, "--kernel", "gaussian", "--dims", "16", "--quiet", "-o", file}));
    return file;
  }

  TemporaryFolder folder;
  Samples cloud = gaussian_cloud(600);
  std::string path;
};

/// The density of a mixture, by definition.
double density_of(const Mixture& mixture, Vec3 at) {
  const SamplesView members = mixture.members.view();
  double sum = 0;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const Vec3 mean = members.point(i);
    const DirectKernel kernel(KernelFunction::gaussian, members.shape(i));
    sum += members.weight(i) * kernel.at({at.x - mean.x, at.y - mean.y, at.z - mean.z});
  }
  return sum;
}

void visit_cells(const Grid& grid,
                 const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& use) {
  for (const auto& [i, j, k] : cells_of(grid.dims)) use(i, j, k);
}

/// Checks the errors that a summary states against the files.
void check_errors(const json& summary, const Volume& given, const Mixture& mixture) {
  double squares = 0, differences = 0, largest = 0, peak = 0, mass = 0, divergence = 0;
  visit_cells(given.grid(), [&](auto i, auto j, auto k) {
    const double f = given.at(i, j, k), m = density_of(mixture, given.grid().centre(i, j, k));
    squares += f * f;
    differences += (m - f) * (m - f);
    largest = std::max(largest, std::abs(m - f));
    peak = std::max(peak, f);
    mass += f * given.grid().cell_volume();
    if (f > 0 && m > 0) divergence += f * std::log(f / m) * given.grid().cell_volume();
  });
  const auto cells = static_cast<double>(given.grid().cells());
  CHECK(summary["relative_error"].get<double>() ==
        Approx(std::sqrt(differences / squares)).epsilon(1e-3));
  CHECK(summary["psnr"].get<double>() ==
        Approx(20 * std::log10(peak / std::sqrt(differences / cells))).epsilon(1e-3));
  CHECK(summary["largest_error"].get<double>() == Approx(largest / peak).epsilon(1e-2));
  CHECK(summary["mass"]["given"].get<double>() == Approx(mass).epsilon(1e-5));
  CHECK(summary["divergence"].get<double>() == Approx(divergence).epsilon(0.02).margin(1e-4));
  double fitted = 0;
  for (const double member : mixture.members.weights) fitted += member;
  CHECK(summary["mass"]["fitted"].get<double>() == Approx(fitted).epsilon(1e-5));
}

}  // namespace

TEST_CASE("fit writes a mixture, and states how far it is from the density") {
  const FitCase c;
  const json summary = run_json(c.flags("m.csv"));
  CHECK(summary["kind"] == "fit");
  CHECK(summary["kernel"] == "gaussian");
  CHECK(summary["members"] == 8);
  CHECK(summary["parameters"] == 80);
  CHECK(summary["steps"] == 60);
  CHECK(summary["loss"] == "l2");
  CHECK(summary["held_out"].is_null());
  CHECK(summary["samples"]["used"] == 600);
  CHECK(summary["resumed"] == false);
  CHECK_FALSE(summary["engine"].get<std::string>().empty());
  const Mixture mixture = c.mixture("m.csv");
  REQUIRE(mixture.size() == 8);
  CHECK(summary["relative_error"].get<double>() < 0.3);
  check_errors(summary, io::read_volume(c.volume()).volume, mixture);
  const json& bytes = summary["bytes"];
  CHECK(bytes["mixture"] == std::filesystem::file_size(c.folder.path("m.csv")));
  CHECK(bytes["cloud"] == std::filesystem::file_size(c.path));
  CHECK(bytes["volume"] == summary["grid"]["bytes"]);
}

TEST_CASE("the file of a fit states what its summary does") {
  const FitCase c;
  for (const char* const name : {"m.ply", "m.npy", "m.csv"}) {
    CAPTURE(name);
    const json summary = run_json(c.flags(name));
    const io::MixtureFile file = io::read_mixture(c.folder.path(name), silent);
    CHECK(file.states_kernel);
    const auto fact = [&](std::string_view key) {
      for (const io::MixtureFact& one : file.facts)
        if (one.key == key) return one.value;
      return std::string("missing");
    };
    for (const char* const key : {"relative_error", "psnr", "divergence", "steps", "seed",
                                  "parameters", "effective_samples", "fit_seconds"})
      CHECK(std::stod(fact(key)) == Approx(summary[key].get<double>()));
    CHECK(std::stod(fact("mass.fitted")) == Approx(summary["mass"]["fitted"].get<double>()));
    CHECK(std::stod(fact("bytes.volume")) == Approx(summary["bytes"]["volume"].get<double>()));
    CHECK(fact("kernel") == "gaussian");
    CHECK_THAT(fact("command_line"), ContainsSubstring("skde fit"));
    CHECK(fact("written") == "missing");
    CHECK(summary["written"].size() == (std::string(name) == "m.npy" ? 2 : 1));
  }
}

TEST_CASE("a seed gives the same ellipsoids, in every format") {
  const FitCase c;
  for (const char* const name : {"a.csv", "b.csv", "c.npy"})
    check_success(run_skde(c.flags(name, {"--seed", "5", "--quiet"})));
  const Mixture a = c.mixture("a.csv"), b = c.mixture("b.csv"), npy = c.mixture("c.npy");
  CHECK(a.members.xyz == b.members.xyz);
  CHECK(a.members.weights == b.members.weights);
  CHECK(a.members.shapes == b.members.shapes);
  CHECK(a.members.shapes == npy.members.shapes);
}

TEST_CASE("fit judges a mixture by samples that were held out") {
  const FitCase c;
  const json summary = run_json(c.flags("m.csv", {"--hold-out", "0.2", "--seed", "9"}));
  const SplitSamples split = hold_out(c.cloud.view(), 0.2, 9);
  const std::size_t count = split.held_out.size();
  REQUIRE(count > 80);
  CHECK(summary["held_out"]["samples"] == count);
  CHECK(summary["total_weight"] == 600 - count);
  CHECK(summary["samples"]["used"] == 600 - count);
  CHECK(summary["held_out"]["undefined"] == 0);
  const json& h = summary["bandwidth"]["H"];
  const DirectKernel kernel(KernelFunction::gaussian,
                            {h[0][0], h[0][1], h[0][2], h[1][1], h[1][2], h[2][2]});
  const Mixture mixture = c.mixture("m.csv");
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 at = split.held_out.view().point(i);
    double f = 0;
    for (std::size_t j = 0; j < split.kept.size(); ++j) {
      const Vec3 from = split.kept.view().point(j);
      f += kernel.at({at.x - from.x, at.y - from.y, at.z - from.z});
    }
    sum += std::log(f / static_cast<double>(split.kept.size()) / density_of(mixture, at));
  }
  CHECK(summary["held_out"]["divergence"].get<double>() ==
        Approx(sum / static_cast<double>(count)).epsilon(1e-3));
}

TEST_CASE("samples far from a mixture count on what was held out") {
  const FitCase c;
  std::string rows;
  for (std::size_t i = 0; i < c.cloud.size(); ++i) {
    const Vec3 at = c.cloud.view().point(i);
    const double far = i % 10 == 0 ? 20 : 1;  // beyond where sums of the mixture are cut
    rows += fmt::format("{} {} {}\n", far * at.x, far * at.y, far * at.z);
  }
  const json held = run_json({"fit", c.folder.file("far.txt", rows), "-k", "1", "--dims", "32",
                              "--steps", "30", "--bandwidth", "6", "--covariance", "iso",
                              "--hold-out", "0.3", "-o", c.folder.path("m.csv")})["held_out"];
  CHECK(held["undefined"] == 0);
  CHECK(held["divergence"].get<double>() > 0.1);
}

TEST_CASE("a mixture of samples with their own kernels states no common one") {
  const FitCase c;
  std::string rows = "x,y,z,f\n";
  for (std::size_t i = 0; i < c.cloud.size(); ++i) {
    const Vec3 at = c.cloud.view().point(i);
    rows += fmt::format("{},{},{},{}\n", at.x, at.y, at.z, i % 2 == 0 ? 2 : 3);
  }
  const std::string file = c.folder.file("factors.csv", rows);
  for (const Arguments& own : {Arguments{"--adaptive"}, Arguments{"--widths", "f"},
                               words("--widths f --width-form factor")})
    for (const char* const loss : {"l2", "likelihood"}) {
      CAPTURE(own, loss);
      const std::string out = c.folder.path("m.csv");
      const json summary = run_json(Arguments{"fit", file, "-k", "4", "--dims", "64", "--steps",
                                              "5", "--loss", loss, "-o", out} +
                                    own);
      CHECK(summary["kernel_covariance"].is_null());
      CHECK_FALSE(io::read_mixture(out, silent).states_kernel);
      check_failure(run_skde({"density", out, "--bandwidth", "0.5,0.5,0.5", "--dims", "8", "-o",
                              c.folder.path("d.npy")}),
                    3, {"m.csv", "does not state kernel_covariance", "--bandwidth"});
    }
}

TEST_CASE("fit takes a volume, with what it states of its kernel") {
  const FitCase c;
  const std::string volume = c.volume();
  const Arguments flags{"-k", "8", "--steps", "60", "-o", c.folder.path("m.csv")};
  const json summary = run_json(Arguments{"fit", volume} + flags);
  CHECK(summary["samples"].is_null());
  CHECK(summary["bytes"]["cloud"].is_null());
  CHECK(summary["kernel"] == "gaussian");
  CHECK(summary["bandwidth"]["source"] == "auto: lscv");
  CHECK(summary["total_weight"] == 600);
  check_errors(summary, io::read_volume(volume).volume, c.mixture("m.csv"));
  const auto refused = [&](const Arguments& more, std::initializer_list<std::string_view> words) {
    check_failure(run_skde(Arguments{"fit", volume} + flags + more), 2, words);
  };
  refused({"--kernel", "uniform"}, {"--kernel has no effect", "density.vti"});
  refused({"--engine", "span"}, {"--engine", "--engine cpu"});
  refused({"--loss", "likelihood"}, {"--loss", "volume"});
  refused({"--hold-out", "0.1"}, {"--hold-out", "volume"});
  check_failure(run_skde(Arguments{"fit", volume, c.path} + flags), 2, {"is a volume", "alone"});
}

TEST_CASE("fit goes on with the ellipsoids of its output") {
  const FitCase c;
  const json first = run_json(c.flags("m.ply"));
  const Arguments again{
      "fit", c.path, "--dims", "16", "--steps", "200", "--resume", "-o", c.folder.path("m.ply")};
  const json second = run_json(again);
  CHECK(second["resumed"] == true);
  CHECK(second["members"] == 8);
  CHECK(second["steps"] == 200);
  CHECK(second["relative_error"].get<double>() <= 1.001 * first["relative_error"].get<double>());
  check_failure(run_skde(again + Arguments{"-k", "4"}), 2, {"--members", "--resume"});
  check_failure(run_skde(again + Arguments{"--error", "0.1"}), 2, {"--error", "--resume"});
  check_failure(run_skde({"fit", c.path, "--resume", "-o", c.folder.path("none.ply")}), 3,
                {"none.ply", "drop --resume"});
}

TEST_CASE("fit finds the smallest power of two of ellipsoids that reaches an error") {
  const FitCase c;
  const auto fit = [&](const Arguments& how) {
    return run_json(
        Arguments{"fit", c.path, "--dims", "16", "--steps", "60", "-o", c.folder.path("m.csv")} +
        how);
  };
  const auto error = [&](const json& summary) { return summary["relative_error"].get<double>(); };
  const double of_two = error(fit({"-k", "2"})), of_four = error(fit({"-k", "4"}));
  REQUIRE(of_four < of_two);
  const double between = std::sqrt(of_two * of_four);
  const json found = fit({"--error", fmt::format("{}", between)});
  CHECK(found["members"] == 4);
  CHECK(error(found) <= between);
}

TEST_CASE("fit maximises the likelihood of samples") {
  const FitCase c;
  const json l2 = run_json(c.flags("a.csv")),
             likelihood = run_json(c.flags("b.csv", {"--loss", "likelihood"}));
  CHECK(likelihood["loss"] == "likelihood");
  CHECK(likelihood["members"] == 8);
  CHECK(likelihood["divergence"].get<double>() < 0.5);
  CHECK(c.mixture("a.csv").members.xyz != c.mixture("b.csv").members.xyz);
  check_failure(run_skde(c.flags("m.csv", {"--loss", "likelihood", "--boundary", "reflect"})), 2,
                {"--boundary", "--loss"});
}

#if SKDE_HAS_PICTURES
TEST_CASE("fit draws given, fitted and difference") {
  const FitCase c;
  const std::string picture = c.folder.path("m.png");
  const json summary = run_json(c.flags("m.csv", {"--picture", picture, "--flip", "z"}));
  CHECK(summary["written"][1]["what"] == "picture");
  const Picture drawn = read_png(picture);
  CHECK(drawn.width > 2 * drawn.height);
  check_failure(run_skde(c.flags("m.csv", {"--picture", "m.jpg"})), 2, {".png"});
  check_failure(run_skde(c.flags("m.csv", {"--flip", "z"})), 2, {"--flip"});
}
#endif

TEST_CASE("fit says what is missing or contradicts") {
  const FitCase c;
  const std::string out = c.folder.path("m.csv");
  check_failure(run_skde({"fit", "-k", "8", "-o", out}), 2, {"no input"});
  check_failure(run_skde({"fit", c.path, "-k", "8"}), 2, {"no output"});
  check_failure(run_skde({"fit", c.path, "-o", out}), 2, {"--members", "--error"});
  check_failure(run_skde({"fit", c.path, "-k", "8", "--error", "0.1", "-o", out}), 2,
                {"--members", "drop --error"});
  check_failure(run_skde({"fit", c.path, "-k", "0", "-o", out}), 2, {"--members"});
  check_failure(run_skde({"fit", c.path, "--error", "1", "-o", out}), 2, {"--error", "below 1"});
  check_failure(run_skde({"fit", c.path, "-k", "8", "--hold-out", "0", "-o", out}), 2,
                {"--hold-out", "above 0"});
  check_failure(run_skde({"fit", c.path, "-k", "8", "-o", c.folder.path("m.obj")}), 2, {"m.obj"});
  check_failure(run_skde({"fit", c.path, "-k", "8", "-o", c.path}), 2, {"cloud.csv"});
  check_failure(run_skde({"fit", c.folder.path("none.csv"), "-k", "8", "-o", out}), 3,
                {"none.csv"});
  check_failure(run_skde(c.flags("m.csv", {"--engine", "gpu", "--threads", "2"})), 2,
                {"--threads", "--engine gpu"});
  check_failure(run_skde(c.flags("m.csv", {"--hold-out", "1e-9"})), 3, {"--hold-out", "cloud.csv"});
  check_failure(run_skde({"fit", c.path, "-k", "100000", "--dims", "8", "-o", out}), 2, {"100000"});
  check_failure(run_skde({"fit", c.path, "--error", "0.1", "--save-on-cancel", "-o", out}), 2,
                {"--save-on-cancel", "--error"});
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("an interrupted fit leaves nothing, or what it has on request") {
  const FitCase c;
  const Arguments flags{"fit", c.path, "-k", "8", "--dims", "16", "--steps", "1e9"};
  const std::string lost = c.folder.path("lost.csv"), kept = c.folder.path("kept.csv");
  const RunResult ended = run_skde(flags + Arguments{"-o", lost}, {.interrupt_after = 1.0});
  REQUIRE(ended.was_interrupted);
  CHECK(ended.exit_code == 130);
  CHECK_FALSE(std::filesystem::exists(lost));
  const RunResult saved = run_skde(flags + Arguments{"-o", kept, "--save-on-cancel", "--json"},
                                   {.interrupt_after = 2.5});
  REQUIRE(saved.was_interrupted);
  CHECK_THAT(saved.err, ContainsSubstring("cancelled after") && ContainsSubstring("--resume"));
  REQUIRE(saved.exit_code == 0);
  const json summary = json::parse(saved.out);
  CHECK(summary["cancelled"] == true);
  CHECK(summary["steps"].get<double>() < 1e9);
  CHECK(c.mixture("kept.csv").size() == 8);
  const RunResult splats =
      run_skde(flags + Arguments{"-o", c.folder.path("kept.splat"), "--save-on-cancel"},
               {.interrupt_after = 2.5});
  REQUIRE(splats.exit_code == 0);
  CHECK_THAT(splats.err, ContainsSubstring("write .ply, .npy or .csv, from which"));
}

TEST_CASE("the bar of a fit shows the error so far") {
  if (!has_terminals()) return;
  const FitCase c;
  const RunResult run = run_skde(
      {"fit", c.path, "-k", "8", "--dims", "16", "--steps", "1e9", "-o", c.folder.path("m.csv")},
      {.error_to_terminal = true, .interrupt_after = 1.5});
  CHECK_THAT(run.err, ContainsSubstring(", error ") && ContainsSubstring(" %"));
}
