#include "estimate/stream/followed_stream.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "estimate/read/part_reader.hpp"
#include "estimate/session.hpp"
#include "estimate/sum/part_sums.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/direct_sums.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {
namespace {

DensityRequest fixed_request() {
  DensityRequest request = cube_request(12, 1);
  request.bandwidth.bandwidth = Vec3{0.9, 1.1, 0.7};
  request.grid.bounds = Box{{-3, -3, -3}, {3, 3, 3}};
  return request;
}

CloudFiles weighted_file(const std::string& path, const SamplesView& points) {
  std::ofstream file(path);
  file.precision(17);
  for (std::size_t i = 0; i < points.size(); ++i)
    file << points.point(i).x << ' ' << points.point(i).y << ' ' << points.point(i).z << ' '
         << points.weight(i) << '\n';
  io::ColumnSelection columns;
  columns.weight = "4";
  return {{path}, columns, io::NonFinite::drop};
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
  REQUIRE(densities.size() == 7);  // the last one after 50 further samples
  for (std::size_t i = 0; i < densities.size(); ++i) {
    const std::size_t end = std::min<std::size_t>(100 * (i + 1), 650),
                      begin = end - std::min<std::size_t>(end, 250);
    const CloudFiles alone =
        text_file(folder.path("alone.xyz"), cloud.view().slice(begin, end - begin));
    const PartialSums sums = sum_part(alone, plan_sums(alone, {fixed_request()}), silent);
    const MergedDensity fresh = density_of(sums.head, sums.sums, Normalization::density);
    CHECK(densities[i].metadata.samples == end - begin);
    CHECK(std::ranges::equal(densities[i].volume().values<float>(), fresh.volume.values<float>()));
  }
}

TEST_CASE("Weights of a stream need not be known, and doubles have their digits", "[window]") {
  const TemporaryFolder folder;
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    const bool weighted = round % 3 != 0, is_double = round % 2 == 0;
    Samples cloud = gaussian_cloud(300);
    // From piece to piece, weights change by a factor of about a thousand.
    if (weighted)
      for (std::size_t i = 0; i < cloud.size(); ++i)
        cloud.weights.push_back(random.log_uniform(1, 5) * std::pow(1e3, i / 60 % 3));
    CloudFiles files = weighted_file(folder.path("a.xyz"), cloud.view());
    if (!weighted) files.columns.weight.clear();
    DensityRequest request = fixed_request();
    request.precision = is_double ? Precision::f64 : Precision::f32;
    Session session;
    session.open_in_parts(files);
    std::size_t seen = 0;
    session.follow(
        request, {100, 50, {}},
        [&](Density density) {
          seen = std::min<std::size_t>(seen + 50, 300);
          const std::size_t begin = seen - std::min<std::size_t>(seen, 100);
          const SamplesView held = cloud.view().slice(begin, seen - begin);
          std::vector<double> weights;
          double total = 0, worst = 0, peak = 0;
          for (std::size_t i = 0; i < held.size(); ++i) {
            weights.push_back(held.weight(i));
            total += held.weight(i);
          }
          const DirectSums direct{request.kernel, density.kernel().H, held};
          const Grid& grid = density.grid();
          for (std::int64_t k = 0; k < 12; k += 2)
            for (std::int64_t j = 0; j < 12; j += 3)
              for (std::int64_t i = 0; i < 12; ++i) {
                const double expected = direct.at(grid.centre(i, j, k), weights) / total;
                peak = std::max(peak, expected);
                worst = std::max(worst, std::abs(density.volume().at(i, j, k) - expected));
              }
          INFO("round " << round << ", " << seen << " seen");
          CHECK(worst <= (is_double ? 1e-11 : 1e-6) * peak);
          CHECK(density.metadata.total_weight == Approx(total));
        },
        silent);
    CHECK(seen == 300);
  }
}

TEST_CASE("Windows with weights have the bits of a run over their samples alone", "[window]") {
  const TemporaryFolder folder;
  Random random(3);
  Samples cloud = gaussian_cloud(400);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.01, 1) * (i / 90 % 2 == 0 ? 1 : 1000));
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const CloudFiles files = weighted_file(folder.path("a.xyz"), cloud.view());
    DensityRequest request = fixed_request();
    request.precision = precision;
    Session session;
    session.open_in_parts(files);
    std::size_t seen = 0;
    session.follow(
        request, {150, 70, {}},
        [&](Density density) {
          seen = std::min<std::size_t>(seen + 70, 400);
          const std::size_t begin = seen - std::min<std::size_t>(seen, 150);
          const CloudFiles alone =
              weighted_file(folder.path("alone.xyz"), cloud.view().slice(begin, seen - begin));
          SumsRequest asked{request};
          asked.whole = read_part(alone, {}, 1, 100, silent, [](const SamplesView&) {});
          const PartialSums sums = sum_part(alone, plan_sums(alone, asked), silent);
          const MergedDensity fresh = density_of(sums.head, sums.sums, Normalization::density);
          INFO(seen << " seen");
          CHECK(same_bits(density.volume(), fresh.volume));
        },
        silent);
    CHECK(seen == 400);
  }
}

TEST_CASE("What is in memory is no stream", "[window]") {
  Session session = test::session_with(gaussian_cloud(50));
  const Error error = thrown_error([&] {
    session.follow(
        fixed_request(), {9, 9, {}}, [](Density) {}, silent);
  });
  CHECK(error.kind() == ErrorKind::usage);
}

}  // namespace skde::test
