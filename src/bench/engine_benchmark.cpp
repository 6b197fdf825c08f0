#include "bench/engine_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "core/synthetic_cloud.hpp"
#include "engines/engine_choice.hpp"

namespace skde::bench {
namespace {

/// The unit cube's cloud, stretched to a cube of this side about the middle of the box.
PointCloud cube_cloud(const BenchmarkCase& wanted, double side) {
  PointCloud cloud = make_uniform_cloud(wanted.seed, 0, wanted.samples);
  for (double& coordinate : cloud.xyz) coordinate = (coordinate - 0.5) * side;
  return cloud;
}

}  // namespace

CloudShape cloud_shape_by_name(std::string_view name) {
  if (name == "five-gaussians") return CloudShape::five_gaussians;
  if (name == "uniform") return CloudShape::uniform;
  if (name == "spot") return CloudShape::spot;
  throw Error(ErrorKind::usage,
              fmt::format("--cloud '{}' is none of five-gaussians, uniform, spot", name));
}

BenchmarkInput make_input(const BenchmarkCase& wanted) {
  BenchmarkInput input;
  input.cloud = make_five_gaussians(wanted.seed, 0, wanted.samples);
  const Moments moments = compute_moments(input.cloud.view());
  GridSpec spec;
  spec.bounds = benchmark_box();
  spec.dims = {wanted.cells, 0, 0};
  input.problem.kernel = {wanted.kernel, (wanted.h * wanted.h) * moments.covariance()};
  input.problem.grid = make_grid(spec, *spec.bounds, {});
  input.problem.total_weight = moments.total_weight();
  const double side = benchmark_box().extent().x;
  if (wanted.shape == CloudShape::uniform) input.cloud = cube_cloud(wanted, side);
  if (wanted.shape == CloudShape::spot)
    input.cloud = cube_cloud(wanted, side / static_cast<double>(wanted.cells));
  const Ellipsoid<double> ellipsoid = make_ellipsoid(input.problem.kernel.H, input.problem.grid);
  input.half_extents = {ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  input.work = count_work(ellipsoid, input.problem.grid, input.cloud.view(), kCountedSamples);
  return input;
}

std::string_view choice_for(const BenchmarkInput& input, KernelFunction kernel,
                            const EngineOptions& options, std::optional<Device> device) {
  const Grid& grid = input.problem.grid;
  return choose_engine({static_cast<std::int64_t>(input.cloud.size()), false, kernel,
                        make_ellipsoid(input.problem.kernel.H, grid), grid},
                       options, device);
}

Measurement measure(Engine& engine, const BenchmarkInput& input, int warmups, int repetitions) {
  NoProgress silent;
  Measurement result;
  engine.load(input.cloud.view());
  engine.prepare(input.problem);
  auto buffer = engine.make_buffer();
  for (int k = -warmups; k < repetitions; ++k) {
    const StopWatch watch;
    StageTimes stages = engine.prepare(input.problem);
    buffer->clear();
    for (StageTime& stage : engine.run(*buffer, silent)) stages.push_back(std::move(stage));
    const double seconds = watch.seconds();
    if (k < 0) continue;
    if (result.seconds.empty() ||
        seconds < *std::min_element(result.seconds.begin(), result.seconds.end()))
      result.stages = std::move(stages);
    result.seconds.push_back(seconds);
  }
  result.policy = engine.launch_policy();
  const Volume volume = buffer->take_volume();
  result.peak = volume.maximum();
  result.mass = volume.mass();
  return result;
}

}  // namespace skde::bench
