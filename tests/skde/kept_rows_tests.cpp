// --where and --geographic of the built program give the same results as files that hold only the
// kept rows, or the converted places.

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

/// Rows with a class; `wanted` holds those that kWanted keeps. Both have a weight.
struct Classes {
  std::string all = "x,y,z,w,class,kind\n", wanted = "x,y,z,w\n";
  int rows = 400, kept = 0;

  Classes() {
    for (int i = 0; i < rows; ++i) {
      const double x = std::sin(i), y = std::cos(1.7 * i), z = std::sin(0.3 * i);
      const std::string row = fmt::format("{},{},{},{}", x, y, z, 1 + i % 3);
      all += fmt::format("{},{},{}\n", row, i % 4, i % 5 == 0 ? "noise" : "quake");
      if (i % 4 != 2 || !(z > 0) || i % 5 == 0) continue;
      wanted += row + "\n";
      ++kept;
    }
  }
};

constexpr const char* kWanted = "class == 2 && z > 0 and not kind = 'noise'";

std::string values_of(const std::string& path) { return content_of(path); }

}  // namespace

TEST_CASE("The flag --where gives the bits of a file of the kept rows", "[where]") {
  const TemporaryFolder folder;
  const Classes classes;
  const std::string all = folder.file("all.csv", classes.all);
  const std::string wanted = folder.file("wanted.csv", classes.wanted);
  const Arguments flags{"--dims", "20", "--weights", "w"};
  const Arguments where{"--where", kWanted};
  const std::string a = folder.path("a.npy"), b = folder.path("b.npy");
  check_success(run_skde(in(folder, "density @wanted.csv -o @a.npy --quiet") + flags));
  const json summary = run_json(in(folder, "density @all.csv -o @b.npy") + flags + where);
  CHECK(values_of(a) == values_of(b));
  CHECK(summary["samples"]["read"] == classes.rows);
  CHECK(summary["samples"]["used"] == classes.kept);
  CHECK(summary["samples"]["left_out"] == classes.rows - classes.kept);
  CHECK(summary["columns"]["where"] == kWanted);
  CHECK(io::read_volume(b).metadata.where == kWanted);
  // From a pipe, and in parts read twice.
  check_success(
      run_skde(in(folder, "density - -o @b.npy --quiet") + flags + where, {.input = classes.all}));
  CHECK(values_of(a) == values_of(b));
  Arguments parts, other_parts;
  for (const char* part : {"1/2", "2/2"}) {
    const Arguments fixed{"--bounds", "-2,-2,-2:2,2,2", "--bandwidth", "1,1,1", "--dims",
                          "8",        "--quiet",        "--part",      part};
    parts.push_back(folder.path(fmt::format("p{}.skp", part[0])));
    other_parts.push_back(folder.path(fmt::format("q{}.skp", part[0])));
    check_success(run_skde(Arguments{"density", all, "-o", parts.back()} + where + fixed));
    check_success(run_skde(Arguments{"density", wanted, "-o", other_parts.back()} + fixed));
  }
  check_success(run_skde(Arguments{"merge"} + parts + in(folder, "-o @a.npy --quiet")));
  check_success(run_skde(Arguments{"merge"} + other_parts + in(folder, "-o @b.npy --quiet")));
  CHECK(values_of(a) == values_of(b));
  check_failure(run_skde({"merge", parts[0], other_parts[1], "-o", b}), 3,
                {"condition on columns (where)"});
}

