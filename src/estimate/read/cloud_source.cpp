#include "estimate/read/cloud_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "estimate/read/piloted_cloud.hpp"
#include "estimate/values/memory_plan.hpp"
#include "io/points/row_index.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Seconds for a pair of samples on one AVX-512 core, if about a tenth of all pairs are neighbours.
constexpr double kPilotPair = 3e-11;

/// Returns the request's parameter that needs all samples in memory.
const char* needing_all(const DensityRequest& request) {
  return request.adaptive                ? "adaptive"
         : request.sharpen               ? "sharpen"
         : is_linear(request.boundaries) ? "boundary=linear"
                                         : "equal_by";
}

void require_linear(const DensityRequest& request, bool shaped) {
  const char* const what = request.sharpen              ? "sharpened samples"
                           : request.adaptive || shaped ? "samples with kernels of their own"
                                                        : nullptr;
  if (what == nullptr || !is_linear(request.boundaries)) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("values of {} cannot be corrected for their slope at faces", what),
              {"boundary", "use `boundary=reflect`"});
}

/// A signed field is no density, from which a bandwidth, a pilot or a mass follows.
void require_signed(const DensityRequest& request, bool has_kernels) {
  using Form = CovarianceForm;
  const Form form = request.bandwidth.form;
  const bool is_given =
      has_kernels || (!std::holds_alternative<BandwidthRule>(request.bandwidth.bandwidth) &&
                      (form == Form::data || form == Form::diag || form == Form::iso));
  const char* const other = request.adaptive                              ? "adaptive"
                            : request.sharpen                             ? "sharpen"
                            : is_linear(request.boundaries)               ? "boundary=linear"
                            : request.normalization == Normalization::box ? "normalize=box"
                            : is_given                                    ? nullptr
                                                                          : "bandwidth";
  if (other != nullptr)
    throw Error(ErrorKind::usage,
                fmt::format("weights below 0 make a signed field, and `{}` needs a density", other),
                {"signed_weights",
                 is_given ? fmt::format("leave out `{}`", other) : "give `bandwidth` as numbers"});
}

}  // namespace

bool needs_all_samples(const CloudSource& source, const DensityRequest& request) {
  return request.needs_all_samples() || !source.files.columns.equal_by.empty();
}

const io::ColumnSelection& columns_of(const CloudSource& source) {
  return (source.cloud ? source.cloud->files : source.files).columns;
}

void require_samples_for(const CloudSource& source, const DensityRequest& request) {
  if (columns_of(source).signed_weights)
    require_signed(request, source.cloud && !source.cloud->points.shapes.empty());
  if (!needs_all_samples(source, request)) return;
  const bool shaped = source.cloud ? source.cloud->points.shaped() : source.files.columns.shaped();
  if (request.has_pilot()) require_pilot(request, shaped);
  require_linear(request, shaped);
  if (!source.cloud)
    throw Error(
        ErrorKind::resources,
        fmt::format("`{}` needs all samples in memory, and they do not fit", needing_all(request)),
        {"memory_limit",
         fmt::format("raise `memory_limit`, or leave out `{}`", needing_all(request))});
}

void CloudSource::forget() {
  engines.forget_samples();
  cloud.reset();
  faces.forget();
  adapted.reset();
  data_driven.reset();
  started.reset();
  beginning.reset();
  index.reset();
}

void CloudSource::settle_widths(KernelFunction kernel) {
  if (!files.columns.widths_need_kernel() || files.columns.width_kernel == kernel) return;
  files.columns.width_kernel = kernel;
  forget();
}

std::string CloudSource::frame() const {
  if (cloud) return cloud->columns.frame;
  return beginning ? beginning->rest->columns().frame : "";
}

