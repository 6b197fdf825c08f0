#include <skde/core/version.hpp>
#include <skde/estimate/density_facts.hpp>
#include <skde/estimate/plan/plan_orders.hpp>
#include <skde/estimate/point_values.hpp>
#include <skde/estimate/read/cloud.hpp>
#include <skde/estimate/stream/buffer_pool.hpp>
#include <skde/estimate/stream/followed_stream.hpp>
#include <skde/estimate/stream/slice_sink.hpp>
#include <skde/io/volumes/volume_formats.hpp>
#include <skde/skde.hpp>
#include <string>
#include <utility>
#include <vector>

/// Plans a density, writes it and reads it again; returns its peak.
double read_peak(skde::Session& session, const std::string& path) {
  skde::NoProgress silent;
  const skde::DensityPlan plan = session.plan({}, silent);
  plan.require_runnable();
  skde::Density density = session.compute(plan, silent);
  density.metadata.version = skde::kVersion;
  density.write(path, silent);
  return skde::io::read_volume(path).volume.maximum() / density.facts().peak;
}

/// Returns densities at points, each given by three numbers.
std::vector<double> densities_at(skde::Session& session, std::vector<double> points) {
  skde::NoProgress silent;
  return session.evaluate({}, skde::TargetPoints(std::move(points)), {}, silent).values;
}
