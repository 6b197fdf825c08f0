#include "estimate/followed_stream.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "estimate/session.hpp"
#include "support/silent.hpp"
#include "support/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

DensityRequest fixed_request() {
  DensityRequest request = cube_request(12, 1);
  request.bandwidth.bandwidth = Vec3{0.9, 1.1, 0.7};
  request.grid.bounds = Box{{-3, -3, -3}, {3, 3, 3}};
  return request;
}

}  // namespace

TEST_CASE("A session follows a stream with the bits of each window alone", "[window]") {
  const TemporaryFolder folder;
  const Samples cloud = gaussian_cloud(650);
  const CloudFiles files = text_file(folder.path("a.xyz"), cloud.view());
  Session session;
  session.open_in_parts(files);
  std::vector<Density> densities;
  session.follow(
      fixed_request(), {250, 100, {}},
      [&](Density density) { densities.push_back(std::move(density)); }, silent);
  REQUIRE(densities.size() == 7);  // the last of 50 samples more
  for (std::size_t i = 0; i < densities.size(); ++i) {
    const std::size_t end = std::min<std::size_t>(100 * (i + 1), 650),
                      begin = end - std::min<std::size_t>(end, 250);
    const CloudFiles alone =
        text_file(folder.path("alone.xyz"), cloud.view().slice(begin, end - begin));
    const PartialSums sums = sum_part(alone, {fixed_request(), {}, {}, 0, 1}, silent);
    const MergedDensity fresh = density_of(sums.head, sums.sums, Normalization::density);
    CHECK(densities[i].metadata.samples == end - begin);
    CHECK(std::ranges::equal(densities[i].volume().values<float>(), fresh.volume.values<float>()));
  }
}

TEST_CASE("What is in memory is no stream", "[window]") {
  Session session;
  session.open(gaussian_cloud(50));
  const Error error = thrown_error([&] {
    session.follow(
        fixed_request(), {9, 9, {}}, [](Density) {}, silent);
  });
  CHECK(error.kind() == ErrorKind::usage);
}

}  // namespace skde::test