bool CloudSource::find_index(const BandwidthSpec& bandwidth, std::string& why_ignored) {
  io::RowIndexFound found = beginning->rest->row_index();
  why_ignored = std::move(found.why_ignored);
  const bool must_drop = found.index && found.index->moments.count() < found.index->rows;
  const bool refuses = must_drop && files.non_finite == io::NonFinite::error;
  const bool chooses = !is_automatic(bandwidth) || (found.index && found.index->moments.some());
  index = refuses || !chooses ? nullptr : std::move(found.index);
  return index != nullptr;
}

std::int64_t CloudSource::memory_limit() const { return memory_within(options.memory_limit); }

double CloudSource::pilot_bytes(const DensityRequest& request) const {
  constexpr double kMoved = 17 * sizeof(double);  // shifts, channels and places
  const double sample = host_sample_bytes(true, false) + kSumsSampleBytes + kSumsPointBytes +
                        (request.sharpen ? kMoved : 0);
  return sample * static_cast<double>(cloud->points.size());
}

void CloudSource::require_pilot_room(const DensityRequest& request) const {
  const double needed = pilot_bytes(request);
  if (needed <= static_cast<double>(memory_limit())) return;
  throw Error(ErrorKind::resources,
              fmt::format("`{}` needs the density at the samples, which takes {}",
                          needing_all(request), format_bytes(needed)),
              {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or leave out `{}`",
                                           format_bytes(needed), needing_all(request))});
}

std::optional<AdaptiveFacts> CloudSource::adapt(const DensityRequest& request, DensitySetup& setup,
                                                Progress& progress) {
  const StopWatch watch;
  const PilotSpec spec = pilot_spec(request, setup.kernel, setup.grid);
  if (!adapted || adapted_to != spec) {
    adapted.reset();
    engines.forget_samples();  // memory of earlier per-sample bandwidths or places may be reused
    faces.forget();
    require_pilot_room(request);
    adapted = piloted_cloud(cloud, spec, request.options.threads, progress);
    adapted_to = spec;
    stages.push_back({"pilot", watch.seconds()});
  }
  if (!spec.alpha) return std::nullopt;
  setup.reach = adapted->shapes.largest().x * setup.reach;
  return AdaptiveFacts{*spec.alpha, adapted->shapes.least(), adapted->shapes.largest().x};
}

std::optional<Bandwidth> CloudSource::choose_from_data(const DensityRequest& request,
                                                       const Moments& moments, Progress& progress) {
  if (!is_scored(request.bandwidth)) return std::nullopt;
  if (cloud ? cloud->shapes.has_shapes() : files.columns.shaped()) return std::nullopt;
  if (!knows_bandwidth(request)) {
    const StopWatch watch;
    const DataDrivenSpec spec = request.data_driven();
    data_driven = data_driven_bandwidth(cloud ? cloud->points : SamplesView{}, moments, spec,
                                        data_driven_effort(request), progress);
    data_driven_for = spec;
    stages.push_back({"bandwidth", watch.seconds()});
  }
  return data_driven->bandwidth;
}

bool CloudSource::knows_bandwidth(const DensityRequest& request) const {
  return data_driven && data_driven_for == request.data_driven();
}

DataDrivenEffort CloudSource::data_driven_effort(const DensityRequest& request) const {
  const double held = cloud ? host_sample_bytes(cloud->points.weighted(), false) *
                                  static_cast<double>(cloud->points.size())
                            : 0;
  DataDrivenEffort effort =
      request.data_driven_effort(std::max(0.0, static_cast<double>(memory_limit()) - held));
  effort.gpu_starts = starting.valid();
  return effort;
}

WorkForecast CloudSource::data_driven_forecast(const DensityRequest& request) const {
  return skde::data_driven_forecast(cloud->points, cloud->moments, request.data_driven(),
                                    data_driven_effort(request));
}

WorkForecast CloudSource::pilot_forecast(const DensityRequest& request) const {
  return {.seconds = kPilotPair * std::pow(static_cast<double>(cloud->points.size()), 2) /
                     thread_count(request.options.threads),
          .host_bytes = pilot_bytes(request)};
}

}  // namespace skde