TEST_CASE("Commands that read clouds take --where", "[where]") {
  const TemporaryFolder folder;
  const Classes classes;
  const std::string all = folder.file("all.csv", classes.all);
  const std::string wanted = folder.file("wanted.csv", classes.wanted);
  const Arguments where{"--where", kWanted};
  const RunResult info = run_skde(Arguments{"info", all} + where);
  check_success(info);
  CHECK_THAT(info.out, ContainsSubstring(fmt::format("400 read, {} left out, none dropped",
                                                     classes.rows - classes.kept)) &&
                           ContainsSubstring(std::string("; where ") + kWanted));
  const auto same = [&](Arguments command, const std::string& first, const std::string& second) {
    const std::string name = command[0];
    INFO(name);
    const Arguments rest(command.begin() + 1, command.end());
    check_success(run_skde(Arguments{name, wanted} + rest + Arguments{"-o", first, "--quiet"}));
    check_success(
        run_skde(Arguments{name, all} + rest + Arguments{"-o", second, "--quiet"} + where));
  };
  const std::string a = folder.path("a.npy"), b = folder.path("b.npy");
  same({"sample", "-n", "100", "--seed", "3"}, a, b);
  CHECK(values_of(a) == values_of(b));
  same({"smooth", "--value", "w", "--of", "mean", "--kernel", "gaussian", "--dims", "9",
        "--bandwidth", "silverman"},
       a, b);
  CHECK(values_of(a) == values_of(b));
  const std::string probes = folder.file("probes.csv", "x,y,z,class\n0,0,0,9\n0.5,0,0.5,9\n");
  same({"eval", "--at", probes}, a, b);
  CHECK(values_of(a) == values_of(b));
  const json means = run_json(
      in(folder,
         "smooth @all.csv --value w --dims 9 --bandwidth silverman -o @m.vti --kernel gaussian") +
      where);
  CHECK(means["left_out"] == classes.rows - classes.kept);
  CHECK(means["dropped"] == 0);
  CHECK(means["columns"]["where"] == kWanted);
  // Evaluated at the cloud's own points, the condition selects the points too.
  const json own = run_json({"eval", wanted, "--loo", "-o", b, "--where", "w < 3"});
  CHECK(own["points"]["rows"] == own["samples"]["used"]);
  CHECK(own["samples"]["read"] == classes.kept);
  CHECK(own["samples"]["left_out"] > 0);
  CHECK(run_json(Arguments{"bandwidth", all} + where)["samples"]["used"] == classes.kept);
  check_failure(run_skde({"density", all, "-o", a, "--where", "clas == 2"}), 2,
                {"character 1", "did you mean 'class'?", "--where"});
  check_failure(run_skde({"density", all, "-o", a, "--where", "class = 2 &"}), 2,
                {"character 11", "write &&", "--where"});
  check_failure(run_skde({"density", all, "-o", a, "--where", "class == 7"}), 3,
                {"left out or of weight 0"});
}

#if SKDE_HAS_PROJ

TEST_CASE("The flag --geographic gives the density of places in kilometres", "[geographic]") {
  const TemporaryFolder folder;
  std::string degrees = "lon,lat,depth,mag\n", lengths = "x,y,z\n";
  constexpr double kMajor = 6378.137, kSquare = 0.00669437999014131;
  for (int i = 0; i < 200; ++i) {
    const double lon = 20 + std::sin(i), lat = 45 + std::cos(1.3 * i),
                 depth = 30 + 20 * std::sin(3 * i);
    degrees += fmt::format("{},{},{},{}\n", lon, lat, depth, i % 7);
    const double l = lon * M_PI / 180, b = lat * M_PI / 180;
    const double n = kMajor / std::sqrt(1 - kSquare * std::sin(b) * std::sin(b));
    lengths += fmt::format("{},{},{}\n", (n - depth) * std::cos(b) * std::cos(l),
                           (n - depth) * std::cos(b) * std::sin(l),
                           (n * (1 - kSquare) - depth) * std::sin(b));
  }
  const std::string places = folder.file("places.csv", degrees);
  folder.file("lengths.csv", lengths);
  const std::string a = folder.path("a.nrrd"), b = folder.path("b.nrrd");
  const Arguments flags{"--dims", "16", "--precision", "f64", "--bandwidth", "silverman"};
  check_success(run_skde(in(folder, "density @lengths.csv -o @a.nrrd --quiet") + flags));
  const json summary = run_json(in(folder, "density --geographic @places.csv -o @b.nrrd") + flags);
  const io::VolumeFile one = io::read_volume(a), other = io::read_volume(b);
  REQUIRE(one.volume.grid().dims == other.volume.grid().dims);
  double worst = 0;
  for (std::size_t i = 0; i < one.volume.values<double>().size(); ++i)
    worst = std::max(worst,
                     std::abs(one.volume.values<double>()[i] - other.volume.values<double>()[i]));
  CHECK(worst < 1e-6 * one.volume.maximum());
  CHECK(other.metadata.units == "km");
  CHECK_THAT(other.metadata.frame,
             ContainsSubstring("WGS84") && ContainsSubstring("positive down"));
  CHECK(summary["columns"]["frame"] == other.metadata.frame);
  // The flag's value may follow it; points of another file use the frame of the cloud.
  const std::string probes = folder.file("probes.csv", "lon,lat,depth\n20,45,30\n");
  const std::string out = folder.path("out.csv");
  check_success(run_skde(
      {"eval", places, "--geographic", "tangent,depth", "--at", probes, "-o", out, "--quiet"}));
  const std::string local = content_of(out);
  CHECK(local.starts_with("lon,lat,depth,density\n20,45,30,"));
  check_success(
      run_skde(folder, "eval @places.csv --geographic --at @probes.csv -o @out.csv --quiet"));
  const auto density = [](const std::string& text) {
    return std::stod(text.substr(text.rfind(',') + 1));
  };
  CHECK(density(local) == Approx(density(content_of(out))).epsilon(1e-9));
  check_failure(run_skde(folder, "density - --geographic tangent -o @a.nrrd", {.input = degrees}),
                2, {"is read only once", "--geographic tangent:LON:LAT"});
  CHECK_THAT(run_skde(folder, "info @places.csv").out,
             ContainsSubstring("convert them with --geographic"));
}

