#include "io/points/point_writer.hpp"

#include <stdexcept>

#include "core/report/error.hpp"
#include "io/reader_support.hpp"
#include "io/volume_support.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("Points that were written in chunks are read back to the last bit") {
  const Samples cloud{{1e6 + 0.1, -1 / 3.0, 5e-324, 1.7976931348623157e308, 0, -0.5, 1, 2, 3}, {}};
  for (const char* const name : {"a.ply", "a.npy", "a.csv", "a.xyz"}) {
    INFO(name);
    const TemporaryFolder folder;
    const std::string path = folder.path(name);
    io::PointWriter writer(path, 3);
    writer.write(cloud.view().slice(0, 1));
    writer.write(cloud.view().slice(1, 2));
    CHECK_FALSE(std::filesystem::exists(path));
    writer.finish();
    CHECK(drain(*io::open_points(io::open_source(path), {}), 2).xyz == cloud.xyz);
  }
}

TEST_CASE("Points that the disk has no room for are refused before any is written") {
  const TemporaryFolder folder;
  for (const char* const name : {"a.ply", "a.npy", "a.csv", "a.xyz"})
    check_error([&] { io::PointWriter(folder.path(name), std::uint64_t{1} << 62); },
                ErrorKind::output, {"needs", "free on its disk", "fewer points"});
  CHECK(folder.names().empty());
}

TEST_CASE("Points go to known formats alone, and as many as were announced") {
  const TemporaryFolder folder;
  check_error([&] { io::PointWriter(folder.path("a.las"), 1); }, ErrorKind::usage,
              {".ply, .npy, .csv, .xyz"});
  const std::string path = folder.path("a.ply");
  {
    io::PointWriter writer(path, 2);
    CHECK_THROWS_AS(writer.finish(), std::logic_error);
  }
  CHECK(folder.names().empty());
}
