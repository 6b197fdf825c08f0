#include "estimate/cloud_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/host_memory.hpp"
#include "core/stop_watch.hpp"
#include "core/thread_room.hpp"
#include "engines/cpu/point_sums.hpp"

namespace skde {
namespace {

/// Seconds of a pair of samples on one AVX-512 core, where a tenth of them or so are neighbours.
constexpr double kPilotPair = 3e-11;

/// Of the volume, where its cells are known before the kernels are.
double result_bytes(const DensityRequest& request) {
  const auto dims = grid_ahead(request).dims;
  if (!dims) return 0;
  double bytes = static_cast<double>(value_bytes(request.precision));
  for (const std::int64_t cells : *dims) bytes *= static_cast<double>(cells);
  return bytes;
}

}  // namespace

void require_adaptable(const CloudSource& source, const io::ColumnSelection& columns) {
  const bool shaped = source.cloud ? source.cloud->points.shaped() : columns.shaped();
  if (shaped)
    throw Error(ErrorKind::usage, "samples have widths of their own, so that none adapt",
                {"adaptive", "leave out `adaptive`, or the `widths`"});
  if (!source.cloud)
    throw Error(ErrorKind::resources,
                "widths that adapt need all samples in memory, and they do not fit",
                {"memory_limit", "raise `memory_limit`, or leave out `adaptive`"});
}

std::int64_t CloudSource::memory_limit() const {
  return options.memory_limit > 0 ? options.memory_limit : available_memory();
}

double CloudSource::pilot_bytes() const {
  const double sample = host_sample_bytes(true, false) + kSumsSampleBytes + kSumsPointBytes;
  return sample * static_cast<double>(cloud->points.size());
}

void CloudSource::require_pilot_room() const {
  const double needed = pilot_bytes();
  if (needed <= static_cast<double>(memory_limit())) return;
  throw Error(
      ErrorKind::resources,
      fmt::format("the density at the samples, by which widths adapt, takes {}",
                  format_bytes(needed)),
      {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or leave out `adaptive`",
                                   format_bytes(needed))});
}

AdaptiveFacts CloudSource::adapt(const DensityRequest& request, DensitySetup& setup,
                                 StageTimes& stages, Progress& progress) {
  const StopWatch watch;
  AdaptiveSpec spec{setup.kernel, *request.adaptive, request.boundaries, setup.grid};
  if (!has_boundary(spec.boundaries)) spec.grid = {};
  if (!adapted || adapted_to != spec) {
    adapted.reset();
    places.forget_samples();  // memory of widths may be used again
    require_pilot_room();
    progress.expect(
        {.seconds = kPilotPair * std::pow(static_cast<double>(cloud->points.size()), 2) /
                    thread_count(request.options.threads),
         .host_bytes = pilot_bytes(),
         .result_bytes = result_bytes(request)});
    adapted = adapted_cloud(cloud, spec, request.options.threads, progress);
    adapted_to = spec;
    stages.push_back({"pilot", watch.seconds()});
  }
  setup.reach = adapted->shapes.largest().x * setup.reach;
  return {spec.alpha, adapted->shapes.least(), adapted->shapes.largest().x};
}

std::optional<Bandwidth> CloudSource::bandwidth_by_evidence(const DensityRequest& request,
                                                            StageTimes& stages,
                                                            Progress& progress) {
  if (!goes_by_evidence(request.bandwidth) || cloud->shapes.has_shapes()) return std::nullopt;
  const EvidenceSpec spec{request.bandwidth, request.kernel};
  if (!evidence || evidence_for != spec) {
    const StopWatch watch;
    EvidenceEffort effort;
    effort.threads = request.options.threads;
    effort.most_bytes = std::max(0.0, static_cast<double>(memory_limit()) -
                                          host_sample_bytes(cloud->points.weighted(), false) *
                                              static_cast<double>(cloud->points.size()));
    effort.result_bytes = result_bytes(request);
    evidence = evidence_bandwidth(cloud->points, cloud->moments, spec, effort, progress);
    evidence_for = spec;
    stages.push_back({"bandwidth", watch.seconds()});
  }
  return evidence->bandwidth;
}

}  // namespace skde
