#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/time_window.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// A cloud in memory with a column of times, of which windows are taken.
class TimedCloud {
 public:
  /// Reads files with the column. Rows without a time are dropped as not finite. Throws what
  /// io::CloudStream throws; Error(input) if there are no samples; Error(resources) if they take
  /// more than `most_bytes`.
  TimedCloud(const CloudFiles& files, const std::string& column, double most_bytes,
             Progress& progress);

  /// Returns whether these files were read, with this column.
  bool is_of(const CloudFiles& files, const std::string& column) const;
  /// Returns the range of the times, with the window in it.
  TimeRange range(const TimeWindow& window) const;
  /// Returns the samples of the window in their order, as the files with time_condition() hold
  /// them. Throws Error(input) if there are none.
  std::shared_ptr<const SampleCloud> window(const TimeRange& range) const;
  /// Returns the samples of all times.
  const SampleCloud& whole() const { return *whole_; }

 private:
  CloudFiles files_;
  std::string column_;
  std::shared_ptr<const SampleCloud> whole_;
  std::vector<double> times_;
  double least_ = 0, most_ = 0;
};

/// Returns the grid that a request has for all samples: the box of all windows.
Grid grid_of_all(const DensityRequest& request, const SampleCloud& whole);

}  // namespace skde
