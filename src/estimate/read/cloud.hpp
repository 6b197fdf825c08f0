#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cloud/moments.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/values/request.hpp"

namespace skde {

struct OutlinedPlaces;

/// Samples in memory, and what follows from them alone. Immutable once made.
struct SampleCloud {
  CloudFiles files;  ///< no paths if the samples came from memory
  SamplesView points;
  io::CloudCounts counts;
  io::ReadColumns columns;  ///< without names if the samples came from memory
  Moments moments;
  Box inner_bounds;  ///< bounds without outliers
  ShapeSummary shapes;

  std::shared_ptr<const void> owner;  ///< of the points; null if they outlive this object

  CloudFacts facts() const {
    return {static_cast<std::int64_t>(points.size()), points.weighted(), points.shaped()};
  }
};

/// Makes a cloud of samples in memory in one pass; `owner` keeps them alive. Throws Error(usage) if
/// array sizes do not match or both widths and shapes are given. Throws Error(input) if a
/// coordinate is not finite, a weight is below 0 without `signed_weights`, a width is not above 0,
/// or a shape is not a covariance.
std::shared_ptr<const SampleCloud> make_cloud(const SamplesView& points,
                                              std::shared_ptr<const void> owner,
                                              bool signed_weights = false);
/// Makes a cloud of samples read from files.
std::shared_ptr<const SampleCloud> make_cloud(CloudFiles files, io::LoadedCloud loaded);

/// Throws Error(usage) if weights may be below 0; `what` needs a density: "draws need".
void refuse_signed_weights(const io::ColumnSelection& columns, std::string_view what);

/// Returns the samples of a cloud that lie within all of these. Throws Error(usage) if there are
/// none.
std::shared_ptr<const SampleCloud> cloud_within(const SampleCloud& whole,
                                                const std::vector<OutlinedPlaces>& within);

/// Result of reading a cloud that may be too large.
struct CloudReading {
  std::shared_ptr<const SampleCloud> cloud;  ///< null if the cloud is too large
  std::optional<CloudBeginning> beginning;   ///< in that case, what was read, and where to continue
};

/// Reads files into memory as long as they take at most `most_bytes`. Reads nothing if a header
/// promises more. Throws what io::CloudStream throws.
CloudReading read_cloud(const CloudFiles& files, double most_bytes, Progress& progress);
/// Reads files that are already open.
CloudReading read_cloud(const CloudFiles& files, std::unique_ptr<io::CloudStream> stream,
                        double most_bytes, Progress& progress);

/// Moments, counts and columns of a cloud that is too large for memory, read to its end.
struct CloudMoments {
  Moments moments;
  Box inner_bounds;  ///< bounds without outliers
  ShapeSummary shapes;
  io::CloudCounts counts;
  io::ReadColumns columns;
};
CloudMoments read_moments(const CloudFiles& files, CloudBeginning beginning, Progress& progress);

}  // namespace skde