TEST_CASE("Volumes in unlike frames are not mixed", "[geographic]") {
  const TemporaryFolder folder;
  std::string degrees = "lon,lat,depth\n";
  for (int i = 0; i < 200; ++i)
    degrees += fmt::format("{},{},{}\n", 24 + 4 * std::sin(i), 44 + 3 * std::cos(1.3 * i), i % 100);
  const std::string places = folder.file("q.csv", degrees), a = folder.path("a.vti"),
                    b = folder.path("b.vti"), plain = folder.path("plain.vti");
  const auto density = [&](const std::string& frame, const Arguments& more) {
    return run_skde(Arguments{"density", places, "--geographic=" + frame, "--quiet"} + more);
  };
  CHECK(density("tangent:24:44", {"--dims", "12", "-o", a}).exit_code == 0);
  check_failure(density("tangent:24:46", {"--like", a, "-o", b}), 3,
                {"east, north and up in km about longitude 24, latitude 46", "--geographic"});
  check_failure(density("earth", {"--like", a, "-o", b}), 3, {"geocentric"});
  // Without a place, a frame takes that of the volume.
  CHECK(density("tangent", {"--like", a, "-o", b}).exit_code == 0);
  CHECK(io::read_volume(b).metadata.frame == io::read_volume(a).metadata.frame);
  CHECK(run_json(folder, "compare @a.vti @b.vti")["l1"].get<double>() < 1e-6);
  CHECK(density("tangent:24:46", {"--dims", "12", "-o", b}).exit_code == 0);
  for (const Arguments& more : {Arguments{}, Arguments{"--resample", "A"}})
    check_failure(run_skde(in(folder, "compare @a.vti @b.vti") + more), 3,
                  {"another frame", "latitude 44 instead of"});
  check_failure(run_skde({"mass", b, "--region", a}), 3, {"another frame"});
  check_failure(run_skde({"mass", places, "--geographic=tangent:24:46", "--region", a}), 3,
                {"the cloud is in another frame"});
  const auto clusters = [&](const std::string& volume, const std::string& frame) {
    return run_skde(Arguments{"clusters", volume, "--mass", "0.9", "--at", places} +
                    (frame.empty() ? Arguments{} : Arguments{"--geographic=" + frame}));
  };
  CHECK_THAT(clusters(a, "").err, ContainsSubstring("q.csv states none"));
  check_failure(clusters(a, "tangent:24:46"), 3, {"q.csv is in another frame than the density"});
  const RunResult labelled = clusters(a, "tangent");  // in the volume's own frame
  CHECK(labelled.err.empty());
  CHECK_THAT(labelled.out, !ContainsSubstring("200 are in no cluster"));
  check_failure(run_skde({"clusters", a, "--geographic"}), 2, {"--geographic has no effect"});
  CHECK(run_skde({"density",
                  folder.file("p.xyz", "0 0 -20\n90 9 -60\n-80 90 -9\n9 -90 -50\n-70 -60 -30\n"),
                  "--like", a, "-o", plain, "--quiet"})
            .exit_code == 0);
  CHECK_THAT(run_skde(folder, "compare @a.vti @plain.vti --quiet --json").err,
             ContainsSubstring("states none"));
  CHECK_THAT(run_skde({"mass", plain, "--region", a}).err, ContainsSubstring("states none"));
}

TEST_CASE("A tangent frame over much ground says that z is not the depth", "[geographic]") {
  const TemporaryFolder folder;
  const auto told = [&](const std::string& frame, const char* third = "depth", int least = 0) {
    std::string rows = fmt::format("lon,lat,{}\n", third);
    for (int i = 0; i < 200; ++i)
      rows += fmt::format("{},{},{}\n", 4 * std::sin(i), 4 * std::cos(1.3 * i), least + i % 100);
    const RunResult run = run_skde({"density", folder.file("w.csv", rows), "--geographic=" + frame,
                                    "--dims", "40", "-o", folder.path("a.vti")});
    CHECK(run.exit_code == 0);
    return run.err;
  };
  CHECK_THAT(told("tangent"), ContainsSubstring("not the depth"));
  CHECK(told("east-north-depth").find("not the depth") == std::string::npos);
  CHECK(told("tangent:0:0,km", "radius", 6300).find("not the depth") == std::string::npos);
}

#endif
