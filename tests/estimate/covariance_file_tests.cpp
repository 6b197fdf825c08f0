#include "estimate/read/covariance_file.hpp"

#include <fmt/core.h>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("a covariance is a matrix that is symmetric in each pair", "[bandwidth]") {
  const TemporaryFolder folder;
  const auto path_of = [&](double yx, double zx, double zy) {
    return folder.file("s.txt", fmt::format("4 1 2\n{} 9 3\n{} {} 16\n", yx, zx, zy));
  };
  CHECK(read_covariance(path_of(1, 2, 3)) == Symmetric3{4, 1, 2, 9, 3, 16});
  CHECK(read_covariance(path_of(1, 2, 3 + 1e-9)) == Symmetric3{4, 1, 2, 9, 3, 16});
  for (const Vec3 other : {Vec3{1.01, 2, 3}, {1, 2.01, 3}, {1, 2, 3.01}, {1, 2, -3}}) {
    const std::string path = path_of(other.x, other.y, other.z);
    CHECK(says(thrown_error([&] { read_covariance(path); }), "must be symmetric"));
  }
}
