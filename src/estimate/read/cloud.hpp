#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cloud/moments.hpp"
#include "core/kernel/shape_summary.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/request.hpp"

namespace skde {

/// Samples in memory, and what follows from them alone. Never changes once it is made.
struct SampleCloud {
  CloudFiles files;  ///< no paths where the samples came from memory
  SamplesView points;
  io::CloudCounts counts;
  io::ReadColumns columns;  ///< without names where the samples came from memory
  Moments moments;
  Box inner_bounds;  ///< without outliers
  ShapeSummary shapes;

  std::shared_ptr<const void> owner;  ///< of the points; null where they outlive this

  CloudFacts facts() const {
    return {static_cast<std::int64_t>(points.size()), points.weighted(), points.shaped()};
  }
};

/// A cloud of samples that are in memory, and whoever owns them; one pass over them. Error(usage)
/// where arrays do not match each other or both widths and shapes are given, Error(input) where a
/// coordinate is not finite, a weight not at least 0, a width not above 0 or a shape no covariance.
std::shared_ptr<const SampleCloud> make_cloud(const SamplesView& points,
                                              std::shared_ptr<const void> owner);
/// The same of files.
std::shared_ptr<const SampleCloud> make_cloud(CloudFiles files, io::LoadedCloud loaded);

/// What came of reading a cloud that may be too large.
struct CloudReading {
  std::shared_ptr<const SampleCloud> cloud;  ///< null where it is too large
  std::optional<CloudBeginning> beginning;   ///< what was read then, and where to read on
};

/// Reads files into memory while they take up to `most_bytes`. Where a header promises more,
/// nothing is read. Throws what io::CloudStream throws.
CloudReading read_cloud(const CloudFiles& files, double most_bytes, Progress& progress);
/// The same of files that are open already.
CloudReading read_cloud(const CloudFiles& files, std::unique_ptr<io::CloudStream> stream,
                        double most_bytes, Progress& progress);

/// Moments, counts and columns of a cloud that is too large, reading it to its end.
struct CloudMoments {
  Moments moments;
  Box inner_bounds;  ///< without outliers
  ShapeSummary shapes;
  io::CloudCounts counts;
  io::ReadColumns columns;
};
CloudMoments read_moments(const CloudFiles& files, CloudBeginning beginning, Progress& progress);

}  // namespace skde
