#include "io/volumes/volume_formats.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/png_file.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

#if SKDE_HAS_PICTURES

TEST_CASE("A picture is written alone and beside a volume, the same in both") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string alone = folder.path("alone.png"), beside = folder.path("beside.png");
  const Arguments density = in(folder, "density @a.xyz --dims 16 --quiet --picture");
  const auto with = [&density](const Arguments& more) { return density + more; };
  check_success(run_skde(with({alone})));
  check_success(run_skde(with({beside, "-o", folder.path("a.vti")})));
  const Picture picture = read_png(alone);
  CHECK(picture.width > 500);
  CHECK(picture == read_png(beside));
  CHECK(folder.names() == words("a.vti a.xyz alone.png beside.png"));
}

TEST_CASE("Letters that the font of a picture lacks are told") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", "x,y,z\n0,0,0\n1,0,0\n0,1,0\n0,0,1\n");
  const std::string volume = folder.path("a.vti");
  const std::string told =
      "skde: warning: the font lacks \u91cc (U+91CC); use letters of DejaVu Sans\n";
  const RunResult density = run_skde({"density", input, "--dims", "8", "--units", "\u91cc", "-o",
                                      volume, "--quiet", "--picture", folder.path("a.png")});
  CHECK(density.exit_code == 0);
  CHECK(density.err.find(told) != density.err.npos);
  const RunResult slice = run_skde(folder, "slice @a.vti --at 0 -o @b.png");
  CHECK(slice.exit_code == 0);
  CHECK(slice.err == told);
}

TEST_CASE("A picture's flipped axes are named by its flag, which has no effect without one") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  std::string rows = "x,y,depth\n";
  for (int i = 0; i < 125; ++i)
    rows += fmt::format("{},{},{}\n", i % 5, i / 5 % 5, i / 25 * (i % 3));
  folder.file("deep.csv", rows);
  const auto deep = [&](const std::string& flags) {
    check_success(run_skde(folder, "density @deep.csv --dims 32 --quiet --picture @p.png" + flags));
    return read_png(folder.path("p.png"));
  };
  CHECK(deep("") == deep(" --flip z"));
  CHECK(deep("") == deep(" --flip Depth"));
  CHECK(deep("") != deep(" --flip none"));
  const RunResult told = run_skde(folder, "density @deep.csv --dims 32 --picture @p.png");
  CHECK(told.out.find("p.png (") < told.out.find("), depth grows downwards\n"));
  check_refused(folder, "density @a.xyz -o @a.vti --flip z", 2, {"--flip", "--picture"});
  check_refused(folder, "density @a.xyz --picture @p.png --flip up", 2, {"--flip", "'up'"});
  check_refused(folder, "density @deep.csv --dims 9 -o @a.vti --picture @p.png --flip x,t", 2,
                {"--flip", "'t'", "x, y, z (depth)"});
  CHECK(!std::filesystem::exists(folder.path("a.vti")));
}

TEST_CASE("Reports and pictures of a histogram name no kernel") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  for (const char* command : {"density @a.xyz --bandwidth 0 --cells mean --dims 4 -o @a.vti",
                              "info @a.vti", "clusters @a.vti"}) {
    const RunResult told = run_skde(folder, command);
    CHECK(told.exit_code == 0);
    CHECK(told.out.find("epanechnikov") == told.out.npos);
    CHECK(told.out.find("e-1") == told.out.npos);  // of H, of a reach
  }
  const io::VolumeFile file = io::read_volume(folder.path("a.vti"));
  CHECK(picture_facts(file.metadata, file.volume.grid())[0] == "N = 50");
  CHECK(picture_title(file.metadata, file.volume.grid()) == "Histogram");
}

TEST_CASE("Pictures have lines, samples, titles and colours, as pixels and as documents") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const Arguments density = in(folder, "density @a.xyz --dims 16 --quiet -o @a.vti --picture");
  check_success(run_skde(density + Arguments{folder.path("plain.png")}));
  const Picture plain = read_png(folder.path("plain.png"));
  for (const char* look :
       {"--title Fog", "--colors magma", "--log", "--mass-lines 0.5,0.9", "--picture-samples 20"}) {
    INFO(look);
    check_success(run_skde(density + Arguments{folder.path("look.png")} + words(look)));
    const Picture other = read_png(folder.path("look.png"));
    CHECK(other.width == plain.width);
    CHECK(other != plain);
    check_refused(folder, std::string("density @a.xyz -o @b.vti ") + look, 2,
                  {"without --picture"});
  }
  check_success(run_skde(density + Arguments{folder.path("a.svg"), "--mass-lines", "0.5"}));
  check_success(run_skde(folder, "slice @a.vti --at 0 -o @b.pdf --mass-lines 0.5 --quiet"));
  const std::string svg = content_of(folder.path("a.svg"));
  CHECK(svg.find("<svg") != svg.npos);
  CHECK(svg.find("data:image/png") != svg.npos);
  CHECK(content_of(folder.path("b.pdf")).starts_with("%PDF"));
  folder.file(
      "b.csv",
      "x,y,z,kind\n0,0,0,a\n1,0,0,a\n0,1,0,a\n0,0,1,a\n5,0,0,b\n6,0,0,b\n5,1,0,b\n5,0,1,b\n");
  const Arguments by =
      in(folder, "density @b.csv --by kind --dims 16 --quiet -o @by.vti --picture");
  check_success(run_skde(by + Arguments{folder.path("by.png")}));
  CHECK(read_png(folder.path("by.png")).width > 1000);
  check_refused(folder, "density @b.csv --by kind -o @c.vti --log", 2, {"--log", "--picture"});
  check_refused(folder, "slice @a.vti --at 0 -o @b.csv --log", 2, {"--log", "tables and arrays"});
  check_refused(folder, "project @a.vti -o @b.png --mass-lines 0.5", 2,
                {"--mass-lines", "integrals"});
  check_refused(folder, "density @a.xyz --picture @b.png --mass-lines 50", 2,
                {"--mass-lines", "'50'"});
  check_refused(folder, "density @a.xyz --picture @b.jpg", 2, {".svg", "b.jpg"});
}

TEST_CASE(
    "The projections of a picture are within the limit of memory, or refused before the sums") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const RunResult result = run_skde(folder,
                                    "density @a.xyz --bandwidth 0.1,0.1,0.1 --dims 30000,1,30000 "
                                    "--memory-limit 1G --picture @a.png");
  check_failure(result, 5, {"30000 x 1 x 30000", "projections", "--memory-limit", "--picture"});
  CHECK(result.seconds < 10);
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("A full disk under a picture is an output error and leaves what was there") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string picture = folder.file("a.png", "old");
  const RunResult result =
      run_skde(folder, "density @a.xyz --picture @a.png --dims 16", {.file_size_limit = 2000});
  check_failure(result, 4, {"a.png"});
  CHECK(content_of(picture) == "old");
  CHECK(folder.names() == std::vector<std::string>{"a.png", "a.xyz"});
}

#else

TEST_CASE("A build without cairo refuses a picture and names the option to build it with") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const RunResult result = run_skde(folder, "density @a.xyz --picture @a.png");
  check_failure(result, 2,
                {"--picture", "a.png", "cannot write pictures", "SKDE_WITH_PICTURES=ON"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

#endif
