#include "estimate/read/timed_cloud.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/values/density_setup.hpp"
#include "estimate/values/memory_plan.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/columns/row_condition.hpp"

namespace skde {
namespace {

constexpr std::size_t kTimedRows = std::size_t{1} << 18;  // read at a time
constexpr double kUsualShare = 0.1;                       // of the range, for a window

/// Appends `count` values of a sample, if there are any.
void append_of(std::vector<double>& to, std::span<const double> from, std::size_t sample,
               std::size_t count) {
  if (from.empty()) return;
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(sample * count);
  to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::string time_condition(const std::string& column, const TimeRange& range) {
  const bool is_number = column.find_first_not_of("0123456789") == column.npos;
  const std::string name = is_number ? "#" + column : "`" + column + "`";
  return fmt::format("{0} >= {1:.17g} && {0} <= {2:.17g}", name, range.from, range.to);
}

TimedCloud::TimedCloud(const CloudFiles& files, const std::string& column, double most_bytes,
                       Progress& progress) try
    : files_(files), column_(column) {
  io::ColumnSelection columns = files.columns;
  columns.others = {column};
  io::CloudStream stream(files.paths, columns, files.non_finite, {.files = files.open});
  const double bytes = host_sample_bytes(stream.weighted(), stream.shaped()) + sizeof(double);
  io::LoadedCloud loaded;
  for (Samples chunk; stream.read(chunk, kTimedRows, progress);) {
    append_samples(loaded.points, chunk.view());
    times_.insert(times_.end(), chunk.values.begin(), chunk.values.end());
    // A vector is copied as it grows, and takes twice its size meanwhile.
    if (2 * bytes * static_cast<double>(times_.size()) > most_bytes)
      throw Error(ErrorKind::resources,
                  fmt::format("the samples of all times do not fit into {} of memory",
                              format_bytes(most_bytes)),
                  {"time", "leave out `time`, and choose rows by `where`"});
  }
  if (times_.empty())
    throw Error(ErrorKind::input, fmt::format("no sample has a number in the column {}", column_),
                {"time", "name another column by `time`"});
  const auto [least, most] = std::ranges::minmax(times_);
  least_ = least;
  most_ = most;
  loaded.counts = stream.counts();
  loaded.columns = stream.columns();
  whole_ = make_cloud(files, std::move(loaded));
} catch (const Error& error) {
  throw error.renaming("value", "time");  // what CloudStream calls the column
}

bool TimedCloud::is_of(const CloudFiles& files, const std::string& column) const {
  return files_ == files && column_ == column;
}

TimeRange TimedCloud::range(const TimeWindow& window) const {
  TimeRange range{least_, most_, window.at.value_or(least_), 0};
  range.to = range.from + window.width.value_or(kUsualShare * (most_ - least_));
  return range;
}

std::shared_ptr<const SampleCloud> TimedCloud::window(const TimeRange& range) const {
  const SamplesView& all = whole_->points;
  io::LoadedCloud loaded;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (times_[i] < range.from || times_[i] > range.to) continue;
    append_of(loaded.points.xyz, all.xyz, i, 3);
    append_of(loaded.points.weights, all.weights, i, 1);
    append_of(loaded.points.bandwidth_factors, all.bandwidth_factors, i, 1);
    append_of(loaded.points.shapes, all.shapes, i, 6);
  }
  if (loaded.points.size() == 0)
    throw Error(ErrorKind::input,
                fmt::format("no sample has a {} from {:g} to {:g}", column_, range.from, range.to),
                {"time_window", "use a wider `time_window`, or another `time_at`"});
  loaded.counts = whole_->counts;
  loaded.counts.left_out += times_.size() - loaded.points.size();
  loaded.columns = whole_->columns;
  CloudFiles files = files_;
  std::string& where = files.columns.where;
  where = io::both_conditions(where, time_condition(column_, range));
  return make_cloud(std::move(files), std::move(loaded));
}

Grid grid_of_all(const DensityRequest& request, const SampleCloud& whole) {
  DensityRequest known = request;
  if (is_data_driven(known.bandwidth)) known.bandwidth.bandwidth = BandwidthRule::silverman;
  return set_up_density(known, whole.moments, whole.inner_bounds, grid_ahead(known), whole.shapes)
      .grid;
}

}  // namespace skde
