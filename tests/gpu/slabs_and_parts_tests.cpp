// Clouds and volumes divided to fit on the GPU, compared with the CPU engine on the whole.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "gpu/device_fixture.hpp"
#include "io/points/point_writer.hpp"
#include "support/catch.hpp"
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

/// Memory for the samples and about a third of the volume.
constexpr std::int64_t kLittleMemory = (std::int64_t{64} << 20) + 20000 * 24 + 20000 * 60 + 450000;

Density compute_of(const Samples& cloud, const DensityRequest& request) {
  Session session;
  session.open(cloud.view());
  return session.compute(request);
}

std::string cloud_in(const TemporaryFolder& folder, const Samples& cloud) {
  std::string path = folder.path("cloud.npy");
  io::PointWriter writer(path, cloud.size());
  writer.write(cloud.view());
  writer.finish();
  return path;
}

}  // namespace

TEST_CASE("CUDA: a volume in slabs is the whole volume") {
  if (skipped()) return;
  const Samples cloud = make_five_gaussians(3, 0, 20000);
  for (const double h : {0.2, 1.0}) {
    Density whole = compute_of(cloud, request_for("span", h));
    const Volume expected = whole.take_volume();
    for (const char* const engine : {"cuda-span", "cuda-chop-crop", "cuda-naive"}) {
      INFO(engine << ", h = " << h);
      DensityRequest request = request_for(engine, h);
      request.options.device_memory = kLittleMemory;
      Density slabs = compute_of(cloud, request);
      CHECK(slabs.facts().memory.slabs > 1);
      CHECK(relative_distance(slabs.take_volume(), expected) < 4e-5);
      CHECK(slabs.facts().mass_in_box == Approx(whole.facts().mass_in_box).epsilon(1e-5));
    }
  }
}

TEST_CASE("CUDA: values at the samples without their own kernel, and gradients") {
  if (skipped()) return;
  Samples cloud = make_five_gaussians(6, 0, 20000);
  cloud.xyz.insert(cloud.xyz.end(), {9, 9, 9});  // alone
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(0.5 + static_cast<double>(i % 7));
  Session session;
  session.open(cloud);
  NoProgress silent;
  for (const bool left_out : {true, false})
    for (const KernelFunction function :
         {KernelFunction::gaussian, KernelFunction::epanechnikov, KernelFunction::triweight}) {
      INFO(function->name << (left_out ? ", one left out" : ""));
      const auto at_samples = [&](const char* engine) {
        DensityRequest request = request_for(engine, 0.2);
        request.kernel = function;
        request.precision = Precision::f64;
        request.grid = {};
        return session.evaluate(request, TargetPoints(cloud.xyz),
                                {.leave_one_out = left_out, .gradient = true}, silent);
      };
      const PointDensity gpu = at_samples("cuda-ranges"), cpu = at_samples("ranges");
      CHECK(gpu.facts.engine == "cuda-ranges");
      const Symmetric3& H = cpu.facts.kernel.H;
      double off = 0, slope_off = 0, steepest = 0;
      for (std::size_t i = 0; i < cloud.size(); ++i) {
        off = std::max(off, std::abs(gpu.values[i] - cpu.values[i]) / cpu.facts.peak);
        const std::array<double, 3> deviations{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
        for (std::size_t a = 0; a < 3; ++a) {
          const double each = deviations[a] / cpu.facts.peak, slope = cpu.gradients[3 * i + a];
          slope_off = std::max(slope_off, std::abs(gpu.gradients[3 * i + a] - slope) * each);
          steepest = std::max(steepest, std::abs(slope) * each);
        }
      }
      CHECK(off < 1e-10);
      CHECK(slope_off < 1e-10);
      CHECK(steepest > 0.1);
      if (left_out) CHECK(gpu.values.back() == 0);
    }
}

TEST_CASE("CUDA: logarithms of sums of Gaussians are those of the CPU, however faint") {
  if (skipped()) return;
  Samples cloud = make_five_gaussians(6, 0, 20000);
  cloud.xyz.insert(cloud.xyz.end(), {9, 9, 9});  // far from all others
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(0.5 + static_cast<double>(i % 7));
  Session session;
  session.open(cloud);
  NoProgress silent;
  for (const bool left_out : {true, false}) {
    std::vector<double> places = cloud.xyz;
    if (!left_out) places.insert(places.end(), {-60, 5, 0});
    const auto logs = [&](const char* engine) {
      DensityRequest request = request_for(engine, 0.1);
      request.kernel = KernelFunction::gaussian;
      request.grid = {};
      return session.evaluate(request, TargetPoints(places),
                              {.leave_one_out = left_out, .log = true}, silent);
    };
    const PointDensity gpu = logs("cuda-ranges"), cpu = logs("ranges");
    CHECK(gpu.facts.engine == "cuda-ranges");
    double off = 0, least = 0;
    for (std::size_t i = 0; i < gpu.values.size(); ++i) {
      off = std::max(
          off, std::abs(gpu.values[i] - cpu.values[i]) / std::max(1.0, std::abs(cpu.values[i])));
      least = std::min(least, gpu.values[i]);
    }
    CHECK(off < 1e-10);
    CHECK(least < -300);
  }
}

TEST_CASE("CUDA: a cloud in parts is the whole cloud") {
  if (skipped()) return;
  const Samples cloud = make_five_gaussians(4, 0, 1000000);
  const TemporaryFolder folder;
  const std::string file = cloud_in(folder, cloud);
  const Volume expected = compute_of(cloud, request_for("span", 0.3)).take_volume();
  for (const char* const engine : {"cuda-span", "cuda-chop-crop"}) {
    INFO(engine);
    NoProgress silent;
    SessionOptions options;
    options.memory_limit = kProgramBytes + (std::int64_t{80} << 20);  // 64 MiB of it pinned
    Session session(options);
    session.open_in_parts({{file}, {}, io::NonFinite::drop});
    Density parts = session.compute(request_for(engine, 0.3), silent);
    CHECK(parts.facts().memory.part_samples > 0);
    CHECK(parts.facts().memory.part_samples < 700000);
    CHECK(parts.facts().counts.samples() == cloud.size());
    CHECK(parts.facts().moments.count() == cloud.size());
    CHECK(relative_distance(parts.take_volume(), expected) < 4e-5);
  }
}

TEST_CASE("CUDA: values stay on the device, and the next run uses their memory again") {
  if (skipped()) return;
  Session session({.resident = true});
  session.open(make_five_gaussians(3, 0, 20000));
  std::size_t made = 0;
  for (int k = 0; k < 5; ++k) {
    const Density density = session.compute(request_for("cuda-span", 0.3 + 0.1 * k));
    made += density.facts().buffers_made;
    CHECK(density.values()->on_device().has_value());
    CHECK(density.values()->on_host() == nullptr);
  }
  CHECK(made == 1);
}
