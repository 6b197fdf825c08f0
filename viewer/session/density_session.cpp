#include "viewer/session/density_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/memory_checks.hpp"
#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "engines/cpu/host_buffer.hpp"
#include "engines/registry.hpp"
#include "estimate/density_estimate.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {
namespace {

std::shared_ptr<const SampleCloud> make_cloud(CloudFiles files, io::LoadedCloud loaded) {
  auto cloud = std::make_shared<SampleCloud>();
  cloud->files = std::move(files);
  cloud->points = std::move(loaded.points);
  cloud->counts = loaded.counts;
  cloud->moments = compute_moments(cloud->points.view());
  return cloud;
}

void require_memory(const CloudFiles& files) {
  cli::DensityOptions options;
  options.input = {files.columns, files.non_finite};
  if (cli::must_stream(options, files.paths))
    throw Error(ErrorKind::resources,
                fmt::format("{}: the samples do not fit into memory", files.paths.front()),
                {{}, "skde density reads them in parts, and its volume can be opened here"});
}

std::optional<double> rule_bandwidth(const Moments& moments, BandwidthSpec spec,
                                     KernelFunction kernel, BandwidthRule rule) {
  spec.bandwidth = rule;
  try {
    return select_bandwidth(moments, spec, kernel).h;
  } catch (const Error&) {
    return std::nullopt;  // there is none, which the caller shows
  }
}

/// The request with a GPU where it leaves the choice and there is one.
DensityRequest with_device(const DensityRequest& request) {
  DensityRequest limited = request;
  if (!limited.device && is_automatic(request) && has_device(Device::cuda))
    limited.device = Device::cuda;
  return limited;
}

/// Normalises the values, and fills in what they come to.
void finish(const DensityRequest& request, DensityEstimate& estimate, ViewedDensity& density) {
  const ValueTotals totals =
      timed_stage(density.stages, "mass", [&] { return density.buffer->totals(); });
  estimate.mass_in_box = totals.sum * density.grid.cell_volume();
  const double factor = normalization_factor(request.normalization, estimate.mass_in_box,
                                             estimate.moments.total_weight());
  density.peak = totals.maximum * factor;
  if (factor != 1) density.buffer->scale(factor);
  density.metadata = describe(estimate, request.normalization);
}

}  // namespace

BandwidthSuggestions suggest_bandwidths(const Moments& moments, BandwidthSpec spec,
                                        KernelFunction kernel) {
  return {rule_bandwidth(moments, spec, kernel, BandwidthRule::silverman),
          rule_bandwidth(moments, spec, kernel, BandwidthRule::scott)};
}

void DensitySession::open(const CloudFiles& files, Progress& progress) {
  if (files.paths.empty()) throw Error(ErrorKind::usage, "no file is named");
  for (const std::string& path : files.paths) {
    if (!io::is_volume_file(path)) continue;
    if (files.paths.size() > 1)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: is a volume, and a volume is opened alone", path));
    adopt(nullptr);
    volume_file_ = path;
    open_ = files;
    return;
  }
  require_memory(files);
  adopt(make_cloud(files, io::load_cloud(files.paths, files.columns, files.non_finite, progress)));
}

void DensitySession::open(PointCloud points) {
  io::CloudCounts counts;
  counts.rows = points.size();
  adopt(make_cloud({}, {std::move(points), counts}));
}

void DensitySession::adopt(std::shared_ptr<const SampleCloud> cloud) {
  engines_.clear();  // they hold the samples that were open
  volume_file_.clear();
  cloud_ = std::move(cloud);
  if (cloud_) open_ = cloud_->files;
}

ViewedDensity DensitySession::read_volume() const {
  io::VolumeFile file = io::read_volume(volume_file_);
  ViewedDensity density;
  density.grid = file.volume.grid();
  density.metadata = std::move(file.metadata);
  density.peak = file.volume.maximum();
  density.buffer = BufferLease(std::make_unique<HostBuffer>(std::move(file.volume)));
  return density;
}

BufferPool& DensitySession::engine_named(const std::string& name, const EngineOptions& options,
                                         StageTimes& stages) {
  if (!(options == options_)) engines_.clear();
  options_ = options;
  auto found = std::ranges::find(engines_, name, &Loaded::name);
  if (found == engines_.end()) {
    std::shared_ptr<Engine> engine = make_engine(name, options);
    add_stages(stages, engine->load(cloud_->points.view()));
    engines_.push_back({name, std::make_shared<BufferPool>(std::move(engine))});
    found = engines_.end() - 1;
  }
  for (const Loaded& other : engines_)
    if (other.name != name) other.buffers->trim();
  return *found->buffers;
}

ViewedDensity DensitySession::estimate(const DensityRequest& request, Progress& progress) {
  ViewedDensity density;
  DensityEstimate estimate;
  estimate.moments = cloud_->moments;
  const DensitySetup setup = set_up_density(request, estimate.moments);
  estimate.bandwidth = setup.bandwidth;
  estimate.kernel = setup.kernel;
  density.grid = setup.grid;
  const PointsView points = cloud_->points.view();
  estimate.engine = engine_for(with_device(request), setup,
                               static_cast<std::int64_t>(points.size()), points.weighted());
  BufferPool& buffers = engine_named(estimate.engine, request.options, density.stages);
  Engine& engine = buffers.engine();
  density.device = engine.traits().device;
  add_stages(density.stages,
             engine.prepare({setup.kernel, setup.grid, estimate.moments.total_weight()}));
  density.buffer = timed_stage(density.stages, "buffer", [&] { return buffers.take(setup.grid); });
  add_stages(density.stages, engine.run(*density.buffer, progress));
  finish(request, estimate, density);
  density.launch_policy = engine.launch_policy();
  return density;
}

ViewedDensity DensitySession::compute(const DensityRequest& request, Progress& progress) {
  if (!cloud_ && volume_file_.empty()) throw Error(ErrorKind::usage, "no samples are open");
  const StopWatch watch;
  if (!cloud_) progress.begin("read " + volume_file_, 0, "");
  ViewedDensity density = cloud_ ? estimate(request, progress) : read_volume();
  density.seconds = watch.seconds();
  return density;
}

std::size_t DensitySession::buffers_made() const {
  std::size_t made = 0;
  for (const Loaded& loaded : engines_) made += loaded.buffers->made();
  return made;
}

}  // namespace skde::view
