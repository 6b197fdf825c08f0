// Clouds and volumes that are cut to fit, on the GPU, against the CPU engine on the whole.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "analysis/density_estimate.hpp"
#include "core/synthetic_cloud.hpp"
#include "gpu/device_fixture.hpp"
#include "io/point_writer.hpp"

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

double largest_difference(const Volume& a, const Volume& b) {
  REQUIRE(a.grid() == b.grid());
  double most = 0;
  for (std::size_t i = 0; i < a.values<float>().size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.values<float>()[i]) -
                                   static_cast<double>(b.values<float>()[i])));
  return most / b.maximum();
}

/// Room for about a third of the volume beside the samples.
constexpr std::int64_t kLittleMemory = (std::int64_t{64} << 20) + 20000 * 128 + 450000;

/// A file that is gone with its scope.
class CloudFile {
 public:
  explicit CloudFile(const PointCloud& cloud)
      : path_((std::filesystem::temp_directory_path() /
               ("skde-parts-" + std::to_string(getpid()) + ".npy"))
                  .string()) {
    io::PointWriter writer(path_, cloud.size());
    writer.write(cloud.view());
    writer.finish();
  }
  CloudFile(const CloudFile&) = delete;
  CloudFile& operator=(const CloudFile&) = delete;
  ~CloudFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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
      CHECK(largest_difference(slabs.volume, whole.volume) < 4e-5);
      CHECK(slabs.mass_in_box == Approx(whole.mass_in_box).epsilon(1e-5));
    }
  }
}

TEST_CASE("CUDA: a cloud in parts is the whole cloud") {
  if (skipped()) return;
  NoProgress silent;
  constexpr std::int64_t kLimit = std::int64_t{200} << 20;
  const PointCloud cloud = make_five_gaussians(4, 0, 1000000);
  const CloudFile file(cloud);
  const DensityEstimate whole = estimate_density(cloud.view(), request_for("span", 0.3), silent);
  for (const char* const engine : {"cuda-span", "cuda-chop-crop"}) {
    INFO(engine);
    io::CloudCounts counts;
    const DensityEstimate parts = estimate_density(
        CloudFiles{{file.path()}, {}}, request_for(engine, 0.3), kLimit, counts, silent);
    CHECK(parts.plan.part_samples > 0);
    CHECK(parts.plan.part_samples < 500000);
    CHECK(counts.samples() == cloud.size());
    CHECK(parts.moments.count() == cloud.size());
    CHECK(largest_difference(parts.volume, whole.volume) < 4e-5);
  }
}
