// Clouds and volumes that are cut to fit, on the GPU, against the CPU engine on the whole.

#include <catch2/catch.hpp>

#include "core/synthetic_cloud.hpp"
#include "estimate/density_estimate.hpp"
#include "gpu/device_fixture.hpp"
#include "io/points/point_writer.hpp"
#include "support/temporary_folder.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

DensityRequest request_for(std::string engine, double h) {
  DensityRequest request;
  request.engine = std::move(engine);
  request.bandwidth.bandwidth = h;
  request.grid.bounds = benchmark_box();
  request.grid.dims = {70, 50, 90};
  return request;
}

/// Room for about a third of the volume beside the samples.
constexpr std::int64_t kLittleMemory = (std::int64_t{64} << 20) + 20000 * 128 + 450000;

std::string cloud_in(const TemporaryFolder& folder, const PointCloud& cloud) {
  std::string path = folder.path("cloud.npy");
  io::PointWriter writer(path, cloud.size());
  writer.write(cloud.view());
  writer.finish();
  return path;
}

}  // namespace

TEST_CASE("CUDA: a volume in slabs is the whole volume") {
  if (skipped()) return;
  NoProgress silent;
  const PointCloud cloud = make_five_gaussians(3, 0, 20000);
  for (const double h : {0.2, 1.0}) {
    const DensityEstimate whole = estimate_density(cloud.view(), request_for("span", h), silent);
    for (const char* const engine : {"cuda-span", "cuda-chop-crop", "cuda-naive"}) {
      INFO(engine << ", h = " << h);
      DensityRequest request = request_for(engine, h);
      request.options.device_memory = kLittleMemory;
      const DensityEstimate slabs = estimate_density(cloud.view(), request, silent);
      CHECK(slabs.plan.slabs > 1);
      CHECK(relative_distance(slabs.volume, whole.volume) < 4e-5);
      CHECK(slabs.mass_in_box == Approx(whole.mass_in_box).epsilon(1e-5));
    }
  }
}

TEST_CASE("CUDA: a cloud in parts is the whole cloud") {
  if (skipped()) return;
  NoProgress silent;
  constexpr std::int64_t kLimit = std::int64_t{200} << 20;
  const PointCloud cloud = make_five_gaussians(4, 0, 1000000);
  const TemporaryFolder folder;
  const std::string file = cloud_in(folder, cloud);
  const DensityEstimate whole = estimate_density(cloud.view(), request_for("span", 0.3), silent);
  for (const char* const engine : {"cuda-span", "cuda-chop-crop"}) {
    INFO(engine);
    io::CloudCounts counts;
    const DensityEstimate parts =
        estimate_density(CloudFiles{{file}, {}}, request_for(engine, 0.3), kLimit, counts, silent);
    CHECK(parts.plan.part_samples > 0);
    CHECK(parts.plan.part_samples < 500000);
    CHECK(counts.samples() == cloud.size());
    CHECK(parts.moments.count() == cloud.size());
    CHECK(relative_distance(parts.volume, whole.volume) < 4e-5);
  }
}
