#include "viewer/work/score_curve.hpp"

#include <cmath>
#include <utility>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "bandwidth/sample_choice.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_setup.hpp"
#include "system/host_memory.hpp"

namespace skde::view {
namespace {

constexpr std::uint64_t kJudgesSeed = 1;  // that of skde bandwidth
constexpr int kScoreSteps = 16;           // as there

std::optional<double> plug_in_of(const ChosenSamples& judges, DataDrivenSpec spec,
                                 const DataDrivenEffort& effort, Progress& progress) {
  spec.bandwidth.bandwidth = BandwidthRule::plug_in;
  try {
    return data_driven_bandwidth(judges.samples, judges.moments, spec, effort, progress).best.h;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return std::nullopt;
  }
}

}  // namespace

ScoreCurve score_curve(const ScoreJob& job, Progress& progress) {
  const SampleCloud& cloud = *job.cloud;
  const ChosenSamples judges =
      choose_some(cloud.points, cloud.moments, job.bandwidth, kMostJudges, kJudgesSeed);
  DataDrivenEffort effort;
  effort.threads = job.threads;
  effort.most_bytes = static_cast<double>(memory_within(0));
  effort.factor = judges.factor;
  effort.ratio = std::pow(3 * 1.3, 1.0 / (kScoreSteps - 1));  // the curve's initial range
  const DataDrivenSpec spec{judges.bandwidth, job.kernel, job.sharpen};
  DataDrivenBandwidth found =
      data_driven_bandwidth(judges.samples, judges.moments, spec, effort, progress);
  ScoreCurve curve;
  curve.curve = std::move(found.curve);
  curve.best = found.best;
  curve.warnings = std::move(found.warnings);
  curve.silverman = suggest_bandwidths(cloud.moments, job.bandwidth, job.kernel).silverman;
  progress.begin("plug-in", 0, "");
  if (!job.sharpen) curve.plug_in = plug_in_of(judges, spec, effort, progress);
  curve.judges = judges.samples.size();
  curve.samples = cloud.points.size();
  return curve;
}

}  // namespace skde::view
